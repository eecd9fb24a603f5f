"""The cost model: what its terms mean, and what is said beforehand."""

import numpy as np
import pytest

import incerta as ic
from incerta.cost import forecast as forecasts
from incerta.cost import trial
from incerta.cost.forecast import forecast, kind_of, size_of
from incerta.cost.model import (
    KINDS,
    Limits,
    Size,
    expected,
    kernel_seconds,
    total,
    value_of,
)
from incerta.estimators.named import OWN, PUBLISHED

SIZE = Size(3000, 7, 5.0, 4, 32)
VALUES = [[[0.0], [1.0]], [[2.0], [3.0], [4.0], [5.0]]]


@pytest.fixture(autouse=True)
def machine_of_the_benchmark(monkeypatch):
    monkeypatch.setattr(forecasts, "slowness", lambda: 1.0)


@pytest.mark.parametrize(
    ("term", "value"),
    [
        ("1", 1.0),
        ("n", 3000.0),
        ("n2 d", 3000.0**2 * 7),
        ("s2 d2 k w", 1000.0**2 * 7**2 * 4 * 32),
        ("n d v2", 3000.0 * 7 * 25),
    ],
)
def test_a_term_is_a_product_of_powers(term, value):
    assert value_of(term, SIZE, Limits(2000, 1000)) == value


def test_up_to_the_limit_all_objects_count():
    assert value_of("s", SIZE, Limits(3000, 1000)) == 3000.0
    assert value_of("s", SIZE, Limits()) == 3000.0


def test_a_cost_is_the_sum_of_its_terms():
    assert total({"1": 2.0, "n d": 0.5}, SIZE, Limits()) == 2.0 + 0.5 * 3000 * 7


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*OWN, *PUBLISHED, "choose_k"])
def test_every_method_was_measured_and_more_never_costs_less(name, kind):
    size = Size(300, 5, 10.0 if kind == "values" else 1.0, 4, 100)
    here = expected(name, kind, size)
    assert here.seconds > 0
    assert here.bytes > 50e6  # no process of ours is smaller
    for field in ("n_objects", "n_features", "n_values", "n_clusters", "n_worlds"):
        more = size._replace(**{field: 2 * getattr(size, field)})
        assert expected(name, kind, more) >= here


def test_kinds_of_data():
    gaussian = ic.from_gaussian([[0.0], [1.0]], std=0.1)
    assert kind_of(gaussian) == "errors"
    assert kind_of(gaussian.with_meaning("belief")) == "errors"
    assert kind_of(ic.as_uncertain(np.eye(3))) == "exact"
    assert kind_of(ic.as_uncertain(VALUES)) == "values"
    assert (
        kind_of(ic.from_worlds(np.random.default_rng(0).random((4, 3, 2)))) == "values"
    )


def test_size_of_data():
    assert size_of(ic.as_uncertain(VALUES), 2, 9) == (2, 1, 3.0, 2, 9)
    joint = ic.from_worlds(np.zeros((4, 3, 2)))
    assert size_of(joint, 2, 9) == (3, 2, 4.0, 2, 9)


def test_what_is_forecast_is_what_would_be_done():
    data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=1)
    assert list(forecast(data, 3).seconds) == ["ViewConsensus"]
    assert list(forecast(data, "auto", "RPC").seconds) == ["choose_k", "RPC"]
    assert list(forecast(data, "auto", "FDBSCAN").seconds) == ["FDBSCAN"]
    with pytest.raises(ValueError, match="k=3 cannot be asked of FDBSCAN"):
        forecast(data, 3, "FDBSCAN")


def test_clusterers_of_scikit_learn_are_tried_in_one_world(monkeypatch):
    data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=1)
    # Two runs with all objects, and two with half of them.
    times = iter([0.0, 8.0, 10.0, 14.0, 20.0, 22.0, 30.0, 31.0])
    monkeypatch.setattr(trial.time, "process_time", lambda: next(times))
    found = forecast(data, "auto", "kmeans", {"n_worlds": 7})
    assert list(found.seconds) == ["choose_k", "kmeans"]
    assert found.trial == (60, 4.0, 2.0)
    rest = trial.cost_in_worlds("errors", found.size)
    assert found.seconds["kmeans"] == pytest.approx(rest.seconds + 7 * 4.0)
    assert found.trial.seconds_for(120) == 16.0
    more = found.size._replace(n_objects=600)
    assert trial.cost_in_worlds("errors", more) > rest


@pytest.mark.parametrize("name", ["gmm", "dbscan", "hdbscan"])
def test_a_trial_of_each_kind(name):
    data, _ = ic.datasets.make_uncertain_blobs(40, 2, 3, random_state=1)
    found = forecast(data, "auto", name, {"n_worlds": 3})
    assert found.trial.n_objects == 40
    assert found.seconds[name] > 3 * found.trial.seconds > 0
    assert 1.0 <= found.trial.power <= 3.0


def test_a_slower_machine_takes_longer(monkeypatch):
    data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=1)
    before = forecast(data, 3)
    monkeypatch.setattr(forecasts, "slowness", lambda: 3.0)
    after = forecast(data, 3)
    assert after.seconds["ViewConsensus"] == 3 * before.seconds["ViewConsensus"]
    assert after.bytes == before.bytes


def test_the_piece_of_work_that_is_timed():
    assert kernel_seconds() > 0
