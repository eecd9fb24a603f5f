"""Tables in which more than one column could name the objects, from a cold shell."""

import csv
import shlex
from pathlib import Path

import pytest

from incerta.cli.app import app
from tests.runner import Runner

FILES = Path(__file__).parent / "objects"
QUICK = ("-k", "2", "--method", "UKMeans")


def call(*words, code=0):
    done = Runner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done


def offered(told):
    commands = told.partition("Choose:\n")[2].replace("\\\n", " ").splitlines()
    return [shlex.split(line)[1:] for line in commands if line.startswith("  incerta")]


def changed(tmp_path, name, change):
    with (FILES / name).open(newline="") as file:
        head, *rows = csv.reader(file)
    path = tmp_path / name
    with path.open("w", newline="") as out:
        csv.writer(out).writerows(change(head, rows))
    return path


def test_oils_are_named_by_their_number_not_by_their_country():
    done = call("fit", FILES / "olive.csv", *QUICK)
    first, *others = done.stderr.splitlines()
    assert first == "60 objects, named by oil."
    assert "Guessed: --id oil --values w800.0,w802.1," in " ".join(others)
    assert "--weight" not in done.stderr
    assert len(done.stdout.splitlines()) == 61
    told = call("info", FILES / "olive.csv").stdout.splitlines()
    assert "60 objects, named by oil." in told


@pytest.mark.parametrize("order", [1, -1])
def test_oils_in_any_order_of_rows_and_columns(tmp_path, order):
    def one_row_each(head, rows):
        return [
            [head[1], head[0], *head[2:]],
            *([row[1], row[0], *row[2:]] for row in rows[::2][::order]),
        ]

    path = changed(tmp_path, "olive.csv", one_row_each)
    done = call("fit", path, *QUICK)
    assert "--id oil" in done.stderr
    assert len(done.stdout.splitlines()) == 61


def test_codes_that_may_name_rows_are_asked_about(tmp_path):
    def with_codes(head, rows):
        codes = [int(row[0]) ** 2 * 7 for row in rows[::2]]
        return [head, *([c, *row[1:]] for c, row in zip(codes, rows[::2], strict=True))]

    path = changed(tmp_path, "olive.csv", with_codes)
    done = call("fit", path, *QUICK, code=2)
    assert "country and oil may name the objects" in " ".join(done.stderr.split())
    sizes = []
    for words in offered(done.stderr):
        sizes.append(len(call(*words, *QUICK, "-q").stdout.splitlines()) - 1)
    assert sizes == [4, 60]


@pytest.mark.parametrize(("name", "sizes"), [("No.", [4, 60]), ("sample_no", [60])])
def test_numbers_of_rows_are_not_passed_over_for_countries(tmp_path, name, sizes):
    def renamed(head, rows):
        return [[name, *head[1:]], *rows[::2]]

    path = changed(tmp_path, "olive.csv", renamed)
    done = call("fit", path, *QUICK, "-q", code=2 if len(sizes) > 1 else 0)
    if len(sizes) == 1:
        assert len(done.stdout.splitlines()) - 1 == sizes[0]
        return
    found = [call(*words, *QUICK, "-q").stdout for words in offered(done.stderr)]
    assert [len(table.splitlines()) - 1 for table in found] == sizes


def test_numbers_of_rows_and_groups_are_no_features(tmp_path):
    def numbered(head, rows):
        rows = [
            [f"s{i}", *row[2:], i + 1, i // 30, i % 2] for i, row in enumerate(rows)
        ]
        return [["star", *head[2:], "n", "block", "half"], *rows]

    told = call("fit", changed(tmp_path, "olive.csv", numbered), *QUICK).stderr
    told = " ".join(told.split())
    assert "n (it numbers the rows)" in told
    assert "block (it numbers groups of rows)" in told
    assert "half (it numbers groups of rows)" in told


@pytest.mark.parametrize("same", [False, True])
def test_wells_of_plates_are_asked_about(tmp_path, same):
    def alike(head, rows):
        return [head, *([*row[:2], *rows[i % 40][2:]] for i, row in enumerate(rows))]

    path = changed(tmp_path, "plate.csv", alike) if same else FILES / "plate.csv"
    done = call("fit", path, *QUICK, code=2)
    assert "well is a place on plate" in done.stderr
    assert "concentration" not in done.stderr.partition("Choose:")[2]
    sizes = []
    for words in offered(done.stderr):
        told = call(*words, *QUICK, "-q").stdout
        sizes.append(len(told.splitlines()) - 1)
    assert sizes == [40, 4, 160]
    assert "treatment      text" in call("info", path).stdout


def test_wells_of_one_plate_are_asked_about_where_they_were_treated(tmp_path):
    def one(head, rows):
        return [head, *rows[:40]]

    def untreated(head, rows):
        return [[*head[:2], *head[4:]], *([*r[:2], *r[4:]] for r in rows[:40])]

    done = call("fit", changed(tmp_path, "plate.csv", one), *QUICK, code=2)
    assert "well and treatment may name the objects" in " ".join(done.stderr.split())
    assert "concentration" not in done.stderr.partition("Choose:")[2]
    sizes = []
    for words in offered(done.stderr):
        told = call(*words, *QUICK, "-q").stdout
        sizes.append(len(told.splitlines()) - 1)
    assert sizes == [40, 4]
    done = call("fit", changed(tmp_path, "plate.csv", untreated), *QUICK)
    assert done.stderr.splitlines()[0] == "40 objects, named by well."


def test_objects_within_others_are_clear_and_crossed_ones_are_not(tmp_path):
    head = "patient,hospital,device,x\n"
    rows = [f"p{i // 4},h{i // 20},d{i % 4},{i * 7 % 11 + 0.5}\n" for i in range(60)]
    crossed, nested = tmp_path / "crossed.csv", tmp_path / "nested.csv"
    crossed.write_text(head + "".join(rows))
    nested.write_text("".join(cut(line) for line in (head, *rows)))
    assert "15 objects, named by patient." in call("info", nested).stdout
    told = call("info", crossed).stdout
    assert "patient and device may name the objects" in told
    assert [words[3] for words in offered(told)] == ["patient", "device", "x"]


def cut(line):
    cells = line.split(",")
    return ",".join([*cells[:2], *cells[3:]])


def test_cells_of_a_grid_from_a_file(tmp_path):
    pytest.importorskip("xarray", reason="needs the extra io")
    told = call("info", FILES / "ensemble.nc").stdout
    assert told.startswith("ensemble.nc: 2 arrays, ")
    assert "12 cells by lat,lon, whose values are along member" in told
    done = call("fit", FILES / "ensemble.nc", *QUICK, "-o", tmp_path / "out")
    told = " ".join(done.stderr.split())
    assert "--id lat,lon --values t2m,rain --sample member --joint" in told
    with (tmp_path / "out" / "table.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[1]["id"] == "lat=50.0, lon=10.5"
    assert (rows[1]["lat"], rows[1]["lon"]) == ("50.0", "10.5")
    assert len(rows) == 12
    model = tmp_path / "out" / "model.incerta"
    assert len(call("predict", model, FILES / "ensemble.nc").stdout.splitlines()) == 13


def test_cells_of_a_grid_with_errors_in_arrays(tmp_path):
    xarray = pytest.importorskip("xarray", reason="needs the extra io")
    with xarray.open_dataset(FILES / "ensemble.nc") as members:
        mean, std = members["t2m"].mean("member"), members["t2m"].std("member")
    mean.to_dataset(name="t2m").assign(t2m_err=std).to_netcdf(tmp_path / "grid.nc")
    told = " ".join(call("fit", tmp_path / "grid.nc", code=2).stderr.split())
    assert "if arrays hold errors: --id lat,lon, --values and --errors." in told
    said = ("--id", "lat,lon", "--values", "t2m", "--errors", "{}_err")
    done = call("fit", tmp_path / "grid.nc", *said, *QUICK, "-q")
    rows = list(csv.DictReader(done.stdout.splitlines()))
    assert len(rows) == 12
    assert (rows[1]["id"], rows[1]["lon"]) == ("lat=50.0, lon=10.5", "10.5")
