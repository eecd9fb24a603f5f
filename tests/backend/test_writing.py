"""Files that are complete, or absent."""

import os
import time

import pytest

from incerta.backend import writing
from incerta.backend.writing import part_of, replacing
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


@not_on_windows("does not say which processes run")
def test_parts_of_processes_that_run_stay(tmp_path):
    ours = part_of(tmp_path)
    dead = tmp_path / ours.name.replace(f"-{os.getpid()}-", "-999999999-")
    for part in (ours, dead):
        part.write_text("half")
        os.utime(part, (time.time() - 2 * writing.FORGOTTEN,) * 2)
    part_of(tmp_path)
    assert names(tmp_path) == [ours.name]
