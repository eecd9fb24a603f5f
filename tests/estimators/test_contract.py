"""scikit-learn's own contract, and ours, for every estimator."""

import pickle
from contextlib import nullcontext

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.utils.estimator_checks import parametrize_with_checks

import incerta as ic
import incerta.estimators
from incerta import published
from incerta.exceptions import IncertaWarning
from tests.strategies import KINDS, make

# FOPTICS says so if tiny data do not have the clusters they are asked for.
pytestmark = pytest.mark.filterwarnings(
    "ignore:no radius leaves:incerta.exceptions.IncertaWarning"
)
# Rivals keep the contract, too.
NAMES = [*incerta.estimators.__all__, *published.__all__]
# What they run in each world.
CLUSTERERS = {"REP": KMeans(2), "WorldConsensus": KMeans(2)}


def with_worlds(estimator, n_worlds):
    """An estimator with this number of worlds, if it draws any."""
    if "n_worlds" in estimator.get_params():
        estimator.set_params(n_worlds=n_worlds)
    return estimator


def estimator_of(name):
    given = {"clusterer": CLUSTERERS[name]} if name in CLUSTERERS else {}
    # Contracts hold for any number of worlds; those of many views take longer. They
    # hold for any number of starts and components, too.
    n_worlds = 2 if name == "AutoClusterer" else 12
    if name == "ErrorMixture":
        given = {"max_components": 4, "n_init": 2}
    home = published if name in published.__all__ else ic
    return with_worlds(getattr(home, name)(**given, random_state=0), n_worlds)


ESTIMATORS = [estimator_of(name) for name in NAMES]
by_name = pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
# Those that find the number of clusters, and noise.
BY_DENSITY = {"FDBSCAN", "FOPTICS", "PDBSCAN", "SC"}
of_everyone = pytest.mark.parametrize(
    "estimator",
    [each for each in ESTIMATORS if type(each).__name__ not in BY_DENSITY],
    ids=[name for name in NAMES if name not in BY_DENSITY],
)


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def small(estimator, k=2):
    """Fewer worlds and clusters, so that tiny data do."""
    few = {"n_worlds": 8, estimator._number_parameter: k, "clusterer__n_clusters": k}
    if type(estimator).__name__ == "RPC":
        few |= {"n_representatives": 4}
    if type(estimator).__name__ == "AutoClusterer":
        few |= {"n_worlds": 2}
    if type(estimator).__name__ in BY_DENSITY:
        few |= {"min_samples": 3}
    known = estimator.get_params()
    return clone(estimator).set_params(**{k: v for k, v in few.items() if k in known})


@by_name
@pytest.mark.filterwarnings("ignore::incerta.exceptions.IncertaWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data(estimator, kind):
    data = make(kind, n=9, d=2, seed=5)
    fitted = small(estimator).fit(data)
    assert fitted.labels_.shape == (9,)
    membership, labels = fitted.membership_, fitted.labels_
    k = membership.shape[1]
    assert set(labels) <= {-1, *range(k)}
    noise = 1.0 - membership.sum(axis=1)
    assert (noise > -1e-9).all()
    if type(estimator).__name__ not in BY_DENSITY:
        assert k == 2
        np.testing.assert_allclose(noise, 0.0, atol=1e-9)
    own = np.where(labels < 0, noise, np.c_[membership, noise][np.arange(9), labels])
    np.testing.assert_allclose(fitted.confidence_, own, atol=1e-12)
    # Numbered along the ids.
    along = labels[np.argsort(data.ids)]
    found = along[along >= 0]
    assert (np.diff(np.unique(found, return_index=True)[1]) > 0).all()
    new = make(kind, n=4, d=2, seed=6)
    assert fitted.predict(new).shape == (4,)
    proba = fitted.predict_proba(new)
    assert proba.shape == (4, k)
    assert (proba.sum(axis=1) <= 1.0 + 1e-9).all()


@by_name
def test_same_seed_same_everything(estimator):
    data = make("samples", n=20, d=2)
    one, two = (small(estimator).fit(data) for _ in range(2))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.membership_, two.membership_)
    back = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(back.predict_proba(data), one.predict_proba(data))


@by_name
@pytest.mark.filterwarnings("ignore")  # whatever a new seed brings
def test_no_seed_can_be_repeated(estimator):
    data = make("gaussian", n=20, d=2)
    one = small(estimator).set_params(random_state=None).fit(data)
    two = small(estimator).set_params(random_state=one.seed_).fit(data)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.membership_, two.membership_)


@by_name
def test_separated_clusters_are_found_and_sure(estimator):
    X = np.repeat([[0.0, 0.0], [30.0, 0.0]], 15, axis=0)
    X = X + np.random.default_rng(0).normal(size=X.shape)
    data = ic.from_gaussian(X, std=0.3)
    fitted = small(estimator)
    if "eps" in fitted.get_params():
        fitted.set_params(eps=6.0)
    if "xi" in fitted.get_params():
        fitted.set_params(n_clusters=None)
    fitted.fit(data)
    np.testing.assert_array_equal(fitted.labels_, np.repeat([0, 1], 15))
    np.testing.assert_allclose(fitted.confidence_, 1.0, rtol=1e-9)
    new = ic.from_gaussian([[29.0, 1.0], [1.0, -1.0], [500.0, 0.0]], std=0.1)
    far = -1 if type(estimator).__name__ in BY_DENSITY else 1
    np.testing.assert_array_equal(fitted.predict(new), [1, 0, far])
    proba = fitted.predict_proba(new)
    np.testing.assert_allclose(proba[:2], [[0.0, 1.0], [1.0, 0.0]], atol=0.5)
    assert proba[2].sum() == (0.0 if far < 0 else pytest.approx(1.0))


@of_everyone
def test_an_object_between_two_clusters_is_unsure(estimator):
    X = np.repeat([[0.0], [10.0]], 20, axis=0)
    X = X + np.random.default_rng(0).normal(size=X.shape) * 0.5
    X = np.concatenate([X, [[5.0]]])
    std = np.full_like(X, 0.2)
    std[-1] = 3.0
    fitted = with_worlds(small(estimator), 60).fit(ic.from_gaussian(X, std=std))
    assert fitted.confidence_[:-1].min() == pytest.approx(1.0, rel=1e-9)
    assert fitted.confidence_[-1] < 1.0


@of_everyone
# The KMeans of the user that is run in each world says so, too.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("std", [0.0, 0.5])
@pytest.mark.parametrize("k", [1, 5])
def test_equal_objects_stay_together(estimator, k, std):
    values = np.repeat([[1.0, 2.0], [4.0, 0.0]], 4, axis=0)
    data = ic.from_gaussian(values, std=std)
    model, few = small(estimator, k), nullcontext()
    if getattr(model, model._number_parameter, None) == 5:
        few = pytest.warns(IncertaWarning, match="only 2 of the 8 objects are distinct")
    with few:
        fitted = model.fit(data)
    for same in (slice(0, 4), slice(4, 8)):
        assert len(set(fitted.labels_[same])) == 1
        assert np.ptp(fitted.membership_[same], axis=0).max() == 0.0
    assert np.isfinite(fitted.membership_).all()


@of_everyone
def test_as_many_clusters_as_objects(estimator):
    data = ic.from_gaussian([[0.0], [10.0], [20.0]], std=0.01)
    fitted = small(estimator, 3).fit(data)
    np.testing.assert_array_equal(fitted.labels_, [0, 1, 2])


@of_everyone
@pytest.mark.filterwarnings("ignore::incerta.divergence.SaturationWarning")
def test_one_object_in_one_cluster(estimator):
    fitted = small(estimator, 1)
    fitted.fit(ic.from_gaussian([[3.0, 4.0]], std=1.0))
    np.testing.assert_array_equal(fitted.labels_, [0])
    np.testing.assert_array_equal(fitted.confidence_, [1.0])


@by_name
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 9}, "n_clusters=9 exceeds the number of objects, n_samples=4"),
        ({"n_clusters": 0}, "'n_clusters' parameter .* Got 0 instead"),
        ({"n_worlds": 0}, "'n_worlds' parameter .* Got 0 instead"),
        ({"gamma": -1.0}, "'gamma' parameter .* Got -1.0 instead"),
        ({"gamma": "mean"}, "'gamma' parameter"),
        ({"n_init": 0}, "'n_init' parameter"),
        ({"eps": -1.0}, "'eps' parameter .* Got -1.0 instead"),
        ({"eps": "large"}, "'eps' parameter"),
        ({"min_samples": 0}, "'min_samples' parameter .* Got 0 instead"),
        ({"min_probability": 1.5}, "'min_probability' parameter .* Got 1.5 instead"),
    ],
)
def test_bad_parameters(estimator, parameters, message):
    if not set(parameters) <= set(estimator.get_params()):
        pytest.skip("the estimator has no such parameter")
    with pytest.raises(ValueError, match=message):
        clone(estimator).set_params(**parameters).fit(make("gaussian", n=4))


@by_name
@pytest.mark.filterwarnings("ignore::incerta.exceptions.IncertaWarning")
def test_other_features_are_refused(estimator):
    fitted = small(estimator).fit(make("gaussian", n=6, d=2))
    with pytest.raises(ValueError, match="3 features"):
        fitted.predict(make("gaussian", n=2, d=3))


@by_name
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sparse", [False, True])
def test_the_row_of_a_new_object_does_not_matter(estimator, sparse):
    # New objects of one law, as many as in the fit: all have one probability, which
    # each of them tells with an error of its own.
    data = make("gaussian", n=10, d=1, seed=3)
    # A world of many views takes as long as some of the others.
    n_worlds = 40 if type(estimator).__name__ == "AutoClusterer" else 200
    fitted = with_worlds(small(estimator), n_worlds)
    if "n_representatives" in fitted.get_params():
        fitted.set_params(n_representatives=200)
    if type(estimator).__name__ == "RPC":
        fitted.set_params(max_iter=3)  # rows matter in none of its rounds
    if sparse and "n_neighbors" not in fitted.get_params():
        pytest.skip("the estimator has no graph of neighbors")
    if sparse:
        fitted.set_params(n_neighbors=4)
    fitted.fit(data)
    middle = np.full((10, 1), data.mean().mean())
    found = fitted.predict_proba(ic.from_gaussian(middle, std=2.0))
    # Shares of 200 worlds have standard errors of at most 0.036; of ten objects none
    # is farther than four of them off in one case of a thousand.
    error = 0.5 / np.sqrt(n_worlds)
    assert (np.ptp(found, axis=0) < 8 * error).all()
    assert (np.abs(found - found.mean(axis=0)) < 4 * error).all()


def assert_most_probable(labels, probabilities):
    """Check labels against rows of probabilities, whose last one is that of noise."""
    shares = np.column_stack([probabilities, 1.0 - probabilities.sum(axis=1)])
    chosen = shares[np.arange(len(labels)), labels]
    np.testing.assert_allclose(chosen, shares.max(axis=1))


@by_name
@pytest.mark.filterwarnings("ignore")
def test_predictions_are_the_most_probable_clusters_or_the_docstring_says_no(estimator):
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [3.0, 0.0], [1.5, 2.5]])[rng.integers(3, size=150)]
    std = rng.uniform(0.2, 2.0, size=centers.shape)
    data = ic.from_gaussian(centers + std * rng.normal(size=std.shape), std=std)
    fitted = clone(estimator).fit(data[:100])
    labels, probabilities = fitted.predict(data), fitted.predict_proba(data)
    described = " ".join(type(estimator).__doc__.split())
    if "the argmax of `predict_proba` may differ" in described.lower():
        assert (labels != probabilities.argmax(axis=1)).any()
    else:
        assert_most_probable(labels, probabilities)


@pytest.mark.parametrize("name", ["AutoClusterer", "ErrorMixture"])
@pytest.mark.parametrize("n_named", [0, 9])
def test_labels_are_the_most_probable_clusters(name, n_named):
    data, truth = ic.datasets.make_uncertain_blobs(90, 2, 3, random_state=2)
    known = np.where(np.arange(90) < n_named, truth, -1)
    fitted = estimator_of(name).fit(data, known)
    assert_most_probable(fitted.labels_, fitted.membership_)
    assert_most_probable(fitted.predict(data), fitted.predict_proba(data))


@by_name
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["gaussian", "samples", "interval", "worlds"])
def test_the_objects_of_the_fit_are_predicted_as_they_are(estimator, kind):
    # Not to the last world: their values are drawn anew.
    X = np.repeat([[0.0, 0.0], [6.0, 0.0]], 15, axis=0)
    X = X + np.random.default_rng(0).normal(size=X.shape)
    values = X + np.random.default_rng(1).normal(size=(40, *X.shape)) * 0.7
    data = {
        "gaussian": lambda: ic.from_gaussian(X, std=0.7),
        "samples": lambda: ic.from_array(np.swapaxes(values, 0, 1)),
        "interval": lambda: ic.from_interval(X - 1.0, X + 1.0),
        "worlds": lambda: ic.from_worlds(values),
    }[kind]()
    # A world of many views takes as long as some of the others.
    n_worlds = 20 if type(estimator).__name__ == "AutoClusterer" else 40
    fitted = with_worlds(small(estimator), n_worlds)
    if "eps" in fitted.get_params():
        fitted.set_params(eps=3.0)
    if "xi" in fitted.get_params():
        fitted.set_params(n_clusters=2, eps=None)
    fitted.fit(data)
    found, membership = fitted.predict_proba(data), fitted.membership_
    assert np.abs(found - membership).mean() < 0.05
    # Four standard errors of the difference of two shares of few worlds.
    few = getattr(fitted, "n_representatives", None) or n_worlds
    assert np.abs(found - membership).max() <= 4 * np.sqrt(0.5 / few)
    assert (fitted.predict(data) == fitted.labels_).mean() > 0.9
