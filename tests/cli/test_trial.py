"""Estimate the time of a fit from trial runs with some of the objects."""

import numpy as np
import pytest

import incerta as ic
from incerta.api import trial
from incerta.api.trial import duration, seconds_for, tell_time


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves only when a test tells it to."""
    now = [0.0]
    monkeypatch.setattr(trial.time, "perf_counter", lambda: now[0])
    return now


def fit_of(seconds, clock, sizes):
    def fit(data):
        sizes.append(len(data))
        clock[0] += seconds(len(data))

    return fit


def objects(n):
    return ic.from_gaussian(np.arange(n, dtype=float)[:, None], std=0.1)


def test_trials_grow_until_they_take_long_enough(clock):
    sizes = []
    fit = fit_of(lambda n: 1e-4 * n**1.5, clock, sizes)
    told = tell_time(objects(100_000), 4, fit)
    assert sizes == [100, 100, 400, 1600, 6400]
    assert told == ("Would take about 53 min: 6400 of the 100000 objects took 51 s.")


def test_trials_end_with_all_objects(clock):
    sizes = []
    told = tell_time(objects(300), "auto", fit_of(lambda n: 0.01, clock, sizes))
    assert sizes == [100, 100, 300]
    assert told == "Takes 0.0 s, as a trial with all objects did."


def test_there_are_enough_objects_for_the_clusters(clock):
    sizes = []
    tell_time(objects(9000), 90, fit_of(lambda n: 60.0, clock, sizes))
    assert sizes == [900, 900]


def test_trials_take_objects_from_the_whole_table():
    ids = []
    tell_time(objects(1000), 3, lambda data: ids.append(data.ids))
    assert ids[0][0] == 0
    assert ids[0][-1] == 999
    assert len(set(ids[0])) == 100


@pytest.mark.parametrize(
    ("trials", "seconds"),
    [
        ([(100, 3.0)], 30.0),  # in proportion
        ([(50, 2.0), (100, 8.0)], 800.0),  # the square
        ([(50, 2.0), (100, 3.0)], 21.0),  # 1 s, and 0.02 s for each object
        ([(50, 2.0), (100, 1.9)], 1.9),
    ],
)
def test_time_for_a_thousand(trials, seconds):
    assert seconds_for(1000, trials) == pytest.approx(seconds)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.42, "0.4 s"),
        (75, "75 s"),
        (1000, "17 min"),
        (9000, "2.5 h"),
        (4e5, "4.6 days"),
    ],
)
def test_durations_in_words(seconds, text):
    assert duration(seconds) == text
