"""Files that are complete, or absent."""

import os
import signal
import time
from pathlib import Path
from threading import Thread

import pytest

from incerta.backend.writing import (
    FORGOTTEN,
    fill,
    filling,
    held,
    nearest,
    part_of,
    passing,
    remove_all_passing,
    replacing,
)
from tests.extras import not_on_windows


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_who_has_the_old_file_open_reads_it_to_its_end(tmp_path):
    """A new file takes the place of the old one; nothing is written into that."""
    path = tmp_path / "file"
    path.write_text("what was there")
    with path.open() as reader:
        with replacing(path) as beside:
            beside.write_text("new")
            assert path.read_text() == "what was there"
        assert reader.read() == "what was there"
    assert path.read_text() == "new"
    assert names(tmp_path) == ["file"]


def test_what_fails_leaves_no_trace(tmp_path):
    path = tmp_path / "file"
    path.write_text("what was there")

    def interrupted():
        with replacing(path) as beside:
            beside.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert names(tmp_path) == ["file"]
    assert path.read_text() == "what was there"


def test_a_link_stays_and_its_file_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "file", tmp_path / "link"
    link.symlink_to(target)
    with replacing(link) as beside:
        assert beside.parent == target.parent  # renaming does not cross disks
        beside.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"


def test_second_writer_loses_nothing(tmp_path):
    with filling(tmp_path / "out") as slow:
        (slow / "a").write_text("slow")
        with filling(tmp_path / "out") as fast:
            (fast / "a").write_text("fast")
            (fast / "b").write_text("fast")
    assert (tmp_path / "out" / "a").read_text() == "slow"
    assert names(tmp_path / "out") == ["a", "b"]
    assert names(tmp_path) == ["out"]


def test_no_file_is_written_if_one_fails(tmp_path):
    folder = tmp_path / "new" / "and" / "deep"
    files = {"a": lambda path: path.write_text("a"), "b": lambda path: path.mkdir()}
    with pytest.raises(ZeroDivisionError):
        fill(folder, files | {"c": lambda path: 1 / 0})
    assert names(tmp_path) == []
    assert fill(folder, files) == names(folder) == ["a", "b"]
    assert nearest(folder / "x" / "y") == folder


@not_on_windows("does not say which processes run")
def test_what_killed_runs_left_is_removed(tmp_path):
    ours = part_of(tmp_path)
    dead = tmp_path / ours.name.replace(f"-{os.getpid()}-", "-999999999-")
    young = tmp_path / (dead.name[:-8] + "00000000")
    machine = ours.name.split("-")[1]
    elsewhere = tmp_path / dead.name.replace(machine, "0" * 8)
    other = tmp_path / ".incerta.part-mine"
    for folder in (ours, dead, young, elsewhere, other):
        folder.mkdir()
        (folder / "model.incerta").write_text("half")
        age = FORGOTTEN + (-60 if folder == young else 60)
        os.utime(folder, (time.time() - age,) * 2)
    with replacing(tmp_path / "file") as beside:
        beside.write_text("whole")
    left = [ours.name, young.name, elsewhere.name, other.name]
    assert names(tmp_path) == sorted(["file", *left])
    part_of(tmp_path / "nowhere")


def test_all_that_is_passing_can_be_removed_at_once(tmp_path):
    with passing(tmp_path / "folder") as folder, passing(tmp_path / "file") as file:
        folder.mkdir()
        file.write_text("half")
        remove_all_passing()
        assert names(tmp_path) == []


# interrupts -------------------------------------------------------------------------


@pytest.fixture
def interrupts():
    """Set what happens at an interrupt, also if a shell lets its jobs ignore them."""
    before = signal.getsignal(signal.SIGINT)
    yield lambda handler: signal.signal(signal.SIGINT, handler)
    signal.signal(signal.SIGINT, before)


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


class Interrupting(type(Path())):
    """Files that are interrupted whenever they are renamed."""

    def replace(self, target):
        interrupt()
        return super().replace(target)


@not_on_windows("has no SIGINT to send")
def test_renaming_is_not_cut_in_two(tmp_path, interrupts):
    interrupts(signal.default_int_handler)
    folder = Interrupting(tmp_path / "out")
    folder.mkdir()
    with pytest.raises(KeyboardInterrupt):
        fill(folder, {name: lambda path: path.write_text("") for name in "abc"})
    assert names(folder) == ["a", "b", "c"]
    assert names(tmp_path) == ["out"]


@not_on_windows("has no SIGINT to send")
def test_interrupts_wait_for_the_end(interrupts):
    came = []
    interrupts(lambda number, _: came.append(number))
    for times in (1, 2):
        came.clear()
        with held():
            for _ in range(times):
                interrupt()
            assert came == []
        assert came == [signal.SIGINT]
    with held():
        pass
    interrupts(signal.SIG_IGN)
    with held():
        interrupt()
    assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    assert came == [signal.SIGINT]


def test_threads_have_no_interrupts_to_hold():
    def work():
        with held():
            done.append(True)

    done = []
    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]
