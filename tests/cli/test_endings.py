"""Commands that end where they should not: killed while they write, or without room."""

import os
import signal
import sys

import pytest

import incerta as ic
from incerta.backend.writing import replacing
from incerta.cli.app import app
from tests.endings.jobs import COLUMNS, results_in, write_results, write_stars
from tests.extras import needs

resource = pytest.importorskip("resource", reason="Windows limits no files")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks what runs")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Two results, of which the second takes the place of the first."""
    folder = tmp_path_factory.mktemp("stars")
    write_stars(folder, 30)
    data = ic.read_table(
        folder / "stars.csv", id="star", values=["x", "y"], errors="{}_error"
    )
    return [ic.cluster(data, k, "UKMeans") for k in (2, 3)]


def in_child(what):
    """Do something in a fork: its exit code, or the signal that ended it."""
    child = os.fork()
    if child == 0:
        try:
            what()
        except BaseException:
            os._exit(7)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(monkeypatch, number):
    """Let the process end by force at a renaming, before it is done."""
    left = [number]
    true = {name: getattr(os, name) for name in ("rename", "replace")}

    def ends(name):
        def renames(*paths, **how):
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            left[0] -= 1
            return true[name](*paths, **how)

        return renames

    for name in true:
        monkeypatch.setattr(os, name, ends(name))


@needs("jinja2", "report")
@pytest.mark.parametrize("number", range(6))
@pytest.mark.parametrize("there", [False, True])
def test_killed_between_writing_and_renaming(
    results, tmp_path, monkeypatch, number, there
):
    old, new = results
    if there:
        write_results(old, tmp_path / "out")
    before = results_in(tmp_path)
    killed_at(monkeypatch, number)
    code = in_child(lambda: write_results(new, tmp_path / "out"))
    monkeypatch.undo()
    found = results_in(tmp_path)  # every file is whole
    whole = {"table": None, "labels": new.labels.tolist()}
    assert code in (0, -signal.SIGKILL)
    if code == 0:
        assert found["labels"] == whole["labels"]
    elif not there or number <= 1:  # saving the model and the page is a renaming, too
        assert found == before
    else:
        assert found["labels"] in (old.labels.tolist(), whole["labels"])


def test_a_file_is_old_or_new(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_text("old")

    def write():
        with replacing(path) as beside:
            beside.write_text("new, and half of")
            os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(write) == -signal.SIGKILL
    assert path.read_text() == "old"


@needs("jinja2", "report")
@pytest.mark.parametrize("bytes_left", [500, 20_000])
def test_no_room_on_the_disk(results, tmp_path, bytes_left):
    write_stars(tmp_path, 30)
    write_results(results[0], tmp_path / "out")
    before = results_in(tmp_path)

    def fit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_left, bytes_left))
        table, out = tmp_path / "stars.csv", tmp_path / "out"
        method = ("--method", "UKMeans", "-q", "--report")
        try:
            app(["fit", str(table), *COLUMNS, *method, "-o", str(out)])
        except SystemExit as end:
            os._exit(int(end.code or 0))

    assert in_child(fit) == 1
    assert results_in(tmp_path) == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "stars.csv"]
