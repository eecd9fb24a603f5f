"""The hook, and the bars that appear in notebooks by themselves."""

import io
import sys
from contextlib import redirect_stderr
from itertools import repeat
from threading import Thread
from types import ModuleType, SimpleNamespace

import pytest
from rich.progress import Progress

from incerta.backend.progress import (
    AFTER,
    LASTING,
    bars,
    followed,
    reporting_to,
    track,
)


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
def drawn(monkeypatch):
    """Bars that are drawn, in what looks like a notebook with tqdm."""
    ipython, tqdm = ModuleType("IPython"), ModuleType("tqdm.auto")
    shell = SimpleNamespace(kernel=object())
    ipython.get_ipython, tqdm.tqdm = lambda: shell, Bar
    for module in (ipython, ModuleType("tqdm"), tqdm):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    Bar.made.clear()
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


def test_a_notebook_has_a_bar_until_the_work_ends(drawn):
    steps = track(4, "worlds")
    assert next(steps) == 1
    (bar,) = drawn
    assert (bar.name, bar.total, bar.done, bar.open) == ("worlds", 4, 1, True)
    assert list(steps) == [2, 3, 4]
    assert (bar.done, bar.open) == (4, False)


def test_a_notebook_without_tqdm_has_none(drawn):
    sys.modules["tqdm.auto"] = None
    assert list(track(2, "worlds")) == [1, 2]
    assert drawn == []


def test_a_hook_comes_before_the_notebook(drawn):
    with reporting_to(lambda *_: None):
        list(track(2, "worlds"))
    assert drawn == []


def test_no_bars_outside_a_kernel_or_from_threads(drawn):
    thread = Thread(target=lambda: list(track(2, "worlds")))
    thread.start()
    thread.join()
    del sys.modules["IPython"].get_ipython().kernel
    assert list(track(2, "worlds")) == [1, 2]
    assert drawn == []


# terminals --------------------------------------------------------------------------


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_work_within_other_work_is_shown_if_it_lasts(monkeypatch):
    now, made = [0.0], []

    class Recorded(Progress):
        def __init__(self, *columns, **options):
            super().__init__(*columns, get_time=lambda: now[0], **options)
            made.append(self)

    def visible():
        return [task.description for task in made[0].tasks if task.visible]

    monkeypatch.setattr("rich.progress.Progress", Recorded)
    with redirect_stderr(Terminal()), bars(shown=False):
        assert made == []
    with redirect_stderr(io.StringIO()), bars():
        assert made == []
    with redirect_stderr(Terminal()), bars():
        assert visible() == ["working"]
        worlds = track(5, "worlds")
        rounds = track(9, "rounds")
        assert visible() == ["worlds"]
        now[0] += LASTING
        next(rounds)
        assert visible() == ["worlds"]
        now[0] += 0.1
        next(rounds)
        assert visible() == ["worlds", "rounds"]
        assert list(rounds)[-1] == 9
        rounds = track(7, "rounds")  # begins again
        assert visible() == ["worlds"]
        assert list(worlds)[-1] == 5
        assert visible() == ["rounds"]
        assert len(list(rounds)) == 7
        assert visible() == ["working"]
