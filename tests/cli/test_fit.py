"""``incerta fit``: tables, folders, pipes, interruptions, and the same story."""

import csv
import io
import json
import os
import re
import shlex
import signal
import subprocess
import time
from contextlib import chdir
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import incerta as ic
from incerta.api.answer import cluster
from incerta.data.files import text as text_files
from incerta.models.files import load
from tests.cli.conftest import (
    MAIN,
    QUICK,
    WIDE,
    environment,
    heed_interrupts,
    wide_table,
)
from tests.extras import needs

MADE = ["model.incerta", "summary.json", "table.csv"]


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def expected(path, method="UKMeans", seed=0, **others):
    data = ic.read_table(path, id="star", values=["mass", "radius"], errors="{}_error")
    return cluster(data, k=3, method=method, random_state=seed, **others)


def check_table(rows, result):
    """Every number with all its digits."""
    assert [row["id"] for row in rows] == result.ids.tolist()
    for name, column in result.columns().items():
        if name == "label_set":
            assert [row[name] for row in rows] == column.tolist()
        elif name != "id":
            found = np.array([float(row[name]) for row in rows])
            np.testing.assert_array_equal(found, column)


def test_table_on_stdout_and_words_on_stderr(call, wide):
    done = call("fit", wide, *QUICK)
    check_table(rows_of(done.stdout), expected(wide))
    said = done.stderr.splitlines()
    assert said[0].startswith("30 objects in 3 clusters by UKMeans")
    assert "UKMeans, as requested." in done.stderr
    assert max(map(len, said)) <= 80


def test_nothing_stands_where_confidence_says_nothing(call, wide):
    exact = (
        "--id",
        "star",
        "--values",
        "mass,radius",
        "-k",
        "2",
        "--method",
        "UKMeans",
    )
    told = call("fit", wide, *exact)
    assert {row["confidence"] for row in rows_of(told.stdout)} == {""}
    assert "Confidence is not applicable: the data have no" in told.stderr
    told = call("fit", wide, *exact, "--format", "json")
    assert {row["confidence"] for row in json.loads(told.stdout)} == {None}


def test_no_change_that_was_seen_is_not_called_certainty(call):
    table = "x,e\n" + "".join(f"{i % 2 * 99},0.1\n" for i in range(12))
    asked = ("--values", "x", "--errors", "e", "--method", "kmeans")
    few = ("--param", "n_worlds=4")
    told = call("fit", "-", *asked, *few, "-k", "2", input=table).stderr
    assert "No label changes within the given uncertainty." in told
    told = call("fit", "-", *asked, *few, "-k", "1", input=table).stderr
    assert "12 objects in 1 cluster by kmeans" in told
    assert "Confidence is not applicable: there is one cluster." in told
    assert "certain:" not in told


def test_quiet(call, wide):
    assert call("fit", wide, *QUICK, "--quiet").stderr == ""


def test_stdin_and_dash(call, wide):
    table = wide.read_text()
    done = call("fit", "-", *QUICK, "-o", "-", input=table)
    assert done.stdout == call("fit", wide, *QUICK).stdout


def test_options_reach_the_library(call, wide):
    done = call("fit", wide, *QUICK, "--no-scale", "--seed", "5")
    check_table(rows_of(done.stdout), expected(wide, seed=5, scale=False))


def test_directions_can_be_left_out(call, tmp_path):
    rng = np.random.default_rng(0)
    places = 6.0 * (np.arange(40) % 2)[:, None]
    values = places * rng.normal(size=120) + rng.normal(size=(40, 120))
    names = ",".join(f"f{j}" for j in range(120))
    file = tmp_path / "many.csv"
    np.savetxt(file, values, delimiter=",", header=names, comments="")
    given = ["--values", names, "-k", "2", "--method", "ukmeans"]
    done = call("fit", file, *given, "-o", tmp_path / "with")
    assert "1 direction holds what is not error" in done.stderr + done.stdout
    call("fit", file, *given, "--no-directions", "-o", tmp_path / "without")
    without = ic.load(tmp_path / "without" / "model.incerta")
    assert without.directions is None
    assert "--no-directions" in without.command


def test_values_may_be_repeated(call, wide):
    apart = ["--values", "mass", "--values", "radius"]
    rest = ["--id", "star", "--errors", "{}_error", "-k", "3", "--method", "ukmeans"]
    assert call("fit", wide, *apart, *rest).stdout == call("fit", wide, *QUICK).stdout


def test_error_columns_by_name_and_by_bounds(call):
    table = "a,b,ea,eb,a_lo,a_hi,b_lo,b_hi\n"
    for i in range(8):
        a, b = 20 * (i % 2) + i, 20 * (i % 2) - i
        table += f"{a},{b},1,2,{a - 1},{a + 1},{b - 1},{b + 1}\n"
    tail = ["-k", "2", "--method", "UKMeans"]
    for errors in (["ea,eb"], ["{}_lo,{}_hi", "--kind", "interval"]):
        done = call(
            "fit", "-", "--values", "a,b", "--errors", *errors, *tail, input=table
        )
        assert [row["cluster"] for row in rows_of(done.stdout)] == ["0", "1"] * 4


def test_joint_draws_and_weights(call):
    rng = np.random.default_rng(0)
    table = "member,station,rain,likely\n"
    for member in range(6):
        for station in range(9):
            rain = 10 * (station % 3) + rng.normal()
            table += f"m{member},{station},{rain},{1 + member}\n"
    asked = ["--id", "station", "--values", "rain", "-k", "3", "--method", "UKMeans"]
    for others in (
        ["--sample", "member", "--joint"],
        ["--sample", "member", "--independent"],
        ["--weight", "likely"],
    ):
        done = call("fit", "-", *asked, *others, input=table)
        assert [int(row["cluster"]) for row in rows_of(done.stdout)] == [0, 1, 2] * 3


def test_what_was_imputed_is_said_and_kept(call, tmp_path):
    table = wide_table().replace("s003,", "s003,,0.5,1.0,0.25,a\ns999,", 1)
    out = tmp_path / "out"
    asked = ["fit", "-", *QUICK, "--missing", "impute", "-o", out]
    done = call(*asked, input=table)
    assert "Warning: " in done.stderr
    assert "imput" in done.stderr
    assert any("imput" in text for text in load(out / MADE[0]).warnings)


def test_folder(call, wide, tmp_path):
    out = tmp_path / "new" / "out"
    done = call("fit", wide, *QUICK, "-o", out)
    assert done.stdout == ""
    assert names_in(out) == MADE
    assert names_in(tmp_path) == ["new", "wide.csv"]
    assert out.stat().st_mode & 0o777 == 0o777 & ~_umask()
    check_table(rows_of((out / "table.csv").read_text()), expected(wide))
    summary = json.loads((out / "summary.json").read_text())
    assert summary["method"]["seed"] == 0


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_other_files_of_a_folder_stay(call, wide, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine.txt").write_text("mine")
    (out / "table.csv").write_text("old")
    call("fit", wide, *QUICK, "-o", out)
    assert names_in(out) == sorted([*MADE, "mine.txt"])
    assert (out / "table.csv").read_text() != "old"


def test_this_folder(call, wide, tmp_path):
    place = tmp_path / "here"
    place.mkdir()
    with chdir(place):
        call("fit", wide, *QUICK, "-o", ".")
    assert names_in(place) == MADE


def test_a_file_is_no_folder(call, wide):
    for place in (wide, wide / "out"):
        done = call("fit", wide, *QUICK, "-o", place, code=2)
        assert "is a file" in " ".join(done.stderr.split())


@pytest.mark.parametrize("old", [False, True])
@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError("disk full")])
def test_nothing_is_half_written(call, wide, tmp_path, monkeypatch, old, error):
    out = tmp_path / "out"
    if old:
        out.mkdir()
        (out / "table.csv").write_text("old")

    def fails(_):
        raise error

    monkeypatch.setattr(import_module("incerta.report"), "summarize", fails)
    call("fit", wide, *QUICK, "-o", out, code=130 if error is KeyboardInterrupt else 1)
    assert names_in(tmp_path) == (["out", "wide.csv"] if old else ["wide.csv"])
    if old:
        assert names_in(out) == ["table.csv"]
        assert (out / "table.csv").read_text() == "old"


def test_json_and_parquet(call, run, wide, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet", reason="parquet needs pyarrow")
    result = expected(wide)
    check_table(
        json.loads(call("fit", wide, *QUICK, "--format", "json").stdout), result
    )
    out = tmp_path / "out"
    call("fit", wide, *QUICK, "--format", "parquet", "-o", out)
    check_table(pq.read_table(out / "table.parquet").to_pylist(), result)
    binary = call("fit", wide, *QUICK, "--format", "parquet").stdout_bytes
    check_table(pq.read_table(io.BytesIO(binary)).to_pylist(), result)


def test_hostile_ids_do_not_reach_the_terminal(call):
    table = "id,x\n"
    for i in range(12):
        table += f"\x1b[31m{'long' * 20}{i},{(i % 2) + i / 100}\n"
    done = call("fit", "-", "--id", "id", "--values", "x", "-k", "2", input=table)
    assert "\x1b" not in done.stderr
    assert [row["id"][:5] for row in rows_of(done.stdout)] == ["\x1b[31m"] * 12


def test_the_command_repeats_the_result(call, wide, tmp_path):
    out = tmp_path / "my out"
    call("fit", wide, *QUICK, "--seed", "7", "-o", out)
    first = (out / "table.csv").read_bytes(), (out / "model.incerta").read_bytes()
    command = load(out / "model.incerta").command
    words = shlex.split(command)
    assert words[:3] == ["incerta", "fit", str(wide)]
    assert words[words.index("--seed") + 1] == "7"
    (out / "table.csv").unlink()
    call(*words[1:])
    again = (out / "table.csv").read_bytes(), (out / "model.incerta").read_bytes()
    assert again == first


def test_the_same_story_in_python_on_the_command_line_and_in_the_report(
    call, wide, tmp_path
):
    pytest.importorskip("jinja2", reason="a report needs the extra report")
    out = tmp_path / "out"
    call("fit", wide, *WIDE, "-k", "3", "--seed", "4", "-o", out, "--report")
    result = expected(wide, method="auto", seed=4)
    assert result.method == "AutoClusterer"

    check_table(rows_of((out / "table.csv").read_text()), result)
    stored = load(out / "model.incerta")
    np.testing.assert_array_equal(stored.labels, result.labels)
    np.testing.assert_array_equal(stored.membership, result.membership)
    page = (out / "report.html").read_text()
    inside = re.search(
        r'<script type="application/json" id="data">(.*?)</script>', page
    )
    assert inside is not None
    in_report = json.loads(inside[1])["summary"]
    assert in_report == json.loads((out / "summary.json").read_text())
    assert in_report["reproduce"]["command"] == stored.command
    assert in_report["method"]["seed"] == stored.seed == result.seed == 4
    objects = in_report["objects"]
    assert objects["n_objects"] == len(objects["position"]) == 30
    at = objects["position"]
    assert objects["id"] == result.ids[at].tolist()
    assert objects["cluster"] == result.labels[at].tolist()
    assert objects["confidence"] == result.confidence[at].tolist()


def start(command, **options):
    return subprocess.Popen(
        [*map(str, command)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        **options,
    )


@pytest.mark.slow
def test_interrupted_it_leaves_nothing(program, tmp_path):
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    out = tmp_path / "out"
    process = start(
        program(MAIN, "fit", "-", *QUICK, "-o", out),
        env=environment(TMPDIR=str(scratch)),
        stdin=subprocess.PIPE,
        preexec_fn=heed_interrupts,
    )
    # More than a pipe holds: when it is gone, the command is at work.
    process.stdin.write(wide_table(10_000).encode())
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert said == (b"", b"Interrupted.\n")
    assert names_in(tmp_path) == ["scratch"]
    assert names_in(scratch) == []


@pytest.mark.slow
def test_head_has_seen_enough(program, tmp_path):
    path = tmp_path / "many.csv"
    path.write_text(wide_table(6000))
    process = start(program(MAIN, "fit", path, *QUICK), env=environment())
    assert process.stdout.readline().startswith(b"id,cluster,confidence")
    process.stdout.close()
    said = process.stderr.read().decode()
    assert process.wait() == 0
    assert said.startswith("6,000 objects in 3 clusters")
    assert "Broken" not in said
    assert "Error" not in said
    process.stderr.close()


@pytest.mark.slow  # it takes seconds to start a process
def test_pipe_from_a_cold_shell(run, wide):
    done = run("fit", "-", *QUICK, input=wide.read_text())
    assert (done.returncode, done.stdout.count("\n")) == (0, 31)
    check_table(rows_of(done.stdout), expected(wide))


@pytest.mark.slow
@needs("jinja2", "report")
def test_12000_rows_with_a_report(call, tmp_path, record_property):
    rng = np.random.default_rng(0)
    centers = rng.integers(0, 3, 300)
    path, out = tmp_path / "long.csv", tmp_path / "out"
    lines = ["star,mass,radius"]
    for i, c in enumerate(centers):
        near = rng.normal([4 * (c == 1), 5 * (c == 2)], 0.8, size=2)
        lines += [f"{i},{x:.4f},{y:.4f}" for x, y in rng.normal(near, 0.5, (40, 2))]
    path.write_text("\n".join(lines))
    asked = ("--id", "star", "--values", "mass,radius")
    before = time.perf_counter(), time.process_time()
    call("fit", path, *asked, "-k", "3", "-o", out, "--report")
    record_property("seconds", time.perf_counter() - before[0])
    record_property("cpu_seconds", time.process_time() - before[1])
    assert names_in(out) == [
        "model.incerta",
        "report.html",
        "summary.json",
        "table.csv",
    ]
    assert Path(out / "table.csv").read_text().count("\n") == 301


@needs("jinja2", "report")
def test_dry_run_says_how_long_it_takes_and_writes_nothing(call, wide, tmp_path):
    out = tmp_path / "out"
    told = call("fit", wide, *WIDE, "-k", 3, "-o", out, "--report", "--dry-run")
    assert re.fullmatch(
        r"Takes [\d.]+ s, as a trial with all objects did. Nothing was written.\n",
        told.stdout,
    )
    assert told.stderr == ""
    assert names_in(tmp_path) == ["wide.csv"]


def test_dry_run_refuses_what_a_fit_would(call, wide):
    arguments = "fit", wide, *WIDE, "-k", 3, "--method", "FDBSCAN", "--dry-run"
    assert "k=3 cannot be set for FDBSCAN" in call(*arguments, code=1).stderr


@needs("jinja2", "report")
def test_a_folder_with_a_report_parses_its_file_once(
    call, wide, tmp_path, monkeypatch, library
):
    """Of a table whose columns are guessed."""
    parses = []

    def counting(name):
        parse = getattr(text_files, name)

        def counted(*given):
            parses.append(name)
            return parse(*given)

        monkeypatch.setattr(text_files, name, counted)

    counting("_plain_numbers")
    counting("cells_of")
    done = call("fit", wide, "-k", 3, "-o", tmp_path / "out", "--report")
    assert "Guessed: --id star" in done.stderr
    assert parses == ["_plain_numbers" if library == "pyarrow" else "cells_of"]


@needs("jinja2", "report")
def test_a_folder_with_a_report_takes_each_step_once(call, wide, tmp_path, monkeypatch):
    counts = dict.fromkeys(("summarize", "on_values", "picture", "of_fit"), 0)

    def count(module, name):
        home = import_module(module)
        home = home.Novelty if name == "of_fit" else home
        truly = getattr(home, name)

        def counted(*given, **options):
            counts[name] += 1
            return truly(*given, **options)

        monkeypatch.setattr(home, name, counted)

    count("incerta.report", "summarize")
    count("incerta.report.render", "summarize")
    count("incerta.report.summarize", "on_values")
    count("incerta.report.render", "picture")
    count("incerta.api.novelty", "of_fit")
    call("fit", wide, *QUICK, "-o", tmp_path / "out", "--report")
    assert set(counts.values()) == {1}
