"""``incerta info FILE`` as a profile, and columns that other commands guess."""

import json
import re
import shlex

import numpy as np
import pytest

import incerta as ic
from incerta.cli.options import on_lines, with_reading
from incerta.data.files.opened import OpenTable
from incerta.data.tables.spec import TableSpec
from tests.cli.conftest import WIDE

QUICK = ("-k", "3", "--method", "UKMeans")
GUESSED = "Guessed: --id star --values mass,radius --errors '{}_error'. Use these"
LONG = "id,rep,x,y\na,1,1,2\na,2,1.1,2.5\nb,1,3,4\nb,2,3.1,5\nc,1,3.2,5\nc,2,4,6\n"


@pytest.fixture
def written(tmp_path):
    def written(text, name="table.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return written


def test_a_profile(call, wide):
    told = call("info", wide).stdout
    assert told.startswith("wide.csv: 30 rows, 6 columns, ")
    rows = {line.split()[0]: line for line in told.splitlines() if line}
    assert rows["star"].split() == ["star", "text", "30", "different", "id"]
    assert rows["mass"].endswith("value")
    assert rows["mass_error"].endswith(["0.5", "error of mass  constant"][1])
    assert rows["class"].split() == ["class", "text", "a,", "b,", "c", "classes"]
    assert max(map(len, told.splitlines())) <= max(80, len(str(wide)) + 20)
    assert "Reading it as: one row per object: values with standard dev" in told
    assert "--truth class" in told
    assert call("info", "-", input=wide.read_text()).stdout.startswith("-: 30 rows")


def test_the_next_command_is_the_reading(call, wide):
    told = call("info", wide).stdout
    commands = told.partition("Next:")[2].replace("\\\n", " ")
    fit, compare = [shlex.split(line) for line in commands.strip().splitlines()]
    assert fit == ["incerta", "fit", str(wide), *WIDE]
    assert compare == ["incerta", "compare", str(wide), *WIDE, "--truth", "class"]
    done = call(*fit[1:], *QUICK)
    assert done.stdout == call("fit", wide, *QUICK).stdout


def test_fit_on_a_guess(call, wide, tmp_path):
    done = call("fit", wide, *QUICK, "-o", tmp_path / "out")
    assert done.stderr.startswith(GUESSED)
    model = tmp_path / "out" / "model.incerta"
    command = shlex.split(ic.load(model).command)
    assert command[3:9] == list(WIDE)
    assert "--errors" in (tmp_path / "out" / "summary.json").read_text()
    # A rerun does not guess, nor does predict.
    assert "Guessed" not in call(*command[1:]).stderr
    assert "Guessed" not in call("predict", model, wide).stderr


def test_a_guess_is_silent_if_asked(call, wide):
    assert call("fit", wide, *QUICK, "--quiet").stderr == ""
    assert call("fit", wide, *QUICK, "--dry-run").stderr.startswith(GUESSED)


def test_what_is_said_is_kept(call, wide):
    done = call("fit", wide, "--kind", "2sigma", *QUICK)
    assert "--kind 2sigma" in done.stderr
    done = call("fit", wide, "--id", "class", *QUICK, code=2)
    assert "class" in done.stderr
    # Where the values are said nothing is guessed.
    assert "Guessed" not in call("fit", wide, "--values", "mass", *QUICK).stderr


def test_compare_on_a_guess(call, wide):
    done = call("compare", wide, "--methods", "UKMeans", "-k", "3", "--truth", "class")
    assert done.stderr.startswith(GUESSED)
    assert "ACC" in done.stdout


def test_a_choice_where_it_is_not_clear(call, written):
    path = written(LONG)
    done = call("fit", path, *QUICK, code=2)
    assert done.stdout == ""
    assert done.stderr.startswith(
        "Error: it is not clear what the columns are: do rows"
    )
    offered = done.stderr.partition("Choose:\n")[2].replace("\\\n", " ")
    commands = [line for line in offered.splitlines() if line.startswith("  incerta")]
    assert len(commands) == 2
    for command in commands:
        call(*shlex.split(command)[1:], *QUICK)
    assert "Not clear: do rows" in call("info", path).stdout


def test_nothing_to_cluster(call, written):
    done = call("fit", written("a,b\nx,y\nz,w\n"), code=2)
    assert "no column of numbers is left to cluster" in done.stderr
    assert "incerta info" in done.stderr


def test_json(call, wide):
    told = json.loads(call("info", wide, "--format", "json").stdout)
    assert told["rows"] == 30
    assert [column["name"] for column in told["columns"]][:2] == ["star", "mass"]
    assert told["columns"][1]["taken_as"] == "value"
    assert told["readings"][0]["errors"] == ["{}_error"]
    assert told["clear"] is True
    assert told["classes"] == ["class"]


def test_suspicious_cells(call, written):
    rng = np.random.default_rng(0)
    rows = "".join(
        f"s{i};{x:.2f};{10**x:.4f}\n" for i, x in enumerate(rng.normal(size=60))
    )
    told = call("info", written(f"id;a;b\n{rows}".replace(".", ","))).stdout
    assert "separated by semicolons, with decimal commas" in told
    assert "skewed: try --log" in told
    rows = "".join(f"s{i},{-999 if i % 9 == 0 else i % 5}\n" for i in range(60))
    told = call("info", written(f"id,a\n{rows}")).stdout
    assert "-999 7 times: missing? --na=-999" in told
    told = call("info", written("id,a,b\nx,1,2\ny,lost,3\nz,3,4\n")).stdout
    assert "1 cell is no number: 'lost'" in told
    assert "Not clear: column a holds 'lost'" in told
    assert "give --na lost" in told
    told = call("info", written("id,a\nx,1.5\ny,<0.5\nz,3\n")).stdout
    assert "1 detection limit, such as <0.5" in told


def test_many_columns(call, written):
    names = [f"x{i}" for i in range(300)]
    rows = "\n".join(",".join(str(i * j % 7) for j in range(300)) for i in range(9))
    told = call("info", written(f"{','.join(names)}\n{rows}\n")).stdout
    assert "… 275 more columns" in told
    assert len(told.splitlines()) < 50
    assert (
        max(len(line) for line in told.splitlines() if "incerta fit" not in line) <= 80
    )
    done = call("fit", written(f"{','.join(names)}\n{rows}\n"), *QUICK)
    assert "x1,x2,x3,…" in done.stderr


def test_control_characters_do_not_reach_the_terminal(call, written):
    path = written("id,\x1b[31mred,b\n\x1b[2Jx,1,2\ny,3,4\nz,4\x1b[1m,7\n")
    for done in (call("info", path), call("fit", path, *QUICK, code=2)):
        assert "\x1b" not in done.stdout + done.stderr


def test_names_that_are_hard_to_quote(call, written):
    path = written('"my id","a, b",c --d\nx,1.5,2\ny,3,4\nz,4.5,7\n')
    told = call("info", path).stdout.partition("Next:")[2].replace("\\\n", " ")
    words = shlex.split(told.strip())
    assert words[3:] == ["--id", "my id", "--values", '"a, b",c --d']
    call(*words[1:], *QUICK)


def test_other_formats(call, tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    path = tmp_path / "table.parquet"
    table = {
        "star": ["a", None, "c"],
        "mass": [1.0, 2.0, None],
        "mass_err": [0.1, 0.2, 0.3],
        "seen": pa.array([0, 1, 2], pa.timestamp("s")),
        "good": [True, False, True],
    }
    parquet.write_table(pa.table(table), path)
    told = call("info", path).stdout
    assert "star      text          1" in told
    assert "error of mass" in told
    assert "date" in told
    xarray = pytest.importorskip("xarray")
    grid = xarray.Dataset({"rain": (("station", "member"), np.zeros((3, 2)))})
    grid.to_netcdf(tmp_path / "grid.nc", engine="scipy")
    assert "3 station × 2 member" in call("info", tmp_path / "grid.nc").stdout


def test_commands_on_lines():
    words = ["incerta", "fit", "a b.csv", "--values", "x" * 70, "--errors", "{}_err"]
    told = on_lines(words)
    assert len(told.splitlines()) == 3
    assert shlex.split(told.replace("\\\n", " ")) == words


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_ids_of_many_digits_are_told_apart(tmp_path, suffix):
    # As floats, all of them are the same.
    ids = 4_611_686_018_427_387_904 + np.arange(12)
    pa = pytest.importorskip("pyarrow", reason="needs pyarrow")
    table = pa.table({"source_id": ids, "x": np.arange(12.5, 24.5) % 7})
    path = tmp_path / f"table.{suffix}"
    if suffix == "csv":
        pytest.importorskip("pyarrow.csv").write_csv(table, path)
    else:
        pytest.importorskip("pyarrow.parquet").write_table(table, path)
    opened = OpenTable(path, TableSpec())
    reading = opened.guess().readings[0]
    assert reading.id == "source_id"
    data = opened.data(with_reading(TableSpec(), reading))
    assert data.ids.tolist() == ids.tolist()


def test_several_columns_with_one_name_of_errors(tmp_path, call):
    path = tmp_path / "table.csv"
    path.write_text(
        "id,r,2s,q,2s\n" + "".join(f"z{i},{i},1,{i % 3},2\n" for i in range(9))
    )
    said = " ".join(call("info", path).stdout.split())
    assert "2 columns are named 2s, as errors are; give each a name of its own" in said
    assert "(without these errors)" in said


@pytest.mark.parametrize("length", [4, 15, 23])
def test_what_columns_are_taken_for_is_never_cut(call, written, length):
    rng = np.random.default_rng(0)
    names = [f"{letter * length}" for letter in "abc"]
    head = ",".join(["id", *names, *(f"{name}_sd" for name in names)])
    rows = "".join(
        f"s{i},{','.join(f'{x:.5f}' for x in 1000 + rng.normal(size=3))},-1,0.1,0.2\n"
        for i in range(12)
    )
    told = call("info", written(f"{head}\n{rows}")).stdout
    table = told.partition("Reading it as")[0]
    assert max(map(len, table.splitlines())) <= 80
    assert not any(re.search(r"\w {2,}.*…", line) for line in table.splitlines())
    assert "(named as errors, but some are negative)" in table
    assert "taken as" in table
    for name in names[1:]:
        assert f"error of {name}" in table
    assert " – 1001" in table  # those of rows with room stay


def test_statistics_go_where_there_is_no_room_for_most(call, written):
    names = [letter * 22 for letter in "abc"]
    head = ",".join(f"{name}{end}" for name in names for end in ("", "_err1", "_err2"))
    rows = "".join(",".join([f"{i}.5", "0.1", "-0.2"] * 3) + "\n" for i in range(12))
    told = call("info", written(f"{head}\n{rows}")).stdout
    table = told.partition("Reading it as")[0]
    assert "least – median – most" not in table
    for name in names:
        assert f"error down of {name}" in table
    assert max(map(len, table.splitlines())) <= 80


def test_columns_of_one_name_are_told(call, written):
    done = call("fit", written("id,x,x\na,1,2\nb,2,3\nc,4,4\n"), code=2)
    told = " ".join(done.stderr.split())
    assert "2 columns are named x, and none of them is used" in told
