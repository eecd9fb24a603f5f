"""Methods by name, clusterers of scikit-learn in every world, and their parameters."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import incerta as ic
from incerta.api.answer import cluster
from incerta.api.methods import asked, parameters_of
from incerta.estimators.named import IN_WORLDS, NAMES, PUBLISHED, made
from incerta.metrics import clustering_accuracy

FEW = {"n_worlds": 5}
FIND_THEIR_NUMBER = {"hdbscan", "dbscan", "optics", "meanshift"}


@pytest.fixture(scope="module")
def groups():
    """Three groups far apart, with errors."""
    truth = np.arange(45) % 3
    rng = np.random.default_rng(0)
    centers = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    values = centers[truth] + rng.normal(size=(45, 2))
    return ic.from_gaussian(values, std=0.5), truth


@pytest.mark.parametrize("name", IN_WORLDS)
def test_clusterers_of_scikit_learn_by_name(groups, name, tmp_path):
    data, truth = groups
    k = "auto" if name in FIND_THEIR_NUMBER else 3
    result = cluster(data, k, name.upper(), params=FEW)
    assert result.method == name
    assert f"by {name}" in repr(result)
    assert f"{name}, as requested: {IN_WORLDS[name].name} was run" in result.explain()
    inside = result.labels >= 0
    assert clustering_accuracy(truth[inside], result.labels[inside]) > 0.85
    assert inside.mean() > 0.6
    assert result.estimator.labels_per_world_.shape == (5, 45)
    result.save(tmp_path / "model.incerta")
    again = ic.load(tmp_path / "model.incerta")
    np.testing.assert_array_equal(again.predict(data[:4]), result.predict(data[:4]))


def test_it_is_world_consensus_of_beliefs(groups):
    data, _ = groups
    result = cluster(data, 3, "kmeans", params=FEW)
    assert "Values are measurements with errors" in result.explain()
    belief = result.deconvolver.transform(result.scaler.transform(data))
    model = ic.WorldConsensus(KMeans(3, n_init=3), 5, n_clusters=3, random_state=0)
    expected = model.fit(belief)
    np.testing.assert_array_equal(result.estimator.labels_, expected.labels_)
    np.testing.assert_array_equal(result.membership, expected.membership_)
    new = data[:6]
    np.testing.assert_array_equal(
        result.predict_proba(new),
        expected.predict_proba(
            result.deconvolver.transform(result.scaler.transform(new))
        ),
    )


@pytest.mark.parametrize("name", sorted(FIND_THEIR_NUMBER))
def test_who_finds_a_number_cannot_be_asked_for_one(groups, name):
    with pytest.raises(ValueError, match=f"k=3 cannot be set for {name}"):
        cluster(groups[0], 3, name)
    assert asked(name).finds_number


def test_the_number_is_chosen_for_the_others(groups):
    result = cluster(groups[0], method="kmeans", params=FEW)
    assert result.choice.k == 3
    assert result.estimator.clusterer.n_clusters == result.estimator.n_clusters == 3


@pytest.mark.parametrize(
    ("clusterer", "numbers"),
    [
        (KMeans(4), ("clusterer__n_clusters", "n_clusters")),
        (GaussianMixture(4), ("clusterer__n_components", "n_clusters")),
        (
            make_pipeline(StandardScaler(), PCA(2), KMeans(4)),
            ("clusterer__kmeans__n_clusters", "n_clusters"),
        ),
        (HDBSCAN(copy=True), ()),
        (make_pipeline(PCA(2), DBSCAN()), ()),
    ],
)
def test_where_the_number_goes(clusterer, numbers):
    found = asked(clusterer)
    assert found.numbers == numbers
    assert found.finds_number == (not numbers)
    assert found.estimator.n_clusters == (4 if numbers else None)
    if numbers:
        model = found.with_number(2)
        assert model.n_clusters == model.get_params()[numbers[0]] == 2


def test_a_clusterer_that_is_given_runs_in_every_world(groups):
    given = AgglomerativeClustering(4)
    result = cluster(groups[0], method=given, params=FEW)
    assert (result.method, result.n_clusters) == ("AgglomerativeClustering", 4)
    assert given.n_clusters == 4
    assert not hasattr(given, "labels_")  # it was copied
    assert cluster(groups[0], 3, given, params=FEW).n_clusters == 3
    loose = AgglomerativeClustering(None, distance_threshold=2.0)
    assert cluster(groups[0], method=loose, params=FEW).n_clusters == 3
    with pytest.raises(TypeError, match="is not a clusterer: it has no fit_predict"):
        cluster(groups[0], method=PCA())


def test_parameters_of_both(groups):
    found = asked("dbscan", {"eps": 0.25, "n_worlds": 7, "noise": "cluster"})
    assert found.estimator.clusterer.eps == 0.25
    assert (found.estimator.n_worlds, found.estimator.noise) == (7, "cluster")
    # Each fit in a world is on one thread: this one is for the worlds.
    assert asked("dbscan", {"n_jobs": 2}).estimator.n_jobs == 2
    assert asked("dbscan", {"n_jobs": 2}).estimator.clusterer.n_jobs is None
    assert asked("hdbscan", {"n_clusters": 3}).estimator.n_clusters == 3
    assert asked("auto", {"n_worlds": 9}).estimator.n_worlds == 9
    own = ic.UKMeans(n_init=2)
    assert asked(own, {"n_init": 5}).estimator.n_init == 5
    assert own.n_init == 2


@pytest.mark.parametrize("name", NAMES)
def test_every_method_has_parameters_but_number_and_seed(name):
    known = parameters_of(asked(name))
    assert known
    assert not {"random_state", "clusterer__random_state"} & set(known.values())
    assert not set(asked(name).numbers) & set(known.values())


@pytest.mark.parametrize(
    ("method", "name", "message"),
    [
        ("dbscan", "epps", "dbscan has no parameter 'epps'. Did you mean 'eps'?"),
        ("dbscan", "epps", "It has algorithm, checkpoint, consensus"),
        ("FDBSCAN", "zzz", "FDBSCAN has no parameter 'zzz'. It has "),
        ("kmeans", "n_clusters", "'n_clusters' is the number of clusters; set k."),
        ("gmm", "n_components", "'n_components' is the number of clusters; set k."),
        ("UKMeans", "random_state", "leave out 'random_state'; set random_state="),
    ],
)
def test_unknown_parameters_are_refused(groups, method, name, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        cluster(groups[0], method=method, params={name: 1})


def test_a_bad_value_is_refused_by_who_knows_it(groups):
    with pytest.raises(ValueError, match="'eps' parameter of DBSCAN must be"):
        cluster(groups[0], method="dbscan", params={"eps": -1.0, **FEW})


def test_rivals_have_names_but_are_not_listed():
    assert set(PUBLISHED) == set(ic.published.__all__)
    for name in PUBLISHED:
        assert type(made(name)) is getattr(ic.published, name)
        assert not hasattr(ic, name)
    with pytest.raises(ValueError, match="must be 'auto' or one of") as error:
        asked("nothing")
    assert not set(PUBLISHED) & set(re.findall(r"\w+", str(error.value)))


def test_the_pages_name_them_all():
    pages = Path(__file__).parents[2] / "docs"
    for text in (
        cluster.__doc__,
        (pages / "methods.rst").read_text(encoding="utf-8"),
        (pages / "consensus.rst").read_text(encoding="utf-8"),
    ):
        assert all(f"``{name}``" in text.replace('"', "") for name in IN_WORLDS)
