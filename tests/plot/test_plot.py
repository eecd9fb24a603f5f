"""What the plots draw; how they look was looked at."""

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from tests.strategies import KINDS, make, uncertain_data

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.collections import EllipseCollection, LineCollection  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402

from incerta import plot  # noqa: E402
from incerta.ensemble.linkage import patterns  # noqa: E402
from incerta.plot import style  # noqa: E402
from incerta.plot.bars import highest_bars, sorted_bars, stacked_on_own  # noqa: E402
from incerta.plot.curves import in_bins  # noqa: E402
from incerta.plot.frame import limits, one_hot, separating_features  # noqa: E402
from incerta.plot.objects import ellipse_axes  # noqa: E402
from incerta.plot.valleys import BARS, along, histogram  # noqa: E402
from incerta.plot.worlds import (  # noqa: E402
    by_cluster_and_company,
    classical_scaling,
    mean_together,
)


def inputs(n=40, k=3, seed=0):
    """What every plot is drawn from, for `n` objects in `k` clusters and noise."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(-1, k, n) if k else np.full(n, -1)
    shares = rng.dirichlet(np.ones(k + 1), n)[:, :k]
    worlds = np.where(rng.random((9, n)) < 0.8, labels, rng.integers(-1, max(k, 1), n))
    squares = np.square(rng.normal(size=(8, 1)) - rng.normal(size=8))
    reach = np.append(np.inf, rng.random(n - 1))
    return {
        "scatter": (make("gaussian", n, 4, seed), labels, rng.random(n)),
        "membership": (shares, labels),
        "coassociation": (worlds, labels),
        "divergences": (squares + squares.T, [3, 1]),
        "objective": (np.cumsum(rng.random(7)),),
        "choice": ([1, 2, 3], [0.0, 0.9, 0.4], np.sort(rng.random((2, 3)), axis=0), 2),
        "reachability": (reach, rng.permutation(n), labels, 0.5),
        "reliability": (rng.random(n), rng.random(n) < 0.5),
        "members": (make("gaussian", n, 4, seed), rng.random(n)),
        "valley": (rng.normal(size=n), np.ones(n), [-1.0, 0.0, 1.0], [0.1, 0.4, 0.1]),
    }


every_plot = pytest.mark.parametrize("name", plot.__all__)
SIZES = {"usual": (40, 3), "one object": (1, 1), "one cluster": (9, 1)}
SIZES |= {"all noise": (9, 0), "more clusters than colors": (200, 12)}
SIZES |= {"more than are named": (300, 25), "large": (20_000, 4)}


@pytest.mark.parametrize(
    ("name", "size"),
    [
        (name, size)
        for name in plot.__all__
        for size in SIZES
        if size == "usual" or name not in ("objective", "choice", "divergences")
    ],
)
def test_every_plot_is_drawn_and_labeled(name, size):
    before = plt.get_fignums()
    ax = getattr(plot, name)(*inputs(*SIZES[size])[name])
    assert isinstance(ax, Axes)
    assert ax.get_xlabel()
    assert ax.get_ylabel()
    ax.figure.draw_without_rendering()  # a warning would be an error
    assert plt.get_fignums() == before


@every_plot
def test_axes_that_are_given(name):
    figure, (left, right) = plt.subplots(1, 2)
    before = plt.get_fignums()
    ax = getattr(plot, name)(*inputs()[name], ax=left)
    assert ax is left
    assert not right.has_data()
    assert plt.get_fignums() == before
    plt.close(figure)


@every_plot
def test_pictures_can_be_saved(name, tmp_path):
    ax = getattr(plot, name)(*inputs(12)[name])
    ax.figure.savefig(tmp_path / "plot.png", dpi=40)
    assert (tmp_path / "plot.png").stat().st_size > 1000


# style


def test_clusters_can_be_told_apart_without_color():
    looks = {(style.color_of(c), style.marker_of(c)) for c in range(42)}
    assert len(looks) == 42
    assert len({style.marker_of(c) for c in range(-1, 7)}) == 8
    assert len({style.fill_of(c)["hatch"] for c in range(7)}) == 7


def test_colors_by_label():
    labels = np.array([0, 7, -1, 5])
    hexes = [style.color_of(label) for label in labels.tolist()]
    rgba = style.rgba_of(labels, np.array([0.1, 0.2, 0.3, 0.4]))
    assert [to_hex(color).upper() for color in rgba] == hexes
    np.testing.assert_array_equal(rgba[:, 3], [0.1, 0.2, 0.3, 0.4])
    assert hexes[2] == style.NOISE


def test_legend_names_clusters_with_their_sizes():
    _, labels, confidence = inputs()["scatter"]
    ax = plot.scatter(make("gaussian", 40, 2), labels, confidence)
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    sizes = [(labels == c).sum() for c in (0, 1, 2, -1)]
    names = ["cluster 0", "cluster 1", "cluster 2", "noise"]
    assert texts == [f"{name} ({size})" for name, size in zip(names, sizes)]


# scatter


@pytest.mark.parametrize("n_features", [1, 2])
def test_clusters_by_their_names_and_rings(n_features):
    data = make("gaussian", 4, n_features)
    labels, names = [1, 0, -1, 1], ["$\\bad", "_b", "no label"]
    ax = plot.scatter(data, labels, names=names, ringed=[3, 1])
    rings = ax.collections[-1]
    places = rings.get_offsets()
    np.testing.assert_array_equal(places[:, :2][:, 0], data.mean()[[3, 1], 0])
    assert len(rings.get_facecolors()) == 0
    ax.figure.draw_without_rendering()
    if n_features == 1:
        assert [text.get_text() for text in ax.get_yticklabels()] == names
    else:
        texts = [text.get_text() for text in ax.get_legend().get_texts()]
        assert texts == ["$\\bad (1)", "_b (2)", "no label (1)"]
        assert ax.get_legend().get_title().get_text() == "ringed: look first"


@given(data=uncertain_data(), seed=st.integers(0, 99))
def test_ellipses_are_the_roots_of_the_covariance(data, seed):
    covariance = data.affine(
        np.random.default_rng(seed).normal(size=(2, data.n_features))
    ).covariance()
    lengths, widths, angles = ellipse_axes(covariance)
    values, vectors = np.linalg.eigh(covariance)
    scale = np.sqrt(values.max(initial=1e-12))
    np.testing.assert_allclose(lengths, 2 * np.sqrt(values[:, 1].clip(0)))
    np.testing.assert_allclose(
        widths, 2 * np.sqrt(values[:, 0].clip(0)), atol=1e-6 * scale
    )
    turned = np.stack([np.cos(np.radians(angles)), np.sin(np.radians(angles))], axis=1)
    along = np.abs(np.sum(turned * vectors[:, :, 1], axis=1))
    clear = values[:, 1] > values[:, 0] * (1 + 1e-6) + 1e-12
    np.testing.assert_allclose(along[clear], 1.0, atol=1e-6)


def test_ellipses_of_features_in_very_different_units():
    covariance = np.array([[[1e16, 3e3], [3e3, 1e-4]]])
    lengths, widths, angles = ellipse_axes(covariance)
    assert lengths[0] == pytest.approx(2e8)
    assert widths[0] == pytest.approx(2 * np.sqrt((1e12 - 9e6) / 1e16))
    assert angles[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("d", [1, 3])
def test_every_kind_of_data(kind, d):
    ax = plot.scatter(make(kind, 8, d), np.arange(8) % 3 - 1)
    sort = LineCollection if d == 1 else EllipseCollection
    drawn = [c for c in ax.collections if isinstance(c, sort)]
    assert len(drawn) == (kind != "exact")


def test_what_a_scatter_draws():
    data = ic.from_gaussian(
        [[0.0, 1.0], [5.0, 2.0], [9.0, 3.0]],
        cov=[[[1.0, 0.0], [0.0, 0.25]], [[4.0, 0.0], [0.0, 4.0]], np.zeros((2, 2))],
    )
    ax = plot.scatter(data, [1, 0, -1], [1.0, np.nan, 0.5])
    ellipses = ax.collections[0]
    # The larger one is drawn first, and a point has no ellipse.
    np.testing.assert_allclose(ellipses.get_widths(), [4.0, 2.0])
    np.testing.assert_allclose(ellipses.get_heights(), [4.0, 1.0])
    np.testing.assert_allclose(ellipses.get_offsets(), [[5.0, 2.0], [0.0, 1.0]])
    points = ax.collections[1:]
    places = np.concatenate([p.get_offsets() for p in points])
    colors = np.concatenate([p.get_facecolors() for p in points])
    np.testing.assert_allclose(places, data.mean()[[2, 0, 1]])
    assert [to_hex(c).upper() for c in colors] == [
        style.NOISE,
        style.PALETTE[1],
        style.PALETTE[0],
    ]
    np.testing.assert_allclose(colors[:, 3], [0.575, 1.0, 0.15])
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert left < -1.0
    assert right > 9.0
    assert bottom < 0.5
    assert top > 3.0


def test_far_values_do_not_stretch_the_axes():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(400, 2))
    usual = limits(values)
    np.testing.assert_array_equal(usual, [values.min(axis=0), values.max(axis=0)])
    far = np.vstack([values, [[1e6, 0.0], [0.0, -1e9], [np.nan, 0.0]]])
    np.testing.assert_array_equal(limits(far), usual)
    # Bars are within, except for one that is much longer than the others.
    bars = np.ones_like(far)
    bars[np.nanargmin(far[:, 0]), 0] = 1e3
    wider = usual + np.array([[-1.5, -1.0], [1.0, 1.0]])
    np.testing.assert_allclose(limits(far, bars), wider)
    # Of a few values all count, and a constant stays.
    few = far[-19:, 1:]
    np.testing.assert_array_equal(limits(few), [few.min(axis=0), few.max(axis=0)])
    np.testing.assert_array_equal(limits(np.full((30, 1), 7.0)).T[0], [7.0, 7.0])
    ax = plot.scatter(ic.as_uncertain(far[:-1]), np.zeros(402, int), ringed=[400])
    _, right, below, ring = (c.get_offsets().tolist() for c in ax.collections)
    assert right == ring == [[ax.get_xlim()[1], 0.0]]
    assert below == [[0.0, ax.get_ylim()[0]]]
    title = ax.get_title(loc="left")
    assert title == "2 objects lie outside: see the arrows"


def test_a_strip_keeps_values_and_rows():
    data = ic.from_gaussian([[3.0], [1.0], [2.0]], std=[[0.5], [1.0], [2.0]])
    ax = plot.scatter(data, [0, 1, -1])
    bars = np.array(ax.collections[0].get_segments())
    np.testing.assert_allclose(bars[:, :, 0], [[2.5, 3.5], [0.0, 2.0], [0.0, 4.0]])
    assert np.rint(bars[:, 0, 1]).tolist() == [0, -1, -2]
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["cluster 0", "cluster 1", "noise"]


def best_pair(means, variances, labels):
    return separating_features(means, variances, one_hot(labels))[:2].tolist()


def by_hand_best_pair(means, variances, labels):
    kept = labels >= 0
    x, v, y = np.clip(means, *limits(means))[kept], variances[kept], labels[kept]
    between, within = np.zeros((2, x.shape[1], x.shape[1]))
    for cluster in np.unique(y):
        mine = x[y == cluster]
        gap = mine.mean(axis=0) - x.mean(axis=0)
        between += len(mine) / len(x) * np.outer(gap, gap)
        within += len(mine) / len(x) * np.cov(mine.T, bias=True)
    shrunk = 0.99 * within
    np.fill_diagonal(shrunk, np.diag(within) + v.mean(axis=0))
    pairs = [(i, j) for j in range(x.shape[1]) for i in range(j)]
    scores = [
        np.trace(np.linalg.solve(shrunk[np.ix_(p, p)], between[np.ix_(p, p)]))
        for p in pairs
    ]
    return set(pairs[int(np.argmax(scores))])


@given(seed=st.integers(0, 2**32 - 1), d=st.integers(2, 6), k=st.integers(2, 4))
def test_the_pair_that_separates_best(seed, d, k):
    rng = np.random.default_rng(seed)
    labels = np.append(rng.integers(-1, k, 40), [0, 0, 1, 1])
    means = rng.normal(size=(44, d)) @ rng.normal(size=(d, d))
    means += rng.normal(size=(k + 1, d))[labels]
    variances = rng.random((44, d)) * rng.random(d)
    found = best_pair(means, variances, labels)
    assert set(found) == by_hand_best_pair(means, variances, labels)


def test_features_chosen_for_good_reasons():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1], 50)
    means = rng.normal(size=(100, 5))
    means[:, 2] += 4.0 * labels
    means[:, 4] = 1000.0 * means[:, 2]  # a copy in other units
    means[:, 1] += 3.0 * labels
    found = best_pair(means, np.zeros((100, 5)), labels)
    assert sorted(found) in ([1, 2], [1, 4])
    errors = np.zeros((100, 5))
    errors[:, [2, 4]] = [1e3, 1e9]  # measured badly
    assert 1 in best_pair(means, errors, labels)[:1]
    means[:, 3] = 7.0
    assert 3 not in best_pair(means, errors, labels)
    ax = plot.scatter(ic.from_gaussian(means, std=np.sqrt(errors)), labels)
    assert ax.get_xlabel() == "x1"
    assert "2 of 5 features" in ax.get_title(loc="left")


def test_objects_count_by_their_membership():
    means = np.zeros((8, 3))
    means[:, 0] = [0, 0, 0, 0, 1, 1, 1, 1]
    means[:, 2] = [0, 1, 0, 1, 0, 1, 0, 1]
    means[:, 1] = 0.6 * means[:, 0] + 0.8 * means[:, 2]
    for feature in (0, 2):
        shares = np.where(means[:, [feature]] == [[0, 1]], 0.8, 0.2)
        assert separating_features(means, means * 0 + 0.1, shares)[0] == feature
    rng = np.random.default_rng(0)
    means = rng.normal(size=(60, 6))
    means[:30, [3, 5]] += 12.0
    labels = np.repeat([0, 1], 30)
    order = separating_features(means, np.zeros((60, 6)), one_hot(labels))
    assert set(order[:2].tolist()) == {3, 5}
    means[0, 1] = 1e6
    again = separating_features(means, np.zeros((60, 6)), one_hot(labels))
    assert set(again[:2].tolist()) == {3, 5}
    assert sorted(again.tolist()) == list(range(6))


@pytest.mark.parametrize("labels", [[0, 0, 0], [-1, -1, -1], [0, -1, 0]])
def test_nothing_to_separate(labels):
    means = np.arange(9.0).reshape(3, 3)
    found = best_pair(means, np.zeros((3, 3)), np.array(labels))
    assert found == [0, 1]
    ax = plot.scatter(ic.as_uncertain(means), labels)
    assert ax.get_title(loc="left") == "the first 2 of 3 features"


def test_what_does_not_fit():
    data = make("gaussian", 4, 3)
    with pytest.raises(ValueError, match=r"shape \(3,\), but there are 4 objects"):
        plot.scatter(data, [0, 1, 2])
    with pytest.raises(ValueError, match="one or two features"):
        plot.scatter(data, [0, 1, 2, 0], features=[0, 1, 2])
    with pytest.raises(ValueError, match="x9"):
        plot.scatter(data, [0, 1, 2, 0], features=["x9"])


def test_a_missing_library_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r"incerta\[plot\]"):
        plot.objective([1.0])


# membership


@st.composite
def memberships(draw):
    n, k = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shares = rng.dirichlet(np.ones(k + 1), n)
    return shares[:, :k], rng.integers(-1, k, n)


@given(case=memberships(), most=st.integers(1, 12))
def test_bars_by_hand(case, most):
    shares, labels = case
    n, k = shares.shape
    order, bars, own = sorted_bars(shares, labels, most)
    full = np.column_stack([shares, 1 - shares.sum(axis=1)])
    keys = [(k if c < 0 else c, -full[i, c]) for i, c in enumerate(labels.tolist())]
    assert order.tolist() == sorted(range(n), key=lambda i: keys[i])
    groups = [[] for _ in bars]
    for place, i in enumerate(order.tolist()):
        groups[place * len(bars) // n].append(i)
    for group, bar, column in zip(groups, bars, own):
        np.testing.assert_allclose(bar, full[group].mean(axis=0))
        assert column == labels[group[0]] % (k + 1)


@given(case=memberships())
def test_parts_of_a_bar_lie_upon_each_other(case):
    _, bars, own = sorted_bars(*case, 50)
    for bar, column, bottom in zip(bars, own.tolist(), stacked_on_own(bars, own)):
        stack = [column, *(c for c in range(len(bar)) if c != column)]
        height = 0.0
        for part in stack:
            assert bottom[part] == pytest.approx(height)
            height += bar[part]
        assert height == pytest.approx(1.0)


def test_what_membership_draws():
    ax = plot.membership([[0.2, 0.7], [0.6, 0.4]], [1, 0])
    corners = {
        to_hex(c.get_facecolor()[0]).upper(): c.get_paths()[0].vertices
        for c in ax.collections[:3]
    }
    # Object 1 comes first: 0.6 of cluster 0 under 0.4 of cluster 1.
    blue, orange = corners[style.PALETTE[0]], corners[style.PALETTE[1]]
    assert blue[blue[:, 0] < 1, 1].max() == pytest.approx(0.6)
    assert orange[orange[:, 0] < 1, 1].max() == pytest.approx(1.0)
    assert orange[orange[:, 0] > 1, 1].max() == pytest.approx(0.7)
    gray = corners[style.NOISE]
    assert gray[gray[:, 0] > 1, 1].max() == pytest.approx(1.0)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["0", "1"]


def test_membership_without_clusters_or_with_gaps():
    ax = plot.membership(np.empty((3, 0)), [-1, -1, -1])
    assert [text.get_text() for text in ax.get_xticklabels()] == ["noise"]
    plot.membership([[np.nan, np.nan], [1.0, 0.0]], [-1, 0])


# co-association


@st.composite
def clusterings(draw):
    n, m = draw(st.integers(1, 14)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.integers(-1, 4, (m, n)), rng.integers(-1, 3, n)


def by_hand_together(worlds):
    same = (worlds[:, :, None] == worlds[:, None, :]) & (worlds >= 0)[:, None, :]
    share = same.mean(axis=0)
    np.fill_diagonal(share, 1.0)
    return share


@given(case=clusterings(), size=st.integers(1, 14))
def test_blocks_are_means_over_pairs(case, size):
    worlds, _ = case
    n = worlds.shape[1]
    size = min(size, n)
    block = np.random.default_rng(n).permutation(np.arange(n) * size // n)
    found = mean_together(patterns(worlds, "separate"), block, size)
    share = by_hand_together(worlds)
    expected = [
        [share[np.ix_(block == a, block == b)].mean() for b in range(size)]
        for a in range(size)
    ]
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_what_coassociation_draws():
    rng = np.random.default_rng(0)
    worlds, labels = rng.integers(-1, 3, (5, 20)), rng.integers(-1, 3, 20)
    share = by_hand_together(worlds)
    order = by_cluster_and_company(patterns(worlds, "separate"), labels)
    image = plot.coassociation(worlds, labels).images[0]
    np.testing.assert_allclose(image.get_array(), share[np.ix_(order, order)])
    halves = share[np.ix_(order, order)].reshape(10, 2, 10, 2).mean(axis=(1, 3))
    image = plot.coassociation(worlds, labels, max_size=10).images[0]
    np.testing.assert_allclose(image.get_array(), halves, atol=1e-6)


@given(case=clusterings())
def test_objects_by_cluster_and_company(case):
    worlds, labels = case
    order = by_cluster_and_company(patterns(worlds, "separate"), labels).tolist()
    same = (worlds[:, :, None] == worlds[:, None, :]) & (worlds >= 0)[:, None, :]
    company = [same[:, i, labels == labels[i]].sum() for i in range(len(labels))]
    keys = [(c < 0, c, -company[i]) for i, c in enumerate(labels.tolist())]
    assert [keys[i] for i in order] == sorted(keys)


def test_worlds_that_agree_sort_by_themselves():
    worlds = np.tile([0, 1, 0, 1], (4, 1))
    ax = plot.coassociation(worlds)
    blocks = np.kron(np.eye(2), np.ones((2, 2)))
    np.testing.assert_allclose(ax.images[0].get_array(), blocks)


def test_never_more_than_max_size():
    worlds = np.arange(5000) % 7 * np.ones((3, 1), dtype=int)
    ax = plot.coassociation(worlds, worlds[0], max_size=60)
    assert ax.images[0].get_array().shape == (60, 60)
    assert ax.images[0].get_extent() == [0, 5000, 5000, 0]


def test_many_clusters_in_each_world():
    worlds = np.arange(300) // 2 * np.ones((2, 1), dtype=int)
    found = patterns(worlds, "separate")
    pairs = np.kron(np.eye(150), np.ones((2, 2)))
    np.testing.assert_allclose(mean_together(found, np.arange(300), 300), pairs)


# worlds


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12))
def test_a_map_keeps_distances_in_the_plane(seed, n):
    points = np.random.default_rng(seed).normal(size=(n, 2))
    squares = np.square(points[:, None] - points).sum(axis=2)
    places, shown = classical_scaling(squares)
    again = np.square(places[:, None] - places).sum(axis=2)
    np.testing.assert_allclose(again, squares, atol=1e-9)
    assert shown.sum() == pytest.approx(float(n > 1))
    assert shown[0] >= shown[1]


def test_representatives_are_numbered_where_they_lie():
    x = np.array([0.0, 1.0, 5.0, 6.0, 9.0])
    ax = plot.divergences(np.square(x[:, None] - x), [3, 0])
    worlds, kept = (c.get_offsets() for c in ax.collections[1:])
    np.testing.assert_allclose(np.abs(np.diff(worlds[:, 0])), np.diff(x))
    np.testing.assert_array_equal(kept, worlds[[3, 0]])
    assert [text.get_text() for text in ax.texts] == ["1", "2"]
    lines = np.array(ax.collections[0].get_segments())
    np.testing.assert_array_equal(lines[:, 1], worlds[[0, 0, 3, 3, 3]])
    assert "100%" in ax.get_xlabel()


def test_worlds_that_are_all_alike_or_alone():
    assert plot.divergences(np.zeros((4, 4)), [0]).get_xlabel().count("0%")
    plot.divergences([[0.0]], [0])
    plot.divergences(np.ones((3, 3)) - np.eye(3), [])


# curves


def test_objective_values():
    line = plot.objective([5.0, np.nan, 3.0]).lines[0]
    np.testing.assert_array_equal(line.get_xdata(), [1, 2, 3])
    np.testing.assert_array_equal(line.get_ydata(), [5.0, np.nan, 3.0])
    plot.objective([]).figure.draw_without_rendering()
    plot.objective([1.0]).figure.draw_without_rendering()


def test_choice_values():
    band = [[0.0, 0.1, 0.2], [0.0, 0.3, 0.6]]
    ax = plot.choice([2, 3, 4], [0.5, 0.9, np.nan], band, k=3)
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), [0.5, 0.9, np.nan])
    assert ax.lines[1].get_xdata() == [3, 3]
    heights = ax.collections[0].get_paths()[0].vertices[:, 1]
    assert heights.max() == pytest.approx(0.6)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["references with one cluster, 90%", "data", "chosen: 3"]
    plot.choice(range(1, 40), np.ones(39), np.full((2, 39), np.nan), k=1)


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 60), n_bins=st.integers(1, 12))
def test_bins_by_hand(seed, n, n_bins):
    rng = np.random.default_rng(seed)
    confidence, correct = rng.integers(0, 21, n) / 20, rng.random(n) < 0.6
    counts, said, right = in_bins(confidence, correct.astype(float), n_bins)
    # In whole numbers of twentieths: nothing is rounded.
    place = np.minimum(np.rint(confidence * 20).astype(int) * n_bins // 20, n_bins - 1)
    for b in range(n_bins):
        mine = place == b
        assert counts[b] == mine.sum()
        if mine.any():
            assert said[b] == pytest.approx(confidence[mine].mean())
            assert right[b] == pytest.approx(correct[mine].mean())
        else:
            assert np.isnan(said[b])


def test_what_reliability_draws():
    ax = plot.reliability([0.55, 0.55, 0.95, np.nan], [True, False, True, True])
    curve = ax.lines[1]
    np.testing.assert_allclose(curve.get_xdata(), [0.55, 0.95])
    np.testing.assert_allclose(curve.get_ydata(), [0.5, 1.0])
    band = ax.collections[0].get_paths()[0].vertices
    assert np.ptp(band[band[:, 0] == 1.0, 1]) == pytest.approx(0.1)
    assert ax.get_xlim()[0] == pytest.approx(0.5)
    bars = next(other for other in ax.figure.axes if other is not ax)
    assert [p.get_height() for p in bars.patches][5:] == [2, 0, 0, 0, 1]
    plot.reliability([], []).figure.draw_without_rendering()


# reachability


@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 30), most=st.integers(1, 30))
def test_the_highest_of_neighbors(seed, n, most):
    rng = np.random.default_rng(seed)
    heights = rng.random(n)
    heights[rng.random(n) < 0.2] = rng.choice([np.inf, np.nan])
    labels = rng.integers(-1, 3, n)
    bars, owners = highest_bars(heights, labels, most)
    filled = np.where(np.isnan(heights), np.inf, heights)
    assert len(bars) == min(n, most)
    for b in range(len(bars)):
        mine = np.flatnonzero(np.arange(n) * len(bars) // n == b)
        assert bars[b] == filled[mine].max()
        assert owners[b] in labels[mine[filled[mine] == bars[b]]]


def test_what_reachability_draws():
    ax = plot.reachability(
        [0.3, np.inf, 0.2, 0.8], [1, 0, 2, 3], [0, 0, 1, -1], cut=0.5
    )
    corners = {
        to_hex(c.get_facecolor()[0]).upper(): c.get_paths()[0].vertices
        for c in ax.collections
    }
    blue = corners[style.PALETTE[0]]
    top = ax.get_ylim()[1]
    assert blue[blue[:, 0] < 1, 1].max() == pytest.approx(top)
    assert blue[(blue[:, 0] > 1) & (blue[:, 0] <= 2), 1].max() == pytest.approx(0.3)
    assert corners[style.PALETTE[1]][:, 1].max() == pytest.approx(0.2)
    assert corners[style.NOISE][:, 1].max() == pytest.approx(0.8)
    assert top > 0.8
    assert ax.lines[0].get_ydata() == [0.5, 0.5]


@pytest.mark.parametrize("heights", [[np.inf], [np.inf, np.nan], [np.inf, 0.0]])
def test_nothing_is_reached(heights):
    n = len(heights)
    ax = plot.reachability(heights, range(n), [-1] * n)
    assert 0 < ax.get_ylim()[1] < np.inf
    ax.figure.draw_without_rendering()


# valley


def test_bars_of_a_valley_spread_counts_evenly():
    rng = np.random.default_rng(0)
    places, numbers = rng.normal(size=30), rng.integers(1, 9, 30)
    edges, heights = histogram(places, numbers)
    width = np.ptp(places) / BARS
    within = (np.arange(1000) + 0.5) / 1000 - 0.5
    points = places[:, None] + width * within
    weights = np.repeat(numbers, 1000)
    wanted, _ = np.histogram(points.ravel(), edges, weights=weights, density=True)
    np.testing.assert_allclose(heights, wanted, atol=2e-3 * heights.max())
    assert heights @ np.diff(edges) == pytest.approx(1.0)
    assert (along(places)[0], along(places)[-1]) == (places.min(), places.max())


def test_valley_of_a_single_place():
    edges, heights = histogram(np.array([3.0, 3.0]), np.array([2, 5]))
    assert edges[0] < 3.0 < edges[-1]
    assert heights @ np.diff(edges) == pytest.approx(1.0)


def test_what_a_valley_draws():
    ax = plot.valley([0.0, 4.0], [10, 30], [0.0, 2.0, 4.0], [0.1, 0.0, 0.2])
    (bars,) = ax.patches
    assert bars.get_data().values[[0, -1]] == pytest.approx([0.25 * 10, 0.75 * 10])
    (line,) = ax.lines
    np.testing.assert_array_equal(line.get_ydata(), [0.1, 0.0, 0.2])


@pytest.mark.filterwarnings("error")
def test_values_that_were_not_measured_have_no_ellipse():
    values = [[0.0, 1.0], [np.nan, 2.0], [3.0, 0.0], [2.0, 2.0]]
    data = ic.from_gaussian(values, std=np.full((4, 2), 0.1), missing="infinite")
    ax = ic.plot.scatter(data, [0, 0, 1, 1])
    ellipses = [e for e in ax.collections if isinstance(e, EllipseCollection)]
    assert [len(e.get_offsets()) for e in ellipses] == [3]
    ax.figure.canvas.draw()


def test_members_of_one_place_have_room_around_them():
    data = ic.as_uncertain([[3.0, 0.0], [3.0, 10.0], [3.0, 10.0]])
    ax = plot.members(data, [0.0, 0.5, 1.0])
    assert ax.get_xlim() == (2.0, 4.0)
    low, high = ax.get_ylim()
    assert low < 0.0 < 10.0 < high
    assert high - low < 13.0
