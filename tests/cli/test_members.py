"""``incerta members``: a table of stars, and what is said of the group in it."""

import csv
import io
import json

import numpy as np
import pytest

import incerta as ic

ASKED = ("--id", "star", "--values", "ra,dec,speed", "--errors", "{}_error")
NAMES = ["ra", "dec", "speed"]


@pytest.fixture(scope="module")
def stars(tmp_path_factory):
    rng = np.random.default_rng(0)
    truth = np.vstack(
        [rng.normal(size=(300, 3)), [0.5, 0.5, 1] + 0.05 * rng.normal(size=(30, 3))]
    )
    values = truth + 0.03 * rng.normal(size=truth.shape) + [0.0, 10.0, 0.0]
    values[:, 0] %= 360.0
    path = tmp_path_factory.mktemp("sky") / "stars.csv"
    head = "star,ra,dec,speed,ra_error,dec_error,speed_error"
    lines = [
        f"S{i},{','.join(f'{v:.4f}' for v in row)},0.03,0.03,0.03"
        for i, row in enumerate(values)
    ]
    path.write_text("\n".join([head, *lines]) + "\n")
    return path


def test_the_table_is_that_of_python(call, stars):
    done = call("members", stars, *ASKED, "--sky", "ra, dec")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    data = ic.read_table(stars, id="star", values=NAMES, errors="{}_error")
    found = ic.members(data, sky=("ra", "dec"))
    columns = found.columns()
    assert list(rows[0]) == list(columns)
    assert [row["id"] for row in rows] == columns["id"].tolist()
    told = [float(row["probability"]) for row in rows]
    np.testing.assert_allclose(told, columns["probability"])


def test_what_is_said_fits_the_terminal(call, stars):
    told = call("members", stars, *ASKED, "--sky", "ra,dec").stderr
    assert max(map(len, told.splitlines())) <= 80
    assert "1 group in a field of 1 broad Gaussian was found" in told
    assert [line.split()[0] for line in told.splitlines()[-3:]] == NAMES
    assert call("members", stars, *ASKED, "-q").stderr == ""


def test_folder_holds_the_answer(call, stars, tmp_path):
    folder = tmp_path / "out"
    more = ("--groups", "1", "--seed", "3", "--level", "0.01", "--field", "uniform")
    call("members", stars, *ASKED, "--sky", "ra,dec", *more, "-o", folder)
    files = ["members.incerta", "summary.json", "table.csv"]
    assert sorted(path.name for path in folder.iterdir()) == files
    found = ic.load(folder / "members.incerta")
    assert (found.seed, found.level, found.field) == (3, 0.01, "uniform")
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["field"] == "uniform"
    assert len(summary["groups"]) == found.n_groups == 1
    assert summary["groups"][0]["mean"]["dec"] == found.groups[0].mean[1]


def test_what_cannot_be_asked(call, stars):
    done = call("members", stars, *ASKED, "--groups", "0", code=2)
    assert "'0' is neither a whole number" in done.stderr
    done = call("members", stars, *ASKED, "--level", "2", code=2)
    assert "2.0 does not lie between 0 and 1" in done.stderr
