"""``incerta watch``: what is said of a stream, and what is left at its end."""

import csv
import io
import json
import signal
import subprocess
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest

import incerta as ic
from incerta.api.rows import Bad, Reader, Row
from incerta.api.watcher import MOST_BAD, MOST_LOOKS, History, Watcher
from incerta.cli.interrupts import Stop
from incerta.cli.watch import Task
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError
from incerta.report.watched import line_about
from tests.cli.conftest import MAIN, environment, heed_interrupts
from tests.extras import needs, not_on_windows

ASKED = ("--values", "heat,flow", "--errors", "{}_error")


def rows(n, centers, seed=0, first=2):
    """Rows of clusters with a spread of 1 and errors of 0.3."""
    rng = np.random.default_rng(seed)
    centers = np.asarray(centers, dtype=float)
    values = centers[rng.integers(len(centers), size=n)] + rng.normal(size=(n, 2))
    return [
        Row(
            first + i,
            {
                "heat": f"{x:.4f}",
                "heat_error": "0.3",
                "flow": f"{y:.4f}",
                "flow_error": "0.3",
            },
        )
        for i, (x, y) in enumerate(values)
    ]


def task(every=500, *, strict=False, **options):
    columns = TableSpec(values=("heat", "flow"), errors=("{}_error",))
    watcher = Watcher(**{"half_life": 500.0} | options)
    reader = Reader(columns)
    return Task(
        watcher=watcher, reader=reader, every=str(every), strict=strict, quiet=False
    )


def text_of(found):
    lines = ["heat,heat_error,flow,flow_error"]
    lines += [",".join(row.cells[n] for n in lines[0].split(",")) for row in found]
    return "\n".join(lines) + "\n"


def test_clusters_come_move_and_go():
    steady, moved, other = [0, 0], [30, 2], [60, 60]
    work = task()
    stream = rows(1000, [[30, 0], steady])
    stream += rows(1500, [moved, steady], seed=1) + rows(2500, [other, steady], seed=2)
    lines = list(work.run(stream))
    assert all(len(line) <= 80 for line in lines)
    assert lines[0] == "500 rows: 2 clusters (0: 55%, 1: 45%)"
    assert lines[1].startswith("500 rows: new cluster 0 (55%) at heat ")
    told = [line.partition(": ")[2] for line in lines]
    assert any(line.startswith("cluster 1 moved, flow ") for line in told)
    assert any(line.startswith("new cluster 2 ") and "heat 60" in line for line in told)
    assert any(line.startswith("cluster 1 is gone") for line in told)
    assert not any(line.startswith("cluster 0") for line in told)
    assert work.watcher.counts["new"] == 3
    assert [one.number for one in work.watcher.clusters] == [0, 2]
    assert work.watcher.clusters[1].center == pytest.approx([60, 60], abs=0.3)
    assert work.watcher.clusters[0].error[0] < 0.1


def test_nothing_happens_in_a_stream_that_stands_still():
    for seed in range(3):
        work = task(every=250)
        lines = list(work.run(rows(3000, [[0, 0], [8, 0], [4, 7]], seed=seed)))
        assert work.watcher.counts["new"] == 3
        assert len(lines) == 12 + 3


def test_units_do_not_matter():
    stream = rows(1000, [[0, 0], [9, 0]])
    small = [
        Row(n, cells | {"flow": str(1e-6 * float(cells["flow"])), "flow_error": "3e-7"})
        for n, cells in stream
    ]
    work, other = task(), task()
    list(work.run(stream))
    list(other.run(small))
    assert other.watcher.model.n_seen_ == 1000
    shares = [[one.share for one in each.watcher.clusters] for each in (work, other)]
    assert shares[0] == pytest.approx(shares[1])
    ratio = other.watcher.clusters[0].center / work.watcher.clusters[0].center
    assert ratio == pytest.approx([1.0, 1e-6])


def test_a_row_far_away_is_no_cluster():
    stream = rows(1000, [[0, 0], [9, 0]])
    stream[10] = Row(12, stream[10].cells | {"heat": "1e9"})
    work = task()
    list(work.run(stream))
    assert len(work.watcher.clusters) == 2


def test_another_number_must_be_found_twice():
    rng = np.random.default_rng(0)
    watcher = Watcher(random_state=0)

    def looked(places):
        values = rng.normal(size=(400, 1)) + 12.0 * rng.choice(places, size=(400, 1))
        watcher.take(ic.from_gaussian(values, std=0.1))
        ended = deepcopy(watcher)
        ended.look(last=True)
        assert ended.clusters  # nobody looks again
        events = watcher.look()
        return len(events), len(watcher.clusters)

    assert looked([0, 1]) == (2, 2)
    assert looked([0, 1]) == (0, 2)
    assert looked([2]) == (0, 2)
    assert looked([2]) == (1, 3)


def test_a_number_that_was_asked_for():
    work = task(k=3)
    assert next(work.run(rows(600, [[0, 0], [9, 0]]))).startswith("500 rows: 3 clus")


def test_bad_rows_are_named_counted_and_left_out(capsys):
    work = task()
    stream = rows(700, [[0, 0], [9, 0]])
    cells = dict(stream[0].cells, heat="o\x1b[2Jps")
    stream[5:5] = [Row(9000 + i, cells) for i in range(MOST_BAD + 5)]
    stream[100:100] = [Bad(77, "no JSON")]
    list(work.run(stream))
    said = capsys.readouterr().err
    assert work.watcher.n_seen == 700
    assert work.watcher.counts["bad"] == MOST_BAD + 6
    assert "Left out, line 77: no JSON" in said
    assert "line 9000: column 'heat' must hold numbers" in said
    assert "\x1b" not in said
    assert len(said.splitlines()) == MOST_BAD + 1
    strict = task(strict=True)
    with pytest.raises(DataError, match=r"line 77: .*Without --strict"):
        list(strict.run(stream))


def test_what_is_kept_does_not_grow():
    history = History()
    cluster = Watcher()
    for n in range(5 * MOST_LOOKS):
        history.add(n, cluster.clusters)
    assert MOST_LOOKS // 2 <= len(history.rows) <= MOST_LOOKS
    steps = np.diff(history.rows)
    assert history.rows[0] == 0
    assert (steps == steps[0]).all()


def test_long_names_fit_a_line():
    work = task()
    list(work.run(rows(600, [[0, 0]])))
    (event,) = [e for _, e in work.watcher.events if e.kind == "new"]
    names = ["heat\x1b[2J" * 20, "flow" * 30]
    for kind in ("new", "gone", "moved"):
        before = replace(event.cluster, center=event.cluster.center + 1234567.0)
        line = line_about(replace(event, kind=kind, before=before), 10**12, names)
        assert len(line) <= 80
        assert line.isprintable()


def test_a_look_by_seconds(monkeypatch):
    clock = iter(np.arange(0.0, 1e6, 0.4))
    monkeypatch.setattr("incerta.cli.watch.time.monotonic", lambda: next(clock))
    work = task()
    work.every = "10s"
    lines = list(work.run(rows(60, [[0, 0]])))
    assert [line for line in lines if "clusters" in line or "1 cluster " in line]
    assert 2 <= sum(": 1 cluster" in line for line in lines) <= 4


# through the door --------------------------------------------------------------------


@pytest.fixture
def stream(tmp_path):
    path = tmp_path / "stream.csv"
    path.write_text(text_of(rows(1200, [[0, 0], [9, 0]])))
    return path


@needs("jinja2", "report")
def test_files_at_the_end(call, stream, tmp_path):
    out = tmp_path / "out"
    done = call("watch", stream, *ASKED, "-o", out, "--every", "400")
    assert done.stdout.startswith("400 rows: 2 clusters")
    assert "1,200 rows of" in done.stderr
    assert max(len(line) for line in done.stdout.splitlines()) <= 80
    table = list(csv.DictReader(io.StringIO((out / "table.csv").read_text())))
    assert [row["state"] for row in table] == ["there", "there"]
    centers = sorted(float(row["heat_center"]) for row in table)
    assert centers == pytest.approx([0.0, 9.0], abs=0.3)
    found = json.loads((out / "summary.json").read_text())
    assert found["rows"] == 1200
    assert found["history"]["rows"] == [400, 800, 1200]
    assert "--half-life 5000" in found["command"]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "1,200 rows, 2 clusters at the end" in page


def test_columns_are_guessed_and_stdin_is_read(call, stream):
    named = call("watch", stream, *ASKED)
    guessed = call("watch", "-", input=stream.read_text())
    assert "Guessed: --values heat,flow --errors '{}_error'" in guessed.stderr
    assert guessed.stdout == named.stdout


def test_json_and_quiet(call, stream, tmp_path):
    path = tmp_path / "stream.ndjson"
    with stream.open() as text:
        lines = [
            json.dumps({name: float(cell) for name, cell in row.items()})
            for row in csv.DictReader(text)
        ]
    path.write_text("\n".join([*lines, "{oops"]) + "\n")
    done = call("watch", path, *ASKED, "-q")
    assert done.stderr == ""
    assert done.stdout == call("watch", stream, *ASKED).stdout
    assert "line 1201" in call("watch", path, *ASKED, "--strict", code=1).stderr


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        (("--every", "often"), 2, "must be a number of rows"),
        (("--every", "0"), 2, "must be a number of rows"),
        (("--half-life", "-1"), 2, "neither a number of rows above 0"),
        (("--encoding", "utf-16"), 2, "no lines that end in one byte"),
        (("--values", "cold"), 1, "no column 'cold'"),
        (("--sample", "x"), 2, "No such option"),
    ],
)
def test_wrong_usage(call, stream, more, code, told):
    asked = () if "--values" in more else ASKED
    assert told in " ".join(
        call("watch", stream, *asked, *more, code=code).stderr.split()
    )


def test_no_rows(call, tmp_path):
    path = tmp_path / "none.csv"
    path.write_text("heat,flow\n")
    done = call("watch", path, "--values", "heat", "-o", tmp_path / "out", code=1)
    assert "no row of" in done.stderr
    assert not (tmp_path / "out").exists()
    path.write_text("")
    assert "no row of" in call("watch", path, code=1).stderr


def test_the_state_is_that_of_umicro():
    stream = rows(900, [[0, 0], [9, 0]])
    work = task(scale=False, half_life=None)
    list(work.run(stream))
    values = [[float(r.cells["heat"]), float(r.cells["flow"])] for r in stream]
    model = ic.UMicro().fit(ic.from_gaussian(values, std=0.3))
    ours = work.watcher.model.micro_clusters_
    assert ours.mean == pytest.approx(model.micro_clusters_.mean)


# the end -----------------------------------------------------------------------------


@pytest.mark.usefixtures("heeded")
def test_an_interrupt_ends_input_and_nothing_else():
    before = signal.getsignal(signal.SIGINT)
    seen = []

    def items():
        yield 1
        # Not by os.kill: another thread could hear of it first, and this one late.
        signal.raise_signal(signal.SIGINT)
        yield 2  # not waited for

    with Stop() as stop:
        seen += stop.until(items())
        assert stop.asked
        assert signal.getsignal(signal.SIGINT) is before
    assert seen == [1]
    with Stop() as stop:  # while something else is done
        for item in stop.until([1, 2, 3]):
            seen.append(item)
            if item == 2:
                signal.raise_signal(signal.SIGINT)
    assert seen == [1, 1, 2]


@pytest.mark.slow
@not_on_windows("has no SIGINT to send")
def test_ctrl_c_while_a_pipe_is_silent(program, tmp_path):
    out = tmp_path / "out"
    process = subprocess.Popen(
        program(MAIN, "watch", "-", *ASKED, "--every", "300", "-o", str(out)),
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        preexec_fn=heed_interrupts,
    )
    process.stdin.write(text_of(rows(310, [[0, 0], [9, 0]])))
    process.stdin.flush()
    assert process.stdout.readline().startswith("300 rows: 2 clusters")
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=120)
    assert process.returncode == 0, told
    # Rows that had come by then may have been read or not.
    assert " rows of stdin, 2 clusters at the end" in told
    assert sorted(path.name for path in out.iterdir())[-1] == "table.csv"
