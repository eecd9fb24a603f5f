"""The hook, and the bars that notebooks draw by themselves."""

import sys
from itertools import repeat
from threading import Thread
from types import ModuleType, SimpleNamespace

import pytest

import incerta as ic
from incerta.backend import notebook
from incerta.backend.bars import LASTING, Bars
from incerta.backend.progress import followed, reporting_to, track


class Notebook:
    """As much of IPython as matters: a shell with events, and a place to draw."""

    def __init__(self):
        self.ended = []
        self.drawn = []
        self.kernel = object()
        self.events = SimpleNamespace(
            register=lambda name, what: self.ended.append(what),
            unregister=lambda name, what: self.ended.remove(what),
        )

    def display(self, bundle, *, raw, display_id):
        assert raw
        assert display_id
        self.update(bundle, raw=True)
        return self

    def update(self, bundle, *, raw):
        self.drawn.append(bundle["text/plain"])

    def end_cell(self):
        for end in list(self.ended):
            end(None)


@pytest.fixture
def shell(monkeypatch):
    shell = Notebook()
    top, display = ModuleType("IPython"), ModuleType("IPython.display")
    top.get_ipython, top.display = lambda: shell, display
    display.display = shell.display
    monkeypatch.setitem(sys.modules, "IPython", top)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    monkeypatch.setattr(notebook, "AFTER", 0.0)
    monkeypatch.setattr(notebook, "PAUSE", 0.0)
    yield shell
    shell.end_cell()


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


def test_work_within_other_work_is_shown_if_it_lasts():
    bars = Bars()
    bars.report("worlds", 0, 5, 0.0)
    bars.report("rounds", 0, 9, 3.0)
    assert list(bars.shown(3.0)) == ["worlds"]
    bars.report("rounds", 4, 9, 4.0)
    assert list(bars.shown(3.1 + LASTING)) == ["worlds", "rounds"]
    bars.report("worlds", 5, 5, 5.0)
    bars.report("rounds", 0, 7, 5.0)  # begins again
    assert bars.shown(5.0) == {"rounds": (5.0, 0, 7)}


def test_without_a_hook_steps_are_counted_all_the_same():
    assert list(track(3, "worlds")) == [1, 2, 3]


def test_a_notebook_shows_bars_until_the_cell_ends(shell):
    steps = track(4, "worlds")
    next(steps)
    assert shell.drawn[-1].startswith("worlds")
    assert "1/4" in shell.drawn[-1]
    assert "left" in shell.drawn[-1]
    shell.end_cell()
    assert shell.drawn[-1] == "worked for 0:00"
    assert shell.ended == []


def test_quick_cells_show_nothing(shell, monkeypatch):
    monkeypatch.setattr(notebook, "AFTER", 60.0)
    data, _ = ic.datasets.make_uncertain_blobs(30, 2, 2, random_state=0)
    ic.ViewConsensus(2, random_state=0).fit(data)
    shell.end_cell()
    assert shell.drawn == []


def test_a_hook_comes_before_the_notebook(shell):
    with reporting_to(lambda *_: None):
        list(track(2, "worlds"))
    assert shell.drawn == []


def test_no_bars_outside_a_kernel_or_from_threads(shell):
    thread = Thread(target=lambda: list(track(2, "worlds")))
    thread.start()
    thread.join()
    del shell.kernel
    list(track(2, "worlds"))
    assert shell.drawn == []


@pytest.mark.parametrize(
    ("seconds", "text"), [(7.2, "0:07"), (750, "12:30"), (3723, "1:02:03")]
)
def test_clock(seconds, text):
    assert notebook.clock(seconds) == text


def test_a_bar_is_full_when_all_is_done():
    assert notebook.line("worlds", 3.0, 5, 5).endswith(
        "━" * notebook.WIDTH + " 5/5  0:03"
    )
