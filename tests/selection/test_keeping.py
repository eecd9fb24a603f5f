import numpy as np
import pytest

import incerta as ic
from incerta.backend.keyed import keys_of, some_by_key
from incerta.divergence import (
    between_clusterings,
    energy,
    jensen_shannon,
    jensen_shannon_per_feature,
)
from incerta.selection import Kept, keep_worlds, representatives
from incerta.selection.keeping import random_worlds
from tests.strategies import make

TAKE_KEPT = [
    ic.RPC(2, n_worlds=12, n_representatives=4, random_state=5),
    ic.published.SC(2.0, 3, n_worlds=12, n_representatives=4, random_state=5),
    ic.published.REP(n_worlds=12, n_representatives=4, random_state=5),
    ic.published.PossibleWorldConsistency(
        2, n_worlds=12, n_representatives=4, n_neighbors=3, random_state=5
    ),
]


def keep(data, n=4, **how):
    return keep_worlds(data, 12, n, random_state=5, **how)


def test_some_of_the_worlds():
    data = make("gaussian", n=9)
    kept = keep(data)
    assert kept.data is data
    assert len(kept.drawn) == 12
    assert kept.divergences.shape == (12, 12)
    np.testing.assert_array_equal(kept.chosen, representatives(kept.divergences, 4))
    np.testing.assert_array_equal(kept.worlds.indices, kept.positions)
    assert (np.diff(kept.loss) <= 0).all()
    np.testing.assert_array_equal(keep(data, 2).chosen, kept.chosen[:2])


def test_all_worlds():
    kept = keep(make("gaussian", n=9), None)
    assert kept.chosen is kept.divergences is kept.loss is None
    np.testing.assert_array_equal(kept.positions, np.arange(12))


def test_random_worlds_need_no_divergences():
    kept = keep(make("gaussian"), selection="random", divergence=lambda _: 1 / 0)
    assert len(set(kept.chosen)) == 4
    assert kept.divergences is None
    np.testing.assert_array_equal(kept.chosen, random_worlds(12, 4, 5))


def test_the_selection_asked_for_is_made():
    data, places = make("gaussian", n=3), np.arange(12.0) ** 2
    apart = np.abs(places[:, None] - places)
    for selection in ("greedy", "central"):
        kept = keep(data, selection=selection, divergence=lambda _: apart)
        chosen = representatives(apart, 4, selection)
        np.testing.assert_array_equal(kept.chosen, chosen)
    assert not np.array_equal(chosen, representatives(apart, 4))


@pytest.mark.parametrize("n_clusters", [2, 4])
def test_clusterings_have_the_number_asked_for(n_clusters):
    data = make("gaussian", n=9)
    kept = keep(data, divergence="clustering", n_clusters=n_clusters)
    apart = between_clusterings(kept.drawn, n_clusters, random_state=5)
    np.testing.assert_array_equal(kept.divergences, apart)


@pytest.mark.parametrize("named", ["per-feature", "energy", "clustering"])
def test_named_divergences(named):
    assert len(keep(make("gaussian", n=9), divergence=named).chosen) == 4


def test_own_divergence():
    data = make("gaussian", n=9)
    np.testing.assert_array_equal(
        keep(data, divergence=energy).divergences,
        keep(data, divergence="energy").divergences,
    )


def test_exact_data_have_one_world():
    kept = keep(make("exact"))
    np.testing.assert_array_equal(kept.chosen, [0])
    assert len(kept.worlds) == 1


def test_too_many():
    with pytest.raises(ValueError, match="=13 is larger than n_worlds=1"):
        keep(make("gaussian"), 13)


def test_all_draws_of_joint_data_with_fewer_are_kept():
    kept = keep(make("worlds"), 7)
    np.testing.assert_array_equal(np.sort(kept.positions), np.arange(6))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"selection": "best"}, "selection='best' must be one of greedy"),
        ({"divergence": "l2"}, "divergence='l2' must be a function or one of jensen"),
    ],
)
def test_wrong_names(wrong, message):
    with pytest.raises(ValueError, match=message):
        keep(make("gaussian"), **wrong)


def test_anything_that_is_uncertain_data_will_do():
    assert len(keep([[[0.0], [1.0]], [[3.0]], [[5.0], [6.0]]]).worlds) == 4


@pytest.mark.parametrize("kind", ["gaussian", "worlds", "exact"])
@pytest.mark.parametrize("estimator", TAKE_KEPT, ids=lambda e: type(e).__name__)
@pytest.mark.filterwarnings("ignore")
def test_a_fit_to_kept_worlds_is_the_same_fit(estimator, kind):
    data = make(kind, n=20, seed=2)
    kept = keep(data)
    one = estimator.fit(data)
    found = one.labels_, one.membership_, one.predict_proba(data[:5])
    two = estimator.fit(kept)
    for a, b in zip(found, (two.labels_, two.membership_, two.predict_proba(data[:5]))):
        np.testing.assert_array_equal(a, b)


def test_others_have_no_use_for_kept_worlds():
    with pytest.raises(TypeError, match=r"kept worlds.*UKMeans.*pass X\.data"):
        ic.UKMeans(2).fit(Kept(make("gaussian").worlds(3, 0)))


def test_no_bound_is_given_for_worlds_that_somebody_chose():
    data = make("gaussian", n=20)
    rep = ic.published.REP(n_worlds=12, random_state=5)
    assert rep.fit(keep(data, None)).phi_ is not None
    assert rep.fit(keep(data)).phi_ is None
    with pytest.raises(ValueError, match=r"holdout=0\.3 counts random worlds"):
        rep.set_params(holdout=0.3).fit(keep(data))


def many(n=1200, shift=4.0):
    """Objects that move together: in half of the draws, far to the right."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(n, 2)) + 0.1 * rng.normal(size=(12, n, 2))
    values[::2, :, 0] += shift
    return ic.from_worlds(values)


@pytest.mark.parametrize("divergence", ["jensen-shannon", "per-feature"])
def test_many_objects_are_compared_by_some(divergence):
    data = many()
    kept = keep(data, 2, divergence=divergence)
    function = {"jensen-shannon": jensen_shannon}.get(
        divergence, jensen_shannon_per_feature
    )
    exact = keep(data, 2, divergence=function)
    assert exact.error is None
    assert kept.error.shape == (12, 12)
    np.testing.assert_array_equal(np.diag(kept.error), 0.0)
    np.testing.assert_allclose(kept.error, kept.error.T)
    # Worlds of both kinds are told apart, and one of each is kept.
    unlike = np.abs(np.subtract.outer(np.arange(12) % 2, np.arange(12) % 2)) == 1
    assert kept.divergences[unlike].min() > 3 * kept.divergences[~unlike].max()
    np.testing.assert_allclose(
        kept.divergences[unlike], exact.divergences[unlike], atol=0.05
    )
    assert set(kept.chosen % 2) == {0, 1}


def test_the_part_is_the_same_objects_in_any_order():
    data = many()
    order = np.random.default_rng(1).permutation(len(data))
    one, two = (keep(each, 2) for each in (data, data[order]))
    np.testing.assert_allclose(two.divergences, one.divergences, atol=1e-6)


def test_a_fit_tells_the_error_of_its_divergences():
    rpc = ic.RPC(2, 12, 2, n_neighbors=5, random_state=5).fit(many(1001))
    assert rpc.divergence_error_.shape == (12, 12)
    assert ic.RPC(2, 12, 2, random_state=5).fit(many(40)).divergence_error_ is None


@pytest.mark.parametrize("divergence", ["energy", "clustering"])
def test_not_all_divergences_know_weights(divergence):
    with pytest.raises(ValueError, match="does not support weights"):
        keep_worlds(
            [[[0.0], [1.0]], [[2.0], [5.0]]],
            4,
            2,
            divergence=divergence,
            random_state=0,
            weights=np.ones(2),
        )


@pytest.mark.parametrize(("n", "n_compared"), [(1000, 1000), (1001, 250)])
def test_many_objects_are_not_all_compared(n, n_compared):
    data = ic.from_gaussian(np.arange(float(n))[:, None], std=1.0)
    some = data[some_by_key(keys_of(data.ids), n_compared, 0)]
    found, expected = (keep_worlds(each, 4, 2, random_state=0) for each in (data, some))
    np.testing.assert_allclose(found.divergences, expected.divergences)
