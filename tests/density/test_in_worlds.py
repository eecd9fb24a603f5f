import numpy as np
import pytest
from joblib import parallel_config

from incerta.density import in_worlds


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_threads_are_those_that_were_asked_for(monkeypatch, n_jobs):
    asked = []

    class Tree:
        def __init__(self, places):
            pass

        def query_ball_point(self, places, radii, *, return_length, workers):
            asked.append(workers)
            return np.full(len(places), 9)

    monkeypatch.setattr(in_worlds, "cKDTree", Tree)
    n = in_worlds.MANY_OBJECTS + 1
    with parallel_config("threading", n_jobs=n_jobs):
        in_worlds._core(np.zeros((n, 1)), np.zeros(n, np.intp), np.ones(1), 3)
    assert asked == [n_jobs or 1]
