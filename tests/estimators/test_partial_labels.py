"""Clusters of objects of which some have labels that are known."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

import incerta as ic
from incerta.data.partitioned import PartitionedData

MAKERS = {
    "ErrorMixture": lambda k=3: ic.ErrorMixture(k, n_init=2, random_state=0),
    "AutoClusterer": lambda k=3: ic.AutoClusterer(k, n_worlds=3, random_state=0),
}
of_both = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def problem(seed=0, n=90, apart=2.5, ids=None):
    """Three clusters, and the labels of a tenth of their objects."""
    rng = np.random.default_rng(seed)
    target = rng.integers(3, size=n)
    std = 0.4 * np.exp(0.8 * rng.normal(size=(n, 1))) * np.ones(2)
    centers = apart * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    values = centers[target] + 0.6 * rng.normal(size=(n, 2))
    values += std * rng.normal(size=(n, 2))
    y = np.full(n, -1)
    for c in range(3):
        some = np.flatnonzero(target == c)[: n // 30]
        y[some] = c
    return ic.from_gaussian(values, std=std, ids=ids), target, y


@of_both
@pytest.mark.parametrize("k", [3, 5])
def test_known_labels_stay_and_name_the_clusters(make, k):
    data, target, y = problem()
    found = make(k).fit(data, y)
    known = y >= 0
    np.testing.assert_array_equal(found.labels_[known], y[known])
    np.testing.assert_array_equal(found.confidence_[known], 1.0)
    np.testing.assert_array_equal(
        found.membership_[known], np.eye(found.membership_.shape[1])[y[known]]
    )
    assert found.membership_.shape == (90, k)
    if k == 3:  # five clusters divide the three
        assert (found.labels_ == target)[~known].mean() > 0.7
        assert (found.predict(data) == target).mean() > 0.7
    # Clusters without names come after, in the order of their appearance.
    others = found.labels_[found.labels_ > 2]
    assert (np.diff(np.unique(others, return_index=True)[1]) > 0).all()


@of_both
@pytest.mark.parametrize("unknown", [True, False])
def test_without_partial_labels_nothing_changes(make, unknown):
    data, target, _ = problem()
    y = np.full(90, -1) if unknown else target
    one, two = make().fit(data), make().fit(data, y)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.membership_, two.membership_)


def test_classes_to_compare_with_are_no_labels():
    data, target, _ = problem()
    steps = make_pipeline(ic.Standardizer(), MAKERS["ErrorMixture"]())
    name = "errormixture__n_components"
    search = GridSearchCV(
        steps, {name: [2, 3]}, cv=2, scoring="adjusted_rand_score", error_score="raise"
    )
    assert search.fit(data, target).best_params_ == {name: 3}
    found = search.best_estimator_[-1].labels_
    assert adjusted_rand_score(target, found) < 1.0


@of_both
def test_labels_follow_their_objects(make):
    """A permutation of the rows permutes the result."""
    ids = np.random.default_rng(5).permutation(90)
    data, _, y = problem(ids=ids)
    order = np.random.default_rng(6).permutation(90)
    one, two = make().fit(data, y), make().fit(data[order], y[order])
    np.testing.assert_array_equal(one.labels_[order], two.labels_)
    np.testing.assert_array_equal(one.membership_[order], two.membership_)
    np.testing.assert_array_equal(two.labels_[y[order] >= 0], y[order][y[order] >= 0])


@of_both
def test_other_names_of_the_classes_are_other_names_of_the_clusters(make):
    data, _, y = problem(apart=4.0, n=60)
    names = np.array([2, 0, 1, -1])
    one, two = make().fit(data, y), make().fit(data, names[y])
    # An object between two clusters gets the lower number, which is another one now.
    assert np.abs(one.membership_ - two.membership_[:, names[:3]]).mean() < 0.02


@of_both
def test_labels_of_some_classes_leave_the_others_to_be_found(make):
    data, target, y = problem(apart=4.0)
    some = np.where(y == 1, y, -1)  # of clusters 0 and 2 nobody is known
    found = make().fit(data, some)
    assert adjusted_rand_score(target, found.labels_) > 0.7
    assert (found.labels_ == 1)[target == 1].mean() > 0.9


def test_a_model_with_labels_from_a_file(tmp_path):
    data, _, y = problem()
    found = MAKERS["AutoClusterer"]().fit(data, y)
    np.testing.assert_array_equal(
        MAKERS["AutoClusterer"]().fit_predict(data, y), found.labels_
    )
    found.save(tmp_path / "model.incerta")
    back = ic.load(tmp_path / "model.incerta")
    np.testing.assert_array_equal(back.labels_, found.labels_)
    np.testing.assert_array_equal(back.predict_proba(data), found.predict_proba(data))


@of_both
@pytest.mark.parametrize("kind", ["spread", "exact", "missing"])
def test_other_data(make, kind):
    data, target, y = problem(apart=4.0)
    if kind == "spread":
        rng = np.random.default_rng(0)
        data = ic.from_array(data.mean()[:, None] + 0.3 * rng.normal(size=(90, 6, 2)))
    values = data.mean()
    if kind == "exact":
        data = values
    if kind == "missing":
        values[::7, 1] = np.nan
        data = ic.from_gaussian(values, std=0.4, missing="infinite")
    found = make().fit(data, y)
    np.testing.assert_array_equal(found.labels_[y >= 0], y[y >= 0])
    assert (found.labels_ == target).mean() > 0.8


@of_both
def test_more_labels_than_clusters_are_refused(make):
    data, _, y = problem()
    parameter = make()._number_parameter
    with pytest.raises(ValueError, match=f"y has the label 2.*raise {parameter}"):
        make(2).fit(data, y)


def test_partitions_have_no_order_for_labels():
    data, _, y = problem()
    parts = PartitionedData((data[:40], data[40:]), data.feature_names)
    with pytest.raises(TypeError, match=r"y .*partitions.*X\.gather\(\)"):
        ic.ErrorMixture(3).fit(parts, y)
    ic.ErrorMixture(3, n_init=2, random_state=0).fit(parts, np.zeros(90))


def test_many_objects():
    """Labels are not lost where clusters are found with some of the objects."""
    data, target, _ = problem(n=1500)
    y = np.full(1500, -1)
    for c in range(3):
        y[np.flatnonzero(target == c)[:2]] = c
    found = ic.AutoClusterer(3, n_worlds=4, random_state=0).fit(data, y)
    np.testing.assert_array_equal(found.labels_[y >= 0], y[y >= 0])
    np.testing.assert_array_equal(found.confidence_[y >= 0], 1.0)
    assert (found.labels_ == target)[y < 0].mean() > 0.75


def test_the_number_of_components_is_at_least_that_of_the_classes():
    data, _, y = problem(apart=0.3)  # one cluster, if nobody knew
    given = {"n_init": 2, "max_components": 4, "random_state": 0}
    assert ic.ErrorMixture(**given).fit(data).n_clusters_ == 1
    found = ic.ErrorMixture(**given).fit(data, y)
    assert found.n_clusters_ == 3
    np.testing.assert_array_equal(found.labels_[y >= 0], y[y >= 0])
    with pytest.raises(ValueError, match="raise max_components"):
        ic.ErrorMixture(max_components=2).fit(data, y)


def test_objects_that_are_known_are_no_noise():
    data, _, y = problem(apart=4.0)
    box = np.random.default_rng(1).uniform(-20.0, 20.0, size=(20, 2))
    around = ic.from_gaussian(box, std=0.1, ids=np.arange(1000, 1020))
    both = ic.concat([data, around])
    mixture = ic.ErrorMixture(3, noise=True, n_init=2, random_state=0)
    found = mixture.fit(both, np.append(y, np.full(20, -1))).labels_[90:]
    lost = int(np.flatnonzero(found == -1)[0])
    told = np.full(20, -1)
    told[lost] = 2
    assert mixture.fit(both, np.append(y, told)).labels_[90 + lost] == 2


def test_labels_in_pieces():
    data, target, y = problem(n=300, apart=2.0)
    first, second = np.arange(150), np.arange(150, 300)
    y[150:165] = target[150:165]
    mixture = ic.ErrorMixture(3, n_init=2, random_state=0)
    mixture.partial_fit(data[first], y[first])
    blind = ic.ErrorMixture(3, n_init=2, random_state=0)
    blind.partial_fit(data[first], y[first]).partial_fit(data[second])
    mixture.partial_fit(data[second], y[second])
    known = y[second] >= 0
    np.testing.assert_array_equal(mixture.labels_[known], y[second][known])
    np.testing.assert_array_equal(mixture.confidence_[known], 1.0)
    assert (mixture.labels_ == target[second]).mean() > 0.75
    assert not np.array_equal(mixture.means_, blind.means_)
    with pytest.raises(ValueError, match="y has the label 3"):
        mixture.partial_fit(data[second], np.where(known, 3, -1))


def test_a_few_labels_settle_what_the_data_leave_open():
    """Four blobs, of which two and two belong together: no view can know which."""
    rng = np.random.default_rng(0)
    corner = rng.integers(4, size=120)
    values = 4.0 * np.array([[0, 0], [0, 1], [1, 0], [1, 1]])[corner]
    values = values + rng.normal(size=values.shape)
    for classes in (corner // 2, corner % 2):
        y = np.where(np.arange(120) < 12, classes, -1)
        for make in MAKERS.values():
            found = make(2).fit(ic.from_gaussian(values, std=0.2), y)
            assert (found.labels_ == classes)[12:].mean() > 0.95
