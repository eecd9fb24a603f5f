"""What experiments share between methods changes nothing about the methods."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incerta import UncertainData, datasets
from incerta.estimators import FDBSCAN, RPC
from incerta.exceptions import IncertaWarning
from incerta.metrics import clustering_accuracy
from incerta.published import PDBSCAN, REP, SC
from paper import cells, methods, sets
from paper.cells import Task, compute, family_of
from paper.methods import METHODS, Point, is_tuned, tuned, usual
from paper.published import published
from paper.search import N_PARTS, best, cut_at, ordered, points_of, search
from paper.selected import fitted, selection_of
from paper.sets import SETS, Problem, Setting, mode_for, problem, usual_noise
from tests.strategies import examples

pytestmark = pytest.mark.filterwarnings("ignore::incerta.exceptions.IncertaWarning")


@pytest.fixture
def blobs(monkeypatch):
    """A small set in the place of Wine."""
    data, target = datasets.make_uncertain_blobs(60, 2, 3, random_state=5)
    small = datasets.Dataset(
        "wine", data.mean(), target, ("a", "b", "c"), ("x", "y"), ""
    )
    monkeypatch.setitem(sets.LOADERS, "wine", lambda: small)
    sets._standardized.cache_clear()
    selection_of.cache_clear()
    yield problem(Setting("wine", 3, 0.5))
    sets._standardized.cache_clear()
    selection_of.cache_clear()


def test_the_table_of_the_paper_is_whole():
    assert set(published()) == {(name, method) for name in SETS for method in METHODS}
    assert published()["weather", "PDBSCAN"] == (0.6993, 0.5277)
    assert published()["waveform", "RP-REP"] == (0.4524, 0.1465)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_sharing_changes_nothing(blobs, method):
    shared = fitted(method, usual(method, blobs), blobs)
    alone = usual(method, blobs).fit(blobs.data)
    np.testing.assert_array_equal(shared.labels_, alone.labels_)
    np.testing.assert_allclose(shared.confidence_, alone.confidence_)


@pytest.mark.slow
@pytest.mark.parametrize("family", methods.TUNED)
def test_a_search_finds_what_fits_find(blobs, family):
    trials = search(family, 1, blobs)
    points = points_of(family, 1)
    assert len(trials) == len(points) * len(methods.TUNED[family])
    for trial in trials[:: len(trials) // 5]:
        point = Point(trial.min_samples, trial.level)
        if family == "order":
            labels = cut_at(ordered(blobs, point.min_samples), point.level)
        else:
            labels = tuned(trial.method, blobs, point).fit(blobs.data).labels_
        assert trial.n_clusters == len(set(labels.tolist()) - {-1})
        assert trial.noise_share == pytest.approx((labels < 0).mean())
        right = clustering_accuracy(blobs.target, labels)
        assert trial.acc == pytest.approx(right)


def test_a_grid_is_divided_without_rest():
    for family in methods.TUNED:
        parts = [points_of(family, part) for part in range(N_PARTS)]
        every = [point for part in parts for point in part]
        assert len(every) == len(set(every)) == 80


def test_the_best_point_is_the_first_of_equals(blobs):
    trials = [t for t in search("probability", 2, blobs) if t.method == "FDBSCAN"]
    point = best(trials[::-1])
    equals = [t for t in trials if t.acc == max(t.acc for t in trials)]
    assert point == min((t.min_samples, t.level) for t in equals)


@pytest.mark.slow
def test_labels_have_no_part_in_what_is_fitted(blobs):
    other = blobs._replace(target=np.roll(blobs.target, 7))
    for method in METHODS:
        one = fitted(method, usual(method, blobs), blobs).labels_
        np.testing.assert_array_equal(
            one, fitted(method, usual(method, other), other).labels_
        )


def test_estimators_are_the_public_ones(blobs):
    kinds = {m: type(usual(m, blobs)) for m in METHODS}
    assert kinds["FDBSCAN"] is FDBSCAN
    assert kinds["PDBSCAN"] is PDBSCAN
    assert kinds["RP-SC"] is SC
    assert kinds["RP-REP"] is REP
    assert kinds["RPC"] is RPC
    assert usual("RP-SC", blobs).n_representatives == 10
    assert usual("SC", blobs).n_representatives is None
    assert [m for m in METHODS if is_tuned(m)] == [
        m for m in METHODS if m in sum(methods.TUNED.values(), ())
    ]
    assert family_of("RP-REP") == "worlds"


@pytest.mark.parametrize("source", sets.INPUTS)
def test_cells_of_all_inputs(blobs, source):
    task = Task("wine", source, "centered", 0.5, "UK-means", "none", 3)
    cell = compute(task)
    assert cell.task == task
    assert cell.acc > (0.6 if source == "one world" else 0.8)
    assert cell.n_clusters == 3
    assert 0.0 <= cell.confidence <= 1.0
    if source != "uncertain":
        assert cell.confidence == 1.0


def test_tuned_cells_say_nothing_of_confidence(blobs):
    task = Task("wine", "uncertain", "centered", 0.5, "SC", "labels", 3)
    assert np.isnan(compute(task, Point(5, 0.5)).confidence)


@given(part=st.sampled_from([0.0, 0.25, 1.0]))
@examples(3)
def test_uncertain_sets_are_drawn_towards_their_means(part):
    as_is = problem(Setting("weather", 0, 1.0, "as is")).data
    nearer = problem(Setting("weather", 0, part, "as is")).data
    assert isinstance(nearer, UncertainData)
    np.testing.assert_allclose(nearer.mean(), as_is.mean(), atol=1e-12)
    np.testing.assert_allclose(
        nearer.variance(), part**2 * as_is.variance(), atol=1e-12
    )


def test_protocol():
    assert mode_for("nba", "displaced") == "as is"
    assert mode_for("wine", "displaced") == "displaced"
    assert (usual_noise("wine"), usual_noise("weather")) == (0.5, 1.0)
    given = problem(Setting("wine", 0, 0.5))
    assert isinstance(given, Problem)
    assert given.data.kind == "gaussian"
    np.testing.assert_allclose(
        given.data.mean(), problem(Setting("wine", 0, 0.5, input="values")).data.mean()
    )
    displaced = problem(Setting("wine", 0, 0.5, "displaced")).data
    assert abs(displaced.mean() - given.data.mean()).max() > 0.5
    world = problem(Setting("wine", 0, 0.5, input="one world")).data
    np.testing.assert_array_equal(world.mean(), given.data.worlds(1, 0)[0])


def test_warnings_of_fits_stay_inside(blobs, recwarn):
    task = Task("wine", "uncertain", "centered", 0.5, "RPC", "none", 3)
    compute(task)
    assert not [w for w in recwarn if issubclass(w.category, IncertaWarning)]


def test_the_choice_of_worlds_counts_once(blobs, monkeypatch):
    def slow(setting):
        return selection_of(setting)._replace(cpu_seconds=1e6)

    monkeypatch.setattr(cells, "selection_of", slow)
    task = Task("wine", "uncertain", "centered", 0.5, "RP-SC", "auto", 3)
    assert 1e6 < compute(task).cpu_seconds < 1.5e6
    assert compute(task._replace(input="values")).cpu_seconds < 1e6
    assert compute(task._replace(method="SC")).cpu_seconds < 1e6
