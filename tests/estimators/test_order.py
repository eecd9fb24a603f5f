"""What is found does not depend on the rows that objects come in, nor on the others."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

import incerta as ic
from incerta.selection import keep_worlds
from tests.estimators.test_contract import by_name, small
from tests.strategies import KINDS, make

pytestmark = pytest.mark.filterwarnings("ignore")
# Along the first axis of these lie the objects, or along the second one.
BY_OBJECT = ("labels_", "membership_", "confidence_", "embedding_", "reachability_")
BY_OBJECT += ("core_distances_", "core_probabilities_")
BY_WORLD = ("labels_per_world_", "raw_labels_per_world_", "clusterings_")


def named(kind, n=24, seed=5):
    """Objects whose ids are texts, in no order."""
    data = make(kind, n=n, d=2, seed=seed)
    ids = np.array([f"{'abc'[i % 3]}{i * 7 % n}" for i in range(n)])
    return replace(data, ids=ids)


def halves_the_other_way_round(data, order):
    half = len(data) // 2
    return ic.concat([data[order[:half]], data[order[half:]]])


USUAL = ("exact", "samples", "gaussian", "correlated", "worlds")


@by_name
@pytest.mark.parametrize(
    "kind",
    [pytest.param(k, marks=() if k in USUAL else pytest.mark.slow) for k in KINDS],
)
def test_neither_rows_nor_batches_matter(estimator, kind):
    data = named(kind)
    fitted = small(estimator).fit(data)
    check_the_order_of_the_rows(fitted, data, named(kind, n=10), kind)
    check_batches_of_new_objects(fitted, named(kind, seed=6))


def check_the_order_of_the_rows(one, data, new, kind):
    order = np.random.default_rng(1).permutation(len(data))
    ways = [halves_the_other_way_round(data, order)]
    if kind == "gaussian":
        ways.append(data[order])  # the same rows, never apart
    for moved in ways:
        two = clone(one).fit(moved)
        for axis, names in ((0, BY_OBJECT), (1, BY_WORLD)):
            for name in names:
                if hasattr(one, name):
                    expected = np.take(getattr(one, name), order, axis=axis)
                    np.testing.assert_array_equal(getattr(two, name), expected, name)
        np.testing.assert_array_equal(two.predict(new), one.predict(new))
        np.testing.assert_array_equal(two.predict_proba(new), one.predict_proba(new))


def check_batches_of_new_objects(fitted, new):
    labels, proba = fitted.predict(new), fitted.predict_proba(new)
    order = np.random.default_rng(1).permutation(len(new))
    for batch in (order[:1], order[1:]):
        np.testing.assert_array_equal(fitted.predict(new[batch]), labels[batch])
        found = fitted.predict_proba(new[batch])
        np.testing.assert_allclose(found, proba[batch], rtol=0, atol=1e-12)


def test_positions_are_those_of_the_rows():
    data = named("gaussian")
    order = np.random.default_rng(1).permutation(len(data))
    moved = data[order]
    for estimator in (ic.UKMedoids(3), ic.FDBSCAN(3.0, 3), ic.FOPTICS(3)):
        one = clone(estimator).set_params(random_state=0).fit(data)
        two = clone(estimator).set_params(random_state=0).fit(moved)
        for name in ("medoid_indices_", "ordering_"):
            if hasattr(one, name):
                np.testing.assert_array_equal(
                    moved.ids[getattr(two, name)], data.ids[getattr(one, name)]
                )
    foptics = one, two
    for eps in (1.0, 2.0, "auto"):
        found = [each.extract(eps=eps) for each in foptics]
        np.testing.assert_array_equal(found[1], found[0][order])
    before = [each.predecessor_ for each in foptics]
    known = before[0][order] >= 0
    np.testing.assert_array_equal(
        moved.ids[before[1]][known], data.ids[before[0][order]][known]
    )
    fdbscan = ic.FDBSCAN(3.0, 3, random_state=0).fit(moved)
    core = fdbscan.core_sample_indices_
    assert (np.diff(core) > 0).all()
    assert (fdbscan.core_probabilities_[core] >= fdbscan.min_probability).all()


def test_the_affinity_of_pairs_is_that_of_the_rows():
    data = named("gaussian")
    order = np.random.default_rng(1).permutation(len(data))
    for estimator in (
        ic.published.PossibleWorldConsistency(2, 20),
        ic.ExpectedSpectral(2),
    ):
        one = clone(estimator).set_params(random_state=0).fit(data)
        two = clone(estimator).set_params(random_state=0).fit(data[order])
        a, b = (
            each.toarray() if hasattr(each, "toarray") else each
            for each in (one.affinity_, two.affinity_)
        )
        np.testing.assert_array_equal(b, a[order][:, order])


def test_kept_worlds_are_brought_into_order():
    data = named("gaussian")
    order = np.random.default_rng(1).permutation(len(data))
    kept = keep_worlds(data, 30, 5, random_state=0)
    moved = replace(kept, drawn=kept.drawn.only(order))
    one, two = (ic.RPC(2, random_state=0).fit(each) for each in (kept, moved))
    np.testing.assert_array_equal(two.membership_, one.membership_[order])


def test_models_in_files_know_their_rows(tmp_path):
    data = named("gaussian")[::-1]
    for estimator in (
        ic.FOPTICS(3),
        ic.UKMeans(3),
        ic.published.PossibleWorldConsistency(2, 20),
    ):
        model = estimator.set_params(random_state=0).fit(data)
        model.save(tmp_path / "model.incerta")
        again = ic.load(tmp_path / "model.incerta")
        np.testing.assert_array_equal(again.membership_, model.membership_)
        np.testing.assert_array_equal(again.predict(data), model.predict(data))
        if hasattr(model, "extract"):
            np.testing.assert_array_equal(
                again.extract(eps=2.0), model.extract(eps=2.0)
            )


def test_a_second_fit_forgets_the_order_of_the_first():
    data = named("gaussian")
    order = np.argsort(data.ids)
    uk = ic.UKMeans(2, random_state=0).fit(data)
    expected = uk.membership_[order]
    np.testing.assert_array_equal(uk.fit(data[order]).membership_, expected)
    uk.partial_fit(data)
    np.testing.assert_array_equal(uk.membership_, uk.predict_proba(data))


def test_rows_of_a_long_table_may_come_in_any_order():
    rng = np.random.default_rng(0)
    names = rng.permutation([f"s{i}" for i in range(20)])
    table = {"id": np.repeat(names, 5), "x": rng.normal(size=100)}
    table["y"] = rng.normal(size=100).round() + (table["id"] > "s5") * 3.0
    table["w"] = rng.uniform(size=100)
    order = rng.permutation(100)
    shuffled = {name: column[order] for name, column in table.items()}
    for weight in (None, "w"):
        one, two = (
            ic.from_frame(rows, id="id", values=["x", "y"], weight=weight)
            for rows in (table, shuffled)
        )
        order = [two.ids.tolist().index(i) for i in one.ids]
        np.testing.assert_array_equal(
            two.worlds(7, 0).stack()[:, order], one.worlds(7, 0).stack()
        )
        rpc = [ic.RPC(2, 30, 5, random_state=0).fit(each) for each in (one, two)]
        np.testing.assert_array_equal(rpc[1].membership_[order], rpc[0].membership_)


def test_scales_and_numbers_of_clusters_do_not_depend_on_the_order():
    data = named("gaussian", n=40)
    moved = data[np.random.default_rng(1).permutation(40)]
    one, two = (ic.Standardizer("total").fit(each) for each in (data, moved))
    np.testing.assert_array_equal(two.scale_, one.scale_)
    np.testing.assert_array_equal(two.center_, one.center_)
    found = [ic.choose_k(each, range(1, 4), random_state=0) for each in (data, moved)]
    assert found[0].k == found[1].k


def test_cluster_says_the_same_of_every_object():
    data = named("gaussian", n=40)
    order = np.random.default_rng(1).permutation(40)
    one, two = (ic.cluster(each, 3, random_state=0) for each in (data, data[order]))
    np.testing.assert_array_equal(two.labels, one.labels[order])
    np.testing.assert_array_equal(two.confidence, one.confidence[order])
