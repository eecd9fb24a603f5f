"""Sets from a data folder, and from public files rebuilt from that folder."""

import gzip
import hashlib
import io
import warnings
import zipfile
from dataclasses import replace

import numpy as np
import pytest

from incerta.data import UncertainData
from incerta.exceptions import IncertaWarning
from paper.datasets import (
    fetch_ecoli,
    fetch_image,
    fetch_kepler,
    fetch_libras,
    fetch_movement,
    fetch_nba,
    fetch_usps,
    fetch_waveform,
    formats,
)
from paper.datasets.formats import usps_sample
from paper.datasets.sources import SOURCES
from paper.datasets.tables import FetchError, Table, read_columns

EXACT = {
    "ecoli": fetch_ecoli,
    "image": fetch_image,
    "libras": fetch_libras,
    "waveform": fetch_waveform,
}
EVERY = EXACT | {
    "usps929": fetch_usps,
    "usps": lambda: fetch_usps(subset=False),
    "movement": fetch_movement,
    "nba": fetch_nba,
    "kepler": fetch_kepler,
    "kepler600": lambda: fetch_kepler(draws=True),
}


def as_table(dataset):
    """What a data set holds, as the table it was made from."""
    if not isinstance(dataset.data, UncertainData):
        return Table(dataset.data, dataset.target)
    if dataset.data.kind == "gaussian":
        law = dataset.data.law
        return Table(law.loc, dataset.target, errors=law.scale)
    law = dataset.data.law
    return Table(
        law.values, dataset.target, np.repeat(np.arange(len(law.counts)), law.counts)
    )


@pytest.mark.usefixtures("data_folder")
@pytest.mark.parametrize("name", EVERY)
def test_sets_of_the_folder_are_the_recorded_ones(name):
    dataset = EVERY[name]()
    expected = SOURCES[name].expected
    assert expected.differences(as_table(dataset)) == []
    assert len(dataset.target_names) == len(expected.class_counts)
    assert len(dataset.feature_names) == expected.shape[1]
    assert all(
        len(column) == len(dataset.target) for column in dataset.objects.values()
    )
    assert "Cite" in dataset.description or name == "nba"


@pytest.mark.usefixtures("data_folder")
def test_side_columns():
    assert fetch_movement().objects["environment_id"].max() == 3
    nba = fetch_nba()
    assert nba.data.ids[0] == "Russell Westbrook"
    assert set(nba.objects["position_group"]) == {"guard", "forward", "center"}
    assert fetch_kepler(draws=True).data.ids[0] == "K00751.01"


def test_the_sample_of_usps_follows_the_stated_rule(data_folder):
    full = fetch_usps(subset=False)
    rows = usps_sample(full.target)
    recorded = read_columns(data_folder / "usps929_rows.csv.gz")["source_row"]
    assert rows.tolist() == recorded.astype(int).tolist()
    sample = fetch_usps()
    np.testing.assert_array_equal(sample.data, full.data[rows])


def test_fingerprints_ignore_order_and_format_but_no_value():
    rng = np.random.default_rng(0)
    values, target = rng.normal(size=(20, 3)).round(4), rng.integers(3, size=20)
    mark = Table(values, target).fingerprint(4)
    order = rng.permutation(20)
    assert Table(values[order], target[order]).fingerprint(4) == mark
    assert Table(values.astype(np.float32).astype(float), target).fingerprint(4) == mark
    values[7, 1] += 1e-4
    assert Table(values, target).fingerprint(4) != mark


@pytest.fixture
def public(web, lonely, monkeypatch):
    """Serve bytes as the public file of a set; give back where they are cached."""

    def public(name, body):
        source = SOURCES[name]
        known = source.remote.sha256 is not None
        remote = replace(
            source.remote,
            url=f"{web.url}/{name}?query=x",
            sha256=hashlib.sha256(body).hexdigest() if known else None,
            max_bytes=max(source.remote.max_bytes, len(body)),
        )
        monkeypatch.setitem(SOURCES, name, replace(source, remote=remote))
        web.files[f"/{name}?query=x"] = body
        return lonely / "home" / ".cache" / "incerta" / remote.file

    return public


def pmlb(values, codes):
    """A table as PMLB writes it, in an order of its own."""
    order = np.random.default_rng(0).permutation(len(values))
    lines = ["\t".join([*(f"c{i}" for i in range(values.shape[1])), "target"])]
    lines += ["\t".join([*map(repr, values[i].tolist()), str(codes[i])]) for i in order]
    return gzip.compress("\n".join(lines).encode())


@pytest.fixture
def recorded(data_folder):
    """The sets as the folder has them, loaded before the folder is hidden."""
    return {name: EVERY[name]() for name in EXACT}


@pytest.mark.parametrize("name", ["ecoli", "waveform"])
def test_pmlb_classes_are_recognized_by_size(recorded, public, web, lonely, tree, name):
    ours = recorded[name]
    codes = np.array([7, 2, 9, 4, 1])[ours.target]
    cached = public(name, pmlb(ours.data, codes))
    theirs = EXACT[name](progress=False)
    assert SOURCES[name].expected.differences(as_table(theirs)) == []
    assert theirs.target_names == ours.target_names
    # The second time nothing is asked for, and only the cache was written to.
    EXACT[name]()
    assert len(web.requests) == 1
    assert [path for path in tree(lonely) if path.endswith(cached.name)] == [
        str(cached.relative_to(lonely))
    ]
    assert tree(lonely / "cwd") == tree(lonely / "cache") == []


@pytest.mark.parametrize("name", ["image", "libras"])
def test_pmlb_classes_of_equal_size_keep_their_codes(recorded, public, name):
    ours = recorded[name]
    public(name, pmlb(ours.data, ours.target + 1))
    theirs = EXACT[name]()
    assert SOURCES[name].expected.differences(as_table(theirs)) == []
    assert theirs.target_names == tuple(
        str(i + 1) for i in range(len(ours.target_names))
    )


def test_a_cache_of_ones_own(recorded, public, lonely, tree):
    public("ecoli", pmlb(recorded["ecoli"].data, recorded["ecoli"].target))
    fetch_ecoli(cache=lonely / "cache")
    assert tree(lonely / "cache") == ["pmlb-ecoli.tsv.gz"]
    assert tree(lonely / "home") == []


def test_a_spoiled_cache_is_fetched_again(recorded, public, web):
    cached = public("ecoli", pmlb(recorded["ecoli"].data, recorded["ecoli"].target))
    cached.parent.mkdir(parents=True)
    cached.write_bytes(b"spoiled")
    assert fetch_ecoli().data.shape == (327, 7)
    assert len(web.requests) == 1


def test_a_table_of_other_classes_is_refused(recorded, public):
    ours = recorded["ecoli"]
    target = ours.target.copy()
    target[0] = 4
    cached = public("ecoli", pmlb(ours.data, target))
    with pytest.raises(FetchError, match=r"its classes have .*Set INCERTA_DATA"):
        fetch_ecoli()
    assert not cached.exists()


def movement_zip(dataset, *, nested=False, folder="", change=None):
    """The archive of UCI's set 348."""
    law, objects = dataset.data.law, dataset.objects
    members = {}
    for i in range(314):
        rows = law.values[law.starts[i] : law.starts[i + 1]]
        lines = [",".join(map(repr, row)) for row in rows.tolist()]
        head = "#RSS_anchor1, RSS_anchor2, RSS_anchor3, RSS_anchor4"
        name = f"{folder}dataset/MovementAAL_RSS_{i + 1}.csv"
        members[name] = "\n".join([head, *lines, ""])
    for name, head, column in (
        ("dataset/MovementAAL_target", "class_label", "room_change"),
        ("groups/MovementAAL_DatasetGroup", "dataset_ID", "environment_id"),
        ("groups/MovementAAL_Paths", "path_ID", "path_id"),
    ):
        lines = [f"{i + 1}, {value}" for i, value in enumerate(objects[column])]
        members[f"{folder}{name}.csv"] = "\n".join([f"#sequence_ID, {head}", *lines])
    members |= change or {}
    return zipped({"MovementAAL.zip": zipped(members)} if nested else members)


def zipped(members):
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return body.getvalue()


@pytest.fixture
def movement(data_folder):
    return fetch_movement()


@pytest.mark.parametrize("nested", [False, True])
def test_movement_from_the_archive(movement, public, lonely, tree, nested):
    public("movement", movement_zip(movement, nested=nested, folder="../../evil/"))
    theirs = fetch_movement()
    assert SOURCES["movement"].expected.differences(as_table(theirs)) == []
    for name, column in movement.objects.items():
        np.testing.assert_array_equal(theirs.objects[name], column)
    assert not any("evil" in path for path in tree(lonely))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"dataset/MovementAAL_RSS_7.csv": "#h\n0.1,0.2,0.3,0.4\n"}, "its shape is"),
        ({"dataset/MovementAAL_RSS_7.csv": "0" * 1_000_001}, "more than 1000000"),
        ({"groups/MovementAAL_Paths.csv": "#h, h\n2, 1\n1, 1"}, "not numbered 1 to 2"),
        ({"dataset/MovementAAL_RSS_7.csv": "#h\nno,num,ber,s"}, "cannot be read"),
    ],
)
def test_a_tampered_archive_is_refused(movement, public, change, words):
    cached = public("movement", movement_zip(movement, change=change))
    with pytest.raises(FetchError, match=words):
        fetch_movement()
    assert not cached.exists()


@pytest.mark.parametrize(
    "body",
    [b"<html>sorry</html>", zipped({"a.txt": "a"})],
    ids=["page", "archive"],  # not its bytes: they hold the time
)
def test_another_file_is_refused(public, body):
    public("movement", body)
    with pytest.raises(FetchError, match=r"cannot be read: .*Set INCERTA_DATA"):
        fetch_movement()


def test_one_changed_value_is_refused(movement, public):
    member = "dataset/MovementAAL_RSS_1.csv"
    with zipfile.ZipFile(io.BytesIO(movement_zip(movement))) as archive:
        text = archive.read(member).decode().replace("-0.90476", "-0.90477", 1)
    public("movement", movement_zip(movement, change={member: text}))
    with pytest.raises(FetchError, match="but its values differ"):
        fetch_movement()


@pytest.fixture
def usps(data_folder):
    return fetch_usps(subset=False)


def arff(dataset, order=slice(None)):
    """The file of OpenML's set 41082."""
    body = io.StringIO()
    body.write("% USPS\n@relation USPS\n\n@attribute int0 {1,2,3,4,5,6,7,8,9,10}\n")
    body.writelines(f"@attribute double{i + 1} real\n" for i in range(256))
    body.write("\n@data\n")
    gray = np.rint(dataset.data * 2000).astype(int) - 1000
    words = np.array([repr(step / 1000) for step in range(-1000, 1001)])[gray + 1000]
    for label, row in zip(dataset.target[order] + 1, words[order], strict=True):
        body.write(f"{label},{','.join(row)}\n")
    return body.getvalue().encode()


def test_usps_from_arff(usps, public, web):
    public("usps", arff(usps))
    assert SOURCES["usps929"].expected.differences(as_table(fetch_usps())) == []
    full = fetch_usps(subset=False)
    np.testing.assert_array_equal(full.data, usps.data)
    np.testing.assert_array_equal(full.target, usps.target)
    assert len(web.requests) == 1


def test_usps_in_another_order_is_told(usps, public):
    public("usps", arff(usps, slice(None, None, -1)))
    with pytest.warns(IncertaWarning, match="another order") as told:
        assert fetch_usps().data.shape == (929, 256)
    assert told[0].filename == __file__


def test_tampered_usps_is_refused(usps, public):
    public("usps", arff(usps).replace(b"0.862", b"0.861", 1))
    with pytest.raises(FetchError, match="but its values differ"):
        fetch_usps()


def tap(dataset, rows=slice(None)):
    """The answer of the Exoplanet Archive, with rows that must be left out."""
    values, errors = dataset.data.law.loc[rows], dataset.data.law.scale[rows]
    head, columns = ["kepoi_name", "koi_disposition"], []
    for j, (name, unit) in enumerate(formats.KEPLER_COLUMNS.items()):
        head += [name, f"{name}_err1", f"{name}_err2"]
        if unit is None:
            value = 10 ** values[:, j]
            spread = errors[:, j] * value * np.log(10)
        else:
            value, spread = values[:, j] * unit, errors[:, j] * unit
        columns += [value, spread * 1.5, -spread * 0.5]
    names = [["FALSE POSITIVE", "CONFIRMED"][label] for label in dataset.target[rows]]
    lines = [
        f'"K{i:05}.01",{name},' + ",".join(map(repr, row.tolist()))
        for i, (name, row) in enumerate(
            zip(names, np.column_stack(columns), strict=True)
        )
    ]
    good = lines[0].split(",")
    candidate = [good[0], "CANDIDATE", *good[2:]]
    lacking = [*good[:3], "", *good[4:]]
    exact = [*good[:3], "0.0", *good[4:]]
    vague = [*good[:-2], "5.0", "-5.0"]
    flat = [*good[:2], "0.0", *good[3:]]
    more = [",".join(row) for row in (candidate, lacking, exact, vague, flat)]
    return "\n".join([",".join(head), *lines, *more, ""]).encode()


@pytest.fixture
def kepler(data_folder):
    return fetch_kepler()


def test_kepler_from_the_archive(kepler, public):
    public("kepler", tap(kepler))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it is the recorded table: nothing to tell
        theirs = fetch_kepler()
    assert theirs.data.ids[:2].tolist() == ["K00000.01", "K00001.01"]
    assert theirs.data.shape == (6634, 6)


def test_a_changed_kepler_table_is_told(kepler, public):
    public("kepler", tap(kepler, slice(100)))
    words = r"its shape is \(100, 6\), not \(6634, 6\)"
    with pytest.warns(IncertaWarning, match=words) as told:
        assert len(fetch_kepler().data) == 100
    assert told[0].filename == __file__


def test_an_error_page_is_no_kepler_table(public):
    cached = public("kepler", b"<VOTABLE>\nERROR: ORA-00904\n</VOTABLE>\n")
    with pytest.raises(FetchError, match="no columns kepoi_name"):
        fetch_kepler()
    assert not cached.exists()
