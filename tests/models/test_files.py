import json
import subprocess
import sys
import zipfile
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from sklearn.cluster import (
    DBSCAN,
    AffinityPropagation,
    AgglomerativeClustering,
    Birch,
    KMeans,
    MeanShift,
    MiniBatchKMeans,
)
from sklearn.exceptions import NotFittedError
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import incerta as ic
from incerta import published
from incerta.api.clustering import Clustering
from incerta.data.partitioned import PartitionedData
from incerta.estimators import __all__ as estimators
from incerta.exceptions import ModelFileError
from incerta.models import archive
from incerta.models.archive import Archive, write_archive
from incerta.models.files import FORMAT_VERSION, load, save
from incerta.models.values import Decoder, Encoder
from incerta.number.choose import choose_k
from tests.models.make_models import FOLDER, UNLIMITED, answers
from tests.strategies import KINDS, examples, make

KEYS = st.integers(1 - 2**53, 2**53 - 1)  # larger ones are refused
SMALL = {"n_clusters": 2, "n_worlds": 6, "n_representatives": 3, "random_state": 0}
CLUSTERERS = (
    KMeans(2, n_init=2),
    MiniBatchKMeans(2, n_init=2),
    DBSCAN(4.0, min_samples=2),
    AgglomerativeClustering(2),
    MeanShift(bandwidth=4.0),
    AffinityPropagation(),
    GaussianMixture(2, reg_covar=0.1),
    BayesianGaussianMixture(n_components=2, reg_covar=0.1),
    make_pipeline(StandardScaler(), KMeans(2, n_init=2)),
)
quietly = pytest.mark.filterwarnings("ignore::UserWarning")  # of fits, not of files


def two_groups(kind="gaussian", n=14, seed=0):
    data = make(kind, n, 2, seed)
    if kind in ("gaussian", "worlds"):
        apart = np.where(np.arange(n) % 2, 12.0, 0.0)[:, None]
        law = data.law
        moved = (
            type(law)(law.draws + apart)
            if kind == "worlds"
            else type(law)("gaussian", law.loc + apart, law.scale)
        )
        return ic.UncertainData(moved, data.ids, data.feature_names)
    return data


def small(name, **changed):
    if name == "WorldConsensus":
        return ic.WorldConsensus(KMeans(2, n_init=2), n_worlds=6, random_state=0)
    cls = getattr(published if name in published.__all__ else ic, name)
    taken = cls().get_params()
    given_ = {k: v for k, v in {**SMALL, **changed}.items() if k in taken}
    if name in ("FDBSCAN", "PDBSCAN", "SC"):
        given_ |= {"eps": 4.0, "min_samples": 2}
    return cls(**given_)


def there_and_back(model, folder):
    path = folder / "model.incerta"
    save(model, path)
    again = load(path)
    save(again, folder / "again.incerta")
    assert path.read_bytes() == (folder / "again.incerta").read_bytes()
    return again


def stored_of(model):
    """Names of what is fitted; others are for what is computed when asked for."""
    return {name for name in vars(model) if name.endswith("_") or name == "_model"}


def assert_alike(model, again, new):
    """The same to the last bit, before and after anything lazy was computed."""
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.predict(new), model.predict(new))
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    for name in ("labels_", "membership_", "confidence_", "labels_per_world_"):
        if hasattr(model, name):
            np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    assert str(again.get_params()) == str(model.get_params())
    assert stored_of(again) == stored_of(model)


# there and back ----------------------------------------------------------------------


@quietly
@pytest.mark.parametrize("name", [*estimators, *published.__all__])
def test_every_estimator_comes_back(name, tmp_path):
    model = small(name).fit(two_groups())
    again = there_and_back(model, tmp_path)
    assert_alike(model, again, make("gaussian", 5, 2, 1))


@quietly
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["RPC", "UKMeans", "FDBSCAN"])
def test_every_kind_of_data_comes_back(kind, name, tmp_path):
    model = small(name).fit(two_groups(kind))
    again = there_and_back(model, tmp_path)
    assert_alike(model, again, make("gaussian", 5, 2, 1))
    assert_alike(model, again, make(kind, 5, 2, 1))


@quietly
@pytest.mark.parametrize("clusterer", CLUSTERERS, ids=lambda c: type(c).__name__)
def test_clusterers_of_scikit_learn_come_back(clusterer, tmp_path):
    model = ic.WorldConsensus(clusterer, n_worlds=3, random_state=0).fit(two_groups())
    again = there_and_back(model, tmp_path)
    assert_alike(model, again, make("gaussian", 5, 2, 1))
    assert str(again.instability(2, 2)) == str(model.instability(2, 2))


@quietly
def test_soft_consensus_comes_back(tmp_path):
    mixture = GaussianMixture(2, reg_covar=0.1)
    model = ic.WorldConsensus(mixture, n_worlds=3, soft=True, random_state=0)
    again = there_and_back(model.fit(two_groups()), tmp_path)
    assert_alike(model, again, make("gaussian", 5, 2, 1))


def test_a_clustering_comes_back(tmp_path):
    data = two_groups("gaussian", 30)
    scaler = ic.Standardizer().fit(data)
    scaled = scaler.transform(data)
    result = Clustering(
        data=data,
        estimator=ic.UKMeans(2, random_state=3).fit(scaled),
        method="UKMeans",
        reasons=("Two groups.", "<script>alert(1)</script> \u202e"),
        seed=3,
        scaler=scaler,
        choice=choose_k(scaled, [1, 2, 3], random_state=0),
        warnings=("A warning.",),
        command="incerta fit",
    )
    again = there_and_back(result, tmp_path)
    assert again.explain() == result.explain()
    assert str(again.choice) == str(result.choice)
    assert (again.seed, again.command, again.versions) == (
        3,
        "incerta fit",
        again.versions,
    )
    for name, column in result.columns().items():
        np.testing.assert_array_equal(again.columns()[name], column)
    np.testing.assert_array_equal(again.scaler.transform(data).mean(), scaled.mean())


def test_a_standardizer_comes_back(tmp_path):
    data = make("samples")
    scaler = ic.Standardizer(spread="total").fit(data)
    again = there_and_back(scaler, tmp_path)
    np.testing.assert_array_equal(
        again.transform(data).mean(), scaler.transform(data).mean()
    )


@pytest.mark.parametrize(
    "ids",
    [
        np.array(["a", "", "ü" * 10_000, "\ud800", "<script>", "\0x\0"], dtype=object),
        np.array(["a", "b", "c", "d", "e", "\u202e"]),
        np.arange("2026-01-01", "2026-01-07", dtype="datetime64[D]"),
        np.array([b"a", b"b", b"c", b"d", b"e", b"f"]),
        np.array([1.5, 2.5, 3.5, 4.5, 5.5, -0.0], dtype=">f4"),
    ],
    ids=["objects", "texts", "dates", "bytes", "numbers"],
)
def test_names_come_back(ids, tmp_path):
    data = make("gaussian", 6)
    names = ("m²", "x" * 300)
    data = ic.UncertainData(data.law, ids, names, "polars")
    rpc = ic.RPC(2, 4, 2, random_state=0).fit(data)
    again = there_and_back(rpc, tmp_path)._model.worlds.data
    assert again.ids.dtype == ids.dtype
    assert again.ids.tolist() == sorted(ids.tolist())  # fits go along the ids
    assert (again.feature_names, again.library) == (names, "polars")


def test_partial_fit_goes_on(tmp_path):
    pieces = [two_groups(seed=seed) for seed in range(4)]
    model = ic.UKMeans(2, random_state=0)
    for piece in pieces[:2]:
        model.partial_fit(piece)
    again = there_and_back(model, tmp_path)
    for piece in pieces[2:]:
        model.partial_fit(piece)
        again.partial_fit(piece)
    np.testing.assert_array_equal(again.cluster_centers_, model.cluster_centers_)


def test_partitioned_data_are_not_stored_but_what_was_found_is(tmp_path):
    data = two_groups()
    parted = PartitionedData((data[:6], data[6:]), data.feature_names)
    model = ic.UKMeans(2, random_state=0).fit(parted)
    save(model, tmp_path / "model.incerta")
    again = load(tmp_path / "model.incerta")
    for name in ("labels_", "membership_", "ids_", "objective_", "inertia_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    np.testing.assert_array_equal(again.predict(data), model.predict(data))


@pytest.mark.parametrize(
    "source", [np.random.RandomState(3), np.random.default_rng(3), np.int64(3)]
)
def test_sources_of_random_numbers_go_on(source, tmp_path):
    model = ic.UKMeans(2, random_state=source).fit(two_groups())
    again = there_and_back(model, tmp_path)
    assert type(again.random_state) is type(source)
    new = two_groups(seed=1)
    assert again.fit(new).seed_ == model.fit(new).seed_


def test_order_in_memory_is_kept_and_a_shared_array_is_held_once(tmp_path):
    table = np.arange(12.0).reshape(3, 4)
    values = [table, table.T, table[:, ::2], table[:], np.array(5.0), np.empty((0, 3))]
    encoder = Encoder()
    encoded = encoder.encode(values)
    assert len(encoder.arrays) == 5
    write_archive(tmp_path / "a", encoded, encoder.arrays)
    with Archive(tmp_path / "a", 10**6) as archive:
        again = Decoder(archive.arrays(), archive.budget).decode(archive.manifest())
    for old, new in zip(values, again, strict=True):
        np.testing.assert_array_equal(new, old)
        assert new.shape == old.shape
        assert new.flags.writeable
    assert again[1].flags.f_contiguous
    assert again[0] is again[3]


def test_a_square_and_its_transpose_are_two():
    square = np.arange(9.0).reshape(3, 3)
    encoder = Encoder()
    encoded = encoder.encode([square, square.T])
    first, second = Decoder(encoder.arrays, UNLIMITED).decode(encoded)
    np.testing.assert_array_equal(first, second.T)


def test_nothing_in_a_file_says_when_it_was_written(tmp_path):
    write_archive(tmp_path / "a", {}, [np.zeros(2)])
    with zipfile.ZipFile(tmp_path / "a") as file:
        dates = {member.date_time for member in file.infolist()}
    assert dates == {(1980, 1, 1, 0, 0, 0)}


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(), max_size=5)
    | st.floats(width=32).map(np.float32)
    | st.integers(0, 2**64 - 1).map(np.uint64)
    | st.booleans().map(np.bool_)
    | st.text(max_size=3).map(np.str_)
    | hnp.arrays(
        st.sampled_from([np.float64, np.int32, np.bool_, "<U3", "M8[s]", np.complex64]),
        hnp.array_shapes(min_dims=0, min_side=0, max_side=3),
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=2) | KEYS, inner, max_size=3)
    ),
    max_leaves=6,
)


def spelled(value):
    """A value with all its types, to compare."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [spelled(v) for v in value]
    if isinstance(value, dict):
        return [(spelled(k), spelled(v)) for k, v in value.items()]
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    return type(value).__name__, repr(value)


@examples(30)
@given(PLAIN)
def test_plain_values_come_back(value):
    encoder = Encoder()
    text = json.dumps(encoder.encode(value), allow_nan=False)
    again = Decoder(encoder.arrays, UNLIMITED).decode(json.loads(text))
    assert spelled(again) == spelled(value)


# what cannot be stored ---------------------------------------------------------------


class Own(KMeans):
    """A clusterer of a user."""


def test_an_unknown_thing_is_named_with_the_way_out(tmp_path):
    path, data = tmp_path / "model.incerta", two_groups()
    far = partial(ic.divergence.energy)
    rpc = ic.RPC(2, 4, 2, divergence=far, random_state=0).fit(data)
    with pytest.raises(ModelFileError, match=r"RPC\.divergence, a partial, is a func"):
        save(rpc, path)
    own = ic.WorldConsensus(Own(2), n_worlds=2, random_state=0).fit(data)
    with pytest.raises(
        ModelFileError, match=r"\._model\.models\[0\], a Own, .*KMeans or Gau"
    ):
        save(own, path)
    cached = ic.WorldConsensus(
        AgglomerativeClustering(2, memory=str(tmp_path / "cache")), n_worlds=2
    ).fit(data)
    with pytest.raises(ModelFileError, match="memory names a folder"):
        save(cached, path)
    assert not path.exists()


def test_birch_is_stored_without_its_trees(tmp_path):
    path, data = tmp_path / "model.incerta", two_groups()
    model = ic.WorldConsensus(Birch(n_clusters=2), n_worlds=2, random_state=0)
    save(model.fit(data), path)
    again = load(path)
    np.testing.assert_array_equal(again.predict_proba(data), model.predict_proba(data))
    assert not hasattr(again._model.models[0], "root_")


def test_a_distribution_without_a_name_is_refused(tmp_path):
    counts = np.histogram([1.0, 2.0, 2.0, 3.0], bins=3)
    rows = [[stats.rv_histogram(counts)], [stats.norm(9.0)], [stats.norm(8.0)]]
    model = ic.UKMedoids(2, random_state=0).fit(ic.from_distributions(rows))
    with pytest.raises(
        ModelFileError, match=r"_model\.groups\[1\]\.members\[0\], a rv_hist.* values"
    ):
        save(model, tmp_path / "model.incerta")
    rows = [stats.dirichlet([1.0, i]) for i in (1, 2, 3)]
    model = ic.UKMedoids(2, random_state=0).fit(ic.from_distributions(rows))
    with pytest.raises(ModelFileError, match=r"members\[0\], a diric.* \(from_array"):
        save(model, tmp_path / "model.incerta")


def test_only_fitted_models_are_saved(tmp_path):
    with pytest.raises(NotFittedError):
        save(ic.UKMeans(2), tmp_path / "model.incerta")
    with pytest.raises(TypeError, match="is a KMeans; save takes fitted"):
        save(KMeans(2), tmp_path / "model.incerta")
    assert not list(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_says_so(tmp_path):
    model = small("UKMeans").fit(two_groups())
    missing = tmp_path / "none" / "model.incerta"
    with pytest.raises(ModelFileError, match=r"cannot write .*none.model.incerta: No"):
        save(model, missing)
    (tmp_path / "file").write_text("")
    with pytest.raises(ModelFileError, match="cannot write"):
        save(model, tmp_path / "file" / "model.incerta")


@pytest.mark.parametrize("error", [OSError(28, "No space left"), KeyboardInterrupt])
def test_nothing_is_half_written(error, tmp_path, monkeypatch):
    path = tmp_path / "model.incerta"
    model = small("UKMeans").fit(two_groups())
    path.write_bytes(b"what was there")

    def fail(*args, **kwargs):
        raise error

    monkeypatch.setattr(archive.npy, "write_array", fail)
    with pytest.raises((ModelFileError, KeyboardInterrupt)):
        save(model, path)
    assert [p.name for p in tmp_path.iterdir()] == ["model.incerta"]
    assert path.read_bytes() == b"what was there"


def test_files_beyond_four_gigabytes(tmp_path, monkeypatch):
    # What zipfile does beyond this limit it does here beyond a thousand bytes.
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 1000)
    model = small("FDBSCAN").fit(two_groups())
    again = there_and_back(model, tmp_path)
    assert b"PK\6\7" in (tmp_path / "model.incerta").read_bytes()
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_too_much_for_one_file(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MOST_MEMBERS", 3)
    with pytest.raises(ModelFileError, match="Fit with fewer worlds"):
        save(small("UKMeans").fit(two_groups()), tmp_path / "model.incerta")


# stored models of all versions -------------------------------------------------------


def test_there_is_a_stored_model_of_this_format():
    stored = {p.name for p in (FOLDER / f"v{FORMAT_VERSION}").glob("*.incerta")}
    names = {"Clustering", "FDBSCAN", "RPC", "UKMeans"}
    assert stored == {f"{name}.incerta" for name in names}


@pytest.mark.parametrize(
    "path",
    sorted(FOLDER.glob("v*/*.incerta")),
    ids=lambda path: f"{path.parent.name}-{path.stem}",
)
def test_models_of_all_versions_load(path):
    model = load(path)
    assert type(model).__name__ == path.stem
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    for name, found in answers(model).items():
        np.testing.assert_allclose(found, expected[name], atol=1e-9, err_msg=name)
    fitted = getattr(model, "estimator", model)
    assert fitted.feature_names_in_.tolist() == ["mass", "light"]


def test_loaded_by_a_process_that_never_named_the_class(tmp_path):
    values, classes = [[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]], [0, 0, 0, 1, 1, 1]
    names = ["ErrorDiscriminant", "UncertainNaiveBayes", "UMicro", "StreamRPC"]
    for name in names:
        getattr(ic, name)().fit(values, classes).save(tmp_path / name)
    code = (
        "import sys, incerta as ic\n"
        "print(*(type(ic.load(path)).__name__ for path in sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *(tmp_path / name for name in names)],
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == names, done.stderr
