"""Pictures of assessed labels, and labels of our own clusterings."""

from types import SimpleNamespace

import numpy as np
import pytest

import incerta as ic
from incerta.api.assess import DEEP, SEPARATE, TOGETHER, said
from tests.extras import needs
from tests.report.examples import groups

drawn = needs("matplotlib", "plot")


def labeled(n_each=60, n_features=2, n_labels=3, seed=0):
    """Objects of as many clusters, and a label for each."""
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(n_labels), n_each)
    values = 6.0 * np.eye(n_labels, n_features)[labels]
    values += rng.normal(size=values.shape)
    return ic.from_gaussian(values, std=np.full(values.shape, 0.3)), labels


@pytest.fixture(scope="module")
def found():
    data, labels = labeled()
    words = np.array(["a", "$b", "_c"], dtype=object)[labels]
    words[[0, 60]] = ["_c", "a"]
    words[7] = None
    return ic.assess(data, words)


@drawn
def test_pairs_are_drawn_shallowest_first(found):
    axes = found.plot.pairs()
    assert len(axes) == len(found.pairs) == 3
    for ax, pair in zip(axes, found.pairs):
        assert ax.get_title(loc="left") == f"{pair.one} | {pair.other}\n{said(pair)}"
        assert ax.patches[0].get_data().values.max() > 0
        (line,) = ax.lines
        np.testing.assert_array_equal(
            line.get_ydata(), pair.law.density(line.get_xdata())
        )
    axes[0].figure.draw_without_rendering()


@drawn
def test_at_most_twelve_pairs_into_a_figure_that_is_given():
    from matplotlib.figure import Figure

    data, labels = labeled(50, 7, 7)
    found = ic.assess(data, labels)
    figure = Figure()
    axes = found.plot.pairs(figure)
    assert len(found.pairs) > len(axes) == len(figure.axes) == 12
    assert all(ax.figure is figure for ax in axes)


@drawn
def test_no_pairs_to_draw():
    data, labels = labeled(20)
    with pytest.raises(ValueError, match="no two labels have the 50 objects"):
        ic.assess(data, labels).plot.pairs()


@drawn
def test_map_rings_what_is_to_be_looked_at(found):
    ax = found.plot.map()
    assert set(found.look.tolist()) >= {0, 60}
    rows = [found.data.ids.tolist().index(each) for each in found.look.tolist()]
    places = ax.collections[-1].get_offsets()
    np.testing.assert_array_equal(places, found.data.mean()[rows])
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["$b (59)", "_c (61)", "a (59)", "no label (1)"]
    assert found.plot.map(["x1"]).get_xlabel() == "x1"


@drawn
def test_map_with_noise():
    data, labels = labeled()
    found = ic.assess(data, np.where(np.arange(180) % 10, labels, -1))
    names = [text.get_text() for text in found.plot.map().get_legend().get_texts()]
    assert names == ["0 (54)", "1 (54)", "2 (54)", "noise (18)"]


def test_wide_data_are_shown_in_their_directions(tmp_path):
    data, labels = labeled(40, 30)
    values = data.mean()
    values[:, 3:] += values[:, :1]
    found = ic.assess(ic.from_gaussian(values, std=0.3), labels)
    finder = found.directions
    assert found.shown.feature_names == tuple(finder.labels())
    found.save(tmp_path / "found.incerta")
    again = ic.load(tmp_path / "found.incerta")
    np.testing.assert_array_equal(again.shown.mean(), found.shown.mean())
    alone = ic.assess(data, labels, directions=None, scale=False)
    assert alone.shown is data
    assert alone.directions is alone.scaler is None


@pytest.mark.parametrize(
    ("depth", "verdict", "words"),
    [
        (12.34, SEPARATE, "separate, depth 12.3"),
        (-0.51, TOGETHER, "no valley shown, depth −0.5"),
        (DEEP, TOGETHER, "no valley shown: others connect them"),
        (np.nan, "too few to tell", "too few to tell"),
    ],
)
def test_verdicts_in_words(depth, verdict, words):
    assert said(SimpleNamespace(depth=depth, verdict=verdict)) == words


@pytest.mark.parametrize("settings", [{}, {"scale": False, "directions": None}])
def test_clusters_of_ours(settings):
    result = ic.cluster(groups(30), k=3, method="UKMeans", random_state=3, **settings)
    found = result.assess()
    same = ic.assess(result.data, result.labels, random_state=3, **settings)
    np.testing.assert_array_equal(found.probability, same.probability)
    assert found.seed == 3
    assert (found.scaler is None) == (found.directions is None) == bool(settings)


def test_noise_of_ours_is_a_label():
    found = ic.cluster(groups(40), method=ic.FDBSCAN(0.35, n_worlds=10)).assess()
    assert found.names[0] == -1
    assert -1 not in [each.label for each in found.clusters]
