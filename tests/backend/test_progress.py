"""The hook, and the bars that appear in notebooks by themselves."""

import sys
from itertools import repeat
from threading import Thread
from types import ModuleType, SimpleNamespace

import pytest

from incerta.backend.progress import AFTER, followed, reporting_to, track


class Bar:
    """As much of tqdm as matters."""

    made = []

    def __init__(self, *, total, desc, delay, leave):
        assert (delay, leave) == (AFTER, False)
        self.name, self.total, self.done, self.open = desc, total, 0, True
        self.made.append(self)

    def update(self):
        self.done += 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.open = False


@pytest.fixture
def bars(monkeypatch):
    """Bars that are drawn, in what looks like a notebook with tqdm."""
    ipython, tqdm = ModuleType("IPython"), ModuleType("tqdm.auto")
    shell = SimpleNamespace(kernel=object())
    ipython.get_ipython, tqdm.tqdm = lambda: shell, Bar
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "tqdm", ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", tqdm)
    monkeypatch.setattr(Bar, "made", [])
    return Bar.made


def test_steps_are_reported_from_none_to_all():
    seen = []
    with reporting_to(lambda *step: seen.append(step)):
        assert list(track(2, "worlds")) == [1, 2]
    assert seen == [("worlds", 0, 2), ("worlds", 1, 2), ("worlds", 2, 2)]


def test_whoever_stops_early_is_done():
    seen = []
    with reporting_to(lambda *step: seen.append(step)):
        for step in track(9, "references"):
            if step == 2:
                break
    assert seen[-2:] == [("references", 2, 9), ("references", 9, 9)]


@pytest.mark.parametrize("items", [[4, 5], repeat(4, 2), (x for x in (4, 5))])
def test_items_are_passed_on_and_counted(items):
    seen = []
    with reporting_to(lambda *step: seen.append(step)):
        assert [seen[-1][1] for _ in followed(items, "starts")] == [0, 1]
    assert seen[-1] == ("starts", 2, 2)


def test_without_a_hook_steps_are_counted_all_the_same():
    assert list(track(3, "worlds")) == [1, 2, 3]


def test_a_notebook_has_a_bar_until_the_work_ends(bars):
    steps = track(4, "worlds")
    assert next(steps) == 1
    (bar,) = bars
    assert (bar.name, bar.total, bar.done, bar.open) == ("worlds", 4, 1, True)
    assert list(steps) == [2, 3, 4]
    assert (bar.done, bar.open) == (4, False)


def test_a_notebook_without_tqdm_has_none(bars, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    assert list(track(2, "worlds")) == [1, 2]
    assert bars == []


def test_a_hook_comes_before_the_notebook(bars):
    with reporting_to(lambda *_: None):
        list(track(2, "worlds"))
    assert bars == []


def test_no_bars_outside_a_kernel_or_from_threads(bars):
    thread = Thread(target=lambda: list(track(2, "worlds")))
    thread.start()
    thread.join()
    del sys.modules["IPython"].get_ipython().kernel
    assert list(track(2, "worlds")) == [1, 2]
    assert bars == []
