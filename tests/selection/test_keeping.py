import numpy as np
import pytest

import incerta as ic
from incerta.divergence import energy
from incerta.selection import Kept, keep_worlds, representatives
from tests.strategies import make

TAKE_KEPT = [
    ic.RPC(2, n_worlds=12, n_representatives=4, random_state=5),
    ic.SC(2.0, 3, n_worlds=12, n_representatives=4, random_state=5),
    ic.REP(n_worlds=12, n_representatives=4, random_state=5),
    ic.PossibleWorldConsistency(
        2, n_worlds=12, n_representatives=4, n_neighbors=3, random_state=5
    ),
]


def keep(data, n=4, **how):
    return keep_worlds(data, 12, n, seed=5, **how)


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


@pytest.mark.parametrize(
    ("kind", "n", "message"),
    [
        ("gaussian", 13, "=13 worlds cannot be kept out of n_worlds=12"),
        ("worlds", 7, "cannot be kept out of the 6 joint draws"),
    ],
)
def test_too_many(kind, n, message):
    with pytest.raises(ValueError, match=message):
        keep(make(kind), n)


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
    rep = ic.REP(n_worlds=12, random_state=5)
    assert rep.fit(keep(data, None)).phi_ is not None
    assert rep.fit(keep(data)).phi_ is None
    with pytest.raises(ValueError, match=r"holdout=0\.3 counts random worlds"):
        rep.set_params(holdout=0.3).fit(keep(data))
