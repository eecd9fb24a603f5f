"""Files that are damaged, foreign or meant to do harm."""

import io
import json
import os
import pickle
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.cluster import KMeans

import incerta as ic
from incerta.data import from_scipy  # noqa: F401 (registers FrozenGroup)
from incerta.exceptions import FileError, ModelFileError
from incerta.models import archive, files, registry
from incerta.models.files import load, save
from incerta.models.recipes import register_scikit_learn
from tests.strategies import examples, make


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Bytes of a small file."""
    path = tmp_path_factory.mktemp("written") / "model.incerta"
    model = ic.FDBSCAN(eps=4.0, min_samples=2, n_worlds=6, random_state=0)
    save(model.fit(make("weighted", 6, 2)), path)
    return path.read_bytes()


def parts_of(written):
    with zipfile.ZipFile(io.BytesIO(written)) as file:
        members = {name: file.read(name) for name in file.namelist()}
    return json.loads(members.pop("manifest.json")), members


def packed(manifest, members, how=zipfile.ZIP_STORED):
    """A proper zip, with proper checksums, of whatever is given."""
    out = io.BytesIO()
    text = manifest if isinstance(manifest, str | bytes) else json.dumps(manifest)
    pairs = members.items() if isinstance(members, dict) else members
    with zipfile.ZipFile(out, "w", how) as file:
        file.writestr("manifest.json", text)
        for name, content in pairs:
            file.writestr(name, content)
    return out.getvalue()


def as_npy(array, **kwargs):
    out = io.BytesIO()
    np.lib.format.write_array(out, array, **kwargs)
    return out.getvalue()


def header(text):
    text = text.ljust(117).encode() + b"\n"
    return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text


def refused(content, folder, match=None):
    path = folder / "hostile.incerta"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=match):
        load(path)


class Trap:
    """Leaves a file behind when it is unpickled."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_files_that_are_something_else(written, tmp_path):
    with pytest.raises(ModelFileError, match="there is no file"):
        load(tmp_path / "none.incerta")
    with pytest.raises(FileError):
        load(tmp_path)
    refused(b"", tmp_path, "not a model file")
    refused(b"id,mass\n1,2\n" * 100, tmp_path, "is not a model file")
    refused(pickle.dumps(Trap(tmp_path / "trap")), tmp_path, "is not a model file")
    refused(written[:-100], tmp_path, "truncated or not a model file")
    refused(packed("{}", {}), tmp_path, "not a model file")
    refused(packed('{"format": "other"}', {}), tmp_path, "not a model file of incerta")
    refused(packed("[]", {}), tmp_path, "not a model file")
    empty = io.BytesIO()
    zipfile.ZipFile(empty, "w").close()
    refused(empty.getvalue(), tmp_path, r"has no manifest\.json")
    assert not (tmp_path / "trap").exists()


def test_a_newer_format_says_who_wrote_it(written, tmp_path):
    manifest, members = parts_of(written)
    manifest |= {"format_version": 3, "incerta": "2.0"}
    # Whatever else changed: a newer format may well be compressed.
    content = packed(manifest, {"else": b""} | members)
    match = f"written by incerta 2.0, format 3; this is incerta {ic.__version__}, which"
    refused(content, tmp_path, match)
    for never in (0, -1, "1", 1.0, None, True):
        refused(packed(manifest | {"format_version": never}, members), tmp_path)


def test_members_are_those_that_belong_there(written, tmp_path):
    manifest, members = parts_of(written)
    assert load_bytes(packed(manifest, members), tmp_path)
    names = list(members)
    first = members[names[0]]
    for name in ("../../evil.npy", "/etc/passwd", "arrays/../0.npy", "arrays/x.npy"):
        renamed = [(name, first), *list(members.items())[1:]]
        refused(packed(manifest, renamed), tmp_path, "belongs")
    extra = {**members, "../evil.txt": b"x"}
    refused(packed(manifest, extra), tmp_path, "holds '../evil.txt' where")
    fewer = dict(list(members.items())[:-1])
    refused(packed(manifest, fewer), tmp_path, "arrays are there")
    refused(packed(manifest | {"n_arrays": len(fewer)}, fewer), tmp_path, "missing")
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = packed(manifest, [*members.items(), (names[0], first)])
    refused(twice, tmp_path, r"holds 'arrays/0\.npy' where")
    assert not (tmp_path.parent / "evil.npy").exists()


def load_bytes(content, folder):
    path = folder / "model.incerta"
    path.write_bytes(content)
    return load(path)


def test_bombs(written, tmp_path, monkeypatch):
    manifest, members = parts_of(written)
    zeros = members | {"arrays/0.npy": as_npy(np.zeros(10**6))}
    refused(packed(manifest, zeros, zipfile.ZIP_DEFLATED), tmp_path, "compressed")
    # The list of members claims more than there is.
    swollen = bytearray(packed(manifest, members))
    at = swollen.rindex(b"PK\1\2")
    swollen[at + 20 : at + 28] = (2**31).to_bytes(4, "little") * 2
    refused(bytes(swollen), tmp_path, "claims to hold more")
    swollen[at + 24 : at + 28] = (2**30).to_bytes(4, "little")
    refused(bytes(swollen), tmp_path, "two sizes")
    path = tmp_path / "model.incerta"
    path.write_bytes(written)
    with pytest.raises(ModelFileError, match="more memory than the 1000 bytes"):
        load(path, max_bytes=1000)
    assert load(path, max_bytes=10**6)
    monkeypatch.setattr(files, "physical_bytes", lambda: 2000)
    with pytest.raises(ModelFileError, match="more memory than the 1000"):
        load(path)


def test_too_many_members_and_too_long_texts(written, tmp_path, monkeypatch):
    manifest, members = parts_of(written)
    with monkeypatch.context() as patch:
        patch.setattr(archive, "MOST_MEMBERS", 3)
        refused(written, tmp_path, "arrays, more than 2")
    with monkeypatch.context() as patch:
        patch.setattr(archive, "DIRECTORY_BYTES", 300)
        refused(written, tmp_path, "list of members of")
    with monkeypatch.context() as patch:
        patch.setattr(archive, "MOST_MANIFEST_BYTES", 100)
        refused(written, tmp_path, r"has a manifest\.json of")
    refused(packed("[" * 10**6, {}), tmp_path)
    deep = {"tuple": []}
    for _ in range(60):
        deep = {"tuple": [deep]}
    refused(packed(manifest | {"model": deep}, members), tmp_path, "deep")
    refused(packed('{"format": NaN}', {}), tmp_path, "NaN is not a number in JSON")
    refused(packed(b'{"format": "\xff"}', {}), tmp_path)
    refused(packed("1" * 5000, {}), tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "{'descr': '<f8', 'fortran_order': False, 'shape': (10000000000000000,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (2**62,)}",
        f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({2**61}, 8)}}",
        f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({2**64},)}}",
        f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({10**30}, 0)}}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, -1)}",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (10000000000,)}",
        "{'descr': '|V8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f16', 'fortran_order': False, 'shape': ()}",
        "{'descr': __import__('os').system('true'), 'fortran_order': 0, 'shape': ()}",
        "(" * 110,
        "nonsense",
    ],
)
def test_headers_of_arrays(text, written, tmp_path):
    manifest, members = parts_of(written)
    members["arrays/0.npy"] = header(text) + b"\0" * 8
    refused(packed(manifest, members), tmp_path)
    members["arrays/0.npy"] = header(text)
    refused(packed(manifest, members), tmp_path)


def test_arrays_that_are_none(written, tmp_path):
    manifest, members = parts_of(written)
    trap = np.array([Trap(tmp_path / "trap")], dtype=object)
    fine = members["arrays/0.npy"]
    for content, match in (
        (as_npy(trap, allow_pickle=True), "of type object"),
        (fine + b"\0", "bytes in arrays/0.npy"),
        (fine[:-1], "bytes in arrays/0.npy"),
        (as_npy(np.zeros(3), version=(2, 0)), "unknown format"),
        (b"", None),
        (b"\x93NUMPY", None),
        (pickle.dumps(Trap(tmp_path / "trap")), None),
    ):
        refused(packed(manifest, members | {"arrays/0.npy": content}), tmp_path, match)
    assert not (tmp_path / "trap").exists()


def test_one_wrong_bit_in_an_array_is_noticed(written, tmp_path):
    content = bytearray(written)
    content[content.index(b"NUMPY") + 130] ^= 1
    refused(bytes(content), tmp_path, "Bad CRC-32 for file 'arrays/0.npy'")


def changed(manifest, path, value):
    """Copy of a manifest with another value somewhere."""
    copy = json.loads(json.dumps(manifest))
    node = copy
    for key in path[:-1]:
        node = node[key]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return copy


STATE = ("model", "object", 1)
MODEL = (*STATE, "_model", "object", 1)


@pytest.mark.parametrize(
    ("path", "value", "match"),
    [
        (("model", "object", 0), "os.system", "class 'os.system' is unknown"),
        (("model", "object", 0), "Values", "unexpected keyword"),
        (("model", "object", 0), "KMeans", None),
        (("model",), {"tuple": [1]}, "it holds a tuple"),
        (("model",), {"array": 0}, "it holds a ndarray"),
        (("model",), {"pickle": "x"}, "pickle"),
        (("model",), {"tuple": [], "dict": []}, None),
        (("n_arrays",), None, "n_arrays"),
        ((*STATE, "labels_"), {"array": 99}, "array 99 is missing"),
        ((*STATE, "labels_"), {"array": True}, "missing"),
        ((*STATE, "labels_"), [1, 2], "labels_ is not an array"),
        ((*STATE, "predict"), {"array": 0}, "has no 'predict'"),
        ((*STATE, "__class__"), "x", "has no '__class__'"),
        ((*STATE, "__dict__"), {"dict": []}, "has no '__dict__'"),
        ((*STATE, "_validate_params"), 1, "has no '_validate_params'"),
        ((*STATE, "n_worlds"), -5, "n_worlds"),
        ((*STATE, "n_features_in_"), 5, "are not those of the model"),
        ((*STATE, "_model"), [], "the model holds no DenseClusters"),
        ((*MODEL, "worlds"), [], "worlds are of another type"),
        ((*MODEL, "min_samples"), "3", "not a whole number"),
        ((*STATE, "eps_"), {"number": ["O", 1]}, "not a type of number"),
        ((*STATE, "eps_"), {"float": "1e5"}, None),
        ((*STATE, "eps_"), {"dict": [["a", 1], ["a", 2]]}, "occurs twice"),
        ((*STATE, "eps_"), {"dict": [[[], 1]]}, "neither text nor a number"),
        ((*STATE, "eps_"), {"objects": [[2], [1]]}, "wrong shape"),
        ((*STATE, "eps_"), {"texts": [[1], 0, 0]}, "ends"),
        ((*STATE, "eps_"), {"object": ["RandomState", {}]}, None),
    ],
)
def test_manifests(path, value, match, written, tmp_path):
    manifest, members = parts_of(written)
    refused(packed(changed(manifest, path, value), members), tmp_path, match)


def test_ends_of_texts(tmp_path, written):
    manifest, members = parts_of(written)
    n = len(members)
    path = (*STATE, "eps_")
    encoded = changed(manifest, path, {"texts": [[2], n, n + 1]}) | {"n_arrays": n + 2}
    run = as_npy(np.frombuffer(b"abcd", np.uint8))
    for ends in ([5, 4], [2, 9], [-1, 4], [1, 2]):
        content = {
            f"arrays/{n}.npy": run,
            f"arrays/{n + 1}.npy": as_npy(np.array(ends)),
        }
        refused(packed(encoded, members | content), tmp_path, "wrong ends")


# things whose parts do not fit each other; those of data have tests of their own ------

GOOD = {
    "csr_array": {
        "data": np.ones(2),
        "indices": np.array([0, 1], np.int32),
        "indptr": np.array([0, 1, 2], np.int32),
        "shape": (2, 2),
    },
    "RandomState": {
        "key": np.arange(624, dtype=np.uint32),
        "pos": 3,
        "has_gauss": 0,
        "gauss": 0.0,
    },
}


@pytest.mark.parametrize("name", GOOD)
def test_parts_that_fit(name):
    registry.recipe_for(name).make(GOOD[name])


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("csr_array", {"indices": np.array([0, 7], np.int32)}),
        ("csr_array", {"indptr": np.array([0, 9, 2], np.int32)}),
        ("RandomState", {"pos": 10**6}),
        ("RandomState", {"key": np.arange(3, dtype=np.uint32)}),
    ],
)
def test_parts_that_do_not_fit(name, part):
    with pytest.raises((ValueError, TypeError)):
        registry.recipe_for(name).make(GOOD[name] | part)


def test_a_folder_is_never_followed(tmp_path):
    register_scikit_learn()
    for name in ("AgglomerativeClustering", "Pipeline"):
        with pytest.raises(registry.UnstorableError, match="never followed"):
            registry.recipe_for(name).make({"memory": str(tmp_path)})


def test_k_means_of_a_file_fits_its_compiled_code():
    register_scikit_learn()
    state = vars(KMeans(2, n_init=1).fit(np.arange(8.0).reshape(4, 2)))
    make_ = registry.recipe_for("KMeans").make
    assert make_(state | {"_n_threads": 10**9})._n_threads <= os.cpu_count()
    for centers in (np.zeros((2, 1)), np.zeros(2), np.zeros((2, 2), np.int64)):
        with pytest.raises(ValueError, match="cluster_centers_"):
            make_(state | {"cluster_centers_": centers})


def test_shapes_are_of_fields_that_exist():
    with pytest.raises(TypeError, match=r"Spot has no fields \{'size'\}"):

        @registry.stored(size="f n")
        class Spot(NamedTuple):
            place: object


def outcome(content, folder):
    """Whether a file loads; whatever is wrong with it must be a ModelFileError."""
    try:
        return load_bytes(content, folder)
    except ModelFileError:
        return None


fuzzed = examples(
    100,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@fuzzed
@given(data=st.data())
def test_flipped_bytes(data, written, tmp_path):
    content = bytearray(written)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at] = data.draw(st.integers(0, 255))
    outcome(bytes(content), tmp_path)


@fuzzed
@given(data=st.data())
def test_truncated_and_garbled_files(data, written, tmp_path):
    start = data.draw(st.integers(0, len(written)))
    stop = data.draw(st.integers(start, len(written)))
    middle = data.draw(st.binary(max_size=30))
    outcome(written[:start] + middle + written[stop:], tmp_path)
    if start < len(written):
        assert outcome(written[:start], tmp_path) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 30) | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["array", "object", "tuple", "dict", "texts", "number"]),
            inner,
            max_size=1,
        )
    ),
    max_leaves=5,
)


def places(node, path=()):
    """Every place in a JSON value."""
    yield path
    items = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    for key, inner in items:
        yield from places(inner, (*path, key))


@fuzzed
@given(data=st.data())
def test_changed_manifests(data, written, tmp_path):
    """Checksums are right, what is said is not: it works, or fails as models do."""
    manifest, members = parts_of(written)
    where = data.draw(st.sampled_from([p for p in places(manifest) if p]))
    value = data.draw(
        JSON | st.sampled_from([{"array": i} for i in range(len(members))])
    )
    model = outcome(packed(changed(manifest, where, value), members), tmp_path)
    if model is not None and manifest["model"]["object"][0] == type(model).__name__:
        used(model)


@fuzzed
@given(data=st.data())
def test_changed_arrays(data, written, tmp_path):
    manifest, members = parts_of(written)
    name = data.draw(st.sampled_from(sorted(members)))
    kinds = st.sampled_from([np.float64, np.int64, np.bool_, "<U2"])
    shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=6)
    members[name] = as_npy(data.draw(hnp.arrays(kinds, shapes)))
    model = outcome(packed(manifest, members), tmp_path)
    if model is not None:
        used(model)


def used(model):
    """Ask a model that may be nonsense; it may only fail as Python does."""
    try:
        with np.errstate(all="ignore"):
            if model.n_worlds < 1000:
                model.predict([[0.0, 0.0], [1.0, 1.0]])
    except Exception:
        return
