"""Gaps in joint draws: how well they are filled, and how sure."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import incerta as ic
from incerta.data.tables.draws import _effects, fill_draws
from incerta.exceptions import IncertaWarning, MissingValueError

NAMES = ("p", "q")


def simulated(rng, n_draws, n_objects, *, shift=2.0):
    """Draws with shifts, objects that vary more or less, and correlated features."""
    objects = rng.normal(0.0, 3.0, (n_objects, 2))
    shifts = rng.normal(0.0, shift, (n_draws, 1, 2))
    spread = rng.gamma(5.0, 0.2, (n_objects, 1))
    together = np.linalg.cholesky([[1.0, 0.8], [0.8, 1.0]])
    rest = rng.normal(size=(n_draws, n_objects, 2)) @ together.T
    return objects + shifts + spread * rest


def with_gaps(rng, worlds, part=0.1):
    """Some cells missing, and some objects missing in a draw."""
    gaps = rng.random(worlds.shape) < part
    gaps |= (rng.random(worlds.shape[:2]) < part / 2)[:, :, None]
    gaps[:2] = False
    return np.where(gaps, np.nan, worlds), gaps


def fills(worlds, n):
    n_draws, n_objects, _ = worlds.shape
    labels = np.arange(n_objects), np.arange(n_draws)
    seeds = map(np.random.default_rng, range(n))
    return np.stack([fill_draws(worlds, *labels, NAMES, rng) for rng in seeds])


@pytest.fixture(scope="module")
def filled():
    """True values of what was missing, fills of these, and the objects' means."""
    rng = np.random.default_rng(0)
    truth = simulated(rng, 60, 25)
    worlds, gaps = with_gaps(rng, truth)
    usual = np.broadcast_to(np.nanmean(worlds, axis=0), worlds.shape)
    return truth, gaps, fills(worlds, 40), usual


def test_it_is_nearer_than_the_mean_of_the_object(filled):
    truth, gaps, found, usual = filled
    ours = np.sqrt(np.mean((found.mean(axis=0) - truth)[gaps] ** 2))
    theirs = np.sqrt(np.mean((usual - truth)[gaps] ** 2))
    assert ours < 0.6 * theirs


def test_the_truth_is_where_fills_are(filled):
    truth, gaps, found, _ = filled
    rank = (found < truth).mean(axis=0)[gaps]
    # As one of 41 equal ones it would be in the middle 80% as often.
    assert np.mean((rank >= 0.1) & (rank <= 0.9)) == pytest.approx(0.8, abs=0.06)
    error = np.mean((found[0] - truth)[gaps] ** 2)
    left = np.mean((found.mean(axis=0) - truth)[gaps] ** 2)
    assert error == pytest.approx(2.0 * left, rel=0.15)


def test_the_spread_is_not_understated(filled):
    truth, _, found, _ = filled
    ratio = found[0].var(axis=0, ddof=1) / truth.var(axis=0, ddof=1)
    assert ratio.mean() == pytest.approx(1.0, abs=0.05)


def test_without_shifts_it_is_as_good_as_the_mean():
    rng = np.random.default_rng(1)
    truth = simulated(rng, 60, 25, shift=0.0)
    worlds, gaps = with_gaps(rng, truth)
    absent = gaps.all(axis=2)  # where nothing else is known
    usual = np.broadcast_to(np.nanmean(worlds, axis=0), worlds.shape)
    ours = np.mean((fills(worlds, 10).mean(axis=0) - truth)[absent] ** 2)
    assert ours < 1.2 * np.mean((usual - truth)[absent] ** 2)


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 6), m=st.integers(3, 8))
def test_order_does_not_matter_and_known_values_stay(seed, n, m):
    rng = np.random.default_rng(seed)
    worlds, gaps = with_gaps(rng, simulated(rng, m, n), 0.4)
    ids, draws = np.array([f"o{i}" for i in range(n)]), np.arange(m) * 10
    found = fill_draws(worlds, ids, draws, NAMES)
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found[~gaps], worlds[~gaps])
    i, j = rng.permutation(m), rng.permutation(n)
    again = fill_draws(worlds[np.ix_(i, j)], ids[j], draws[i], NAMES)
    np.testing.assert_array_equal(again, found[np.ix_(i, j)])


def test_an_exact_pattern_is_found():
    objects, shifts = np.arange(5.0)[:, None], 10.0 * np.arange(4.0)
    truth = objects + shifts[:, None, None]
    worlds = truth.copy()
    worlds[1, 2] = worlds[3, 4] = np.nan
    found = fill_draws(worlds, np.arange(5), np.arange(4), ("x",))
    np.testing.assert_allclose(found, truth, atol=0.05)


def test_values_that_never_change():
    worlds = np.ones((4, 3, 2))
    worlds[2, 1, 0] = np.nan
    np.testing.assert_array_equal(
        fill_draws(worlds, np.arange(3), np.arange(4), NAMES), np.ones((4, 3, 2))
    )


def long_table(worlds):
    m, n, _ = worlds.shape
    draw, id = np.indices((m, n)).reshape(2, -1)
    columns = dict(zip(NAMES, worlds.reshape(-1, 2).T, strict=True))
    return {"id": id, "draw": draw, **columns}


SAID = {"id": "id", "values": list(NAMES), "sample": "draw", "joint": True}


def test_rows_in_any_order_and_rows_that_are_absent():
    rng = np.random.default_rng(2)
    worlds, gaps = with_gaps(rng, simulated(rng, 12, 6))
    whole = long_table(worlds)
    present = np.flatnonzero(~gaps.all(axis=2).ravel())
    assert len(present) < gaps[..., 0].size
    expected = fill_draws(worlds, np.arange(6), np.arange(12), NAMES)
    said = f"{gaps.sum()} missing values of 5 objects in 7 of 12 joint draws were"
    for rows in (np.arange(72), present, rng.permutation(present)):
        table = {name: column[rows] for name, column in whole.items()}
        with pytest.warns(IncertaWarning, match=said):
            data = ic.from_frame(table, **SAID, missing="impute")
        found = data.worlds(12).stack()[:, np.argsort(data.ids)]
        draws = list(dict.fromkeys(table["draw"].tolist()))
        np.testing.assert_array_equal(found[np.argsort(draws)], expected)


def test_labeled_arrays_are_filled_alike():
    xr = pytest.importorskip("xarray")
    rng = np.random.default_rng(3)
    worlds, _ = with_gaps(rng, simulated(rng, 12, 6))
    expected = fill_draws(worlds, np.arange(6), np.arange(12), NAMES)
    array = xr.DataArray(
        worlds,
        dims=("draw", "id", "feature"),
        coords={"id": np.arange(6), "draw": np.arange(12), "feature": list(NAMES)},
    )
    for order in (slice(None), slice(None, None, -1)):
        with pytest.warns(IncertaWarning, match="were filled"):
            data = ic.from_frame(
                array.isel(draw=order),
                **(SAID | {"values": "feature"}),
                missing="impute",
            )
        np.testing.assert_array_equal(data.worlds(12).stack(), expected[order])


@pytest.mark.parametrize(
    ("gaps", "message"),
    [
        (np.s_[:, 1, 0], "object 1 has no value of 'p' in any joint draw"),
        (np.s_[1:, :, 1], "no object has a value of 'q' in two joint draws"),
    ],
)
def test_what_cannot_be_filled(gaps, message):
    worlds = np.random.default_rng(0).normal(size=(4, 3, 2))
    worlds[gaps] = np.nan
    with pytest.raises(MissingValueError, match=message):
        fill_draws(worlds, np.arange(3), np.arange(4), NAMES)


def test_a_shift_that_is_not_known_is_one_for_the_whole_draw():
    """Where one object of a draw is known, the others are off together."""
    rng = np.random.default_rng(0)
    worlds = simulated(rng, 12, 20, shift=0.5)
    worlds[0, 1:] = np.nan
    y, known = worlds.copy(), ~np.isnan(worlds)
    unsure = _effects(y, known).unsure[0]
    means = fills(worlds, 100)[:, 0, 1:].mean(axis=1)
    assert (unsure > 0.05).all()
    assert (means.var(axis=0) > 0.7 * unsure).all()


@pytest.mark.parametrize("part", [0.0, 0.3])
def test_what_differs_between_few_draws_is_not_understated(part):
    rng = np.random.default_rng(3)
    shifts = np.array([[[0.0, 5.0]], [[2.0, -5.0]], [[-2.0, 1.0]], [[1.0, 0.0]]])
    y = rng.normal(0.0, 9.0, (900, 2)) + shifts + rng.normal(size=(4, 900, 2))
    known = rng.random(y.shape) >= part
    known[:2] = True
    found = _effects(np.where(known, y, np.nan), known)
    np.testing.assert_allclose(found.variance, 1.0, rtol=0.1)
    between = found.of_draws[1:] - found.of_draws[0]
    np.testing.assert_allclose(between, (shifts[1:] - shifts[0])[:, 0], atol=0.2)
