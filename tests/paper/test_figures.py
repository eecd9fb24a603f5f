"""What the figures of the experiments draw; how they look was looked at."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex

from paper import figures
from paper.figures import (
    draw_claims,
    draw_figure2,
    draw_figure3,
    draw_sensitivity,
)
from paper.methods import METHODS
from paper.published import published
from paper.sensitivity import Reaction
from paper.sets import SETS, TITLES, UNCERTAIN
from paper.sweeps import (
    CLAIMS,
    NOISES,
    NUMBERS_KEPT,
    SELECTIONS,
    Difference,
    Point,
)
from paper.timing import Duration

# A quarter of a minute in all, for pictures that users never draw.
pytestmark = pytest.mark.slow
NAN = float("nan")
WHITE = "#ffffff"


def points(sets=UNCERTAIN, rules=SELECTIONS, sd=0.02, shift=0.0):
    """Near the paper's figures; all worlds by the first rule alone, as computed."""
    return [
        Point(name, rule, n, 5, paper.acc + shift + n / 1e4, sd, paper.nmi + shift, sd)
        for name in sets
        for paper in [published()[name, "RPC"]]
        for n in NUMBERS_KEPT
        for rule in (rules if n < 100 else rules[:1])
    ]


def durations(sets=UNCERTAIN, methods=METHODS):
    return [
        Duration(name, method, 5, 4.0 * 3**i, 3.5 * 3**i, 5.0 * 3**i)
        for name in sets
        for i, method in enumerate(methods)
    ]


def difference(claim="number", name="nba", noise=1.0, mean=0.0, wide=0.01):
    acc, nmi = (0.6, 0.6 - mean, mean, mean - wide, mean + wide), (0.0, -0.1, 0.1)
    return Difference(claim, name, "some", noise, 10, *acc, *nmi, 0.4, 0.4)


def differences(sets=SETS, claims=CLAIMS, **keywords):
    return [
        difference(claim.name, name, noise, **keywords)
        for claim in claims
        for name in sets
        for noise in ((1.0,) if name in UNCERTAIN else NOISES)
    ]


def reactions(sets=SETS, methods=METHODS, noises=NOISES, confidence=0.9):
    return [
        Reaction(
            name, method, "some", noise, 3, 0.8 - noise / 4, 0.5, confidence, 3.0, 0.0
        )
        for name in sets
        for method in methods
        for noise in noises
    ]


def drawn(figure):
    """The figure, laid out: a warning would be an error."""
    assert figure.get_layout_engine() is not None
    figure.draw_without_rendering()
    return figure


def titles(axes):
    return [ax.get_title() for ax in axes]


def labels_on(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


def in_legend(figure):
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def marks(ax, marker=None):
    """Single marks, by the row that they are in."""
    return {
        float(line.get_ydata()[0]): line
        for line in ax.lines
        if len(line.get_ydata()) == 1 and marker in (None, line.get_marker())
    }


def is_hollow(line):
    return to_hex(line.get_markerfacecolor()) == WHITE


@pytest.mark.parametrize(
    ("draw", "rows"),
    [
        (draw_figure2, points()),
        (draw_figure3, durations()),
        (draw_claims, differences(UNCERTAIN)),
        (draw_sensitivity, reactions(UNCERTAIN, METHODS[-3:])),
    ],
)
def test_order_of_rows_does_not_matter(draw, rows):
    figure, other = drawn(draw(rows)), drawn(draw(rows[::-1]))
    assert titles(figure.axes) == titles(other.axes)
    for ax, same in zip(figure.axes, other.axes, strict=True):
        assert labels_on(ax.yaxis) == labels_on(same.yaxis)
        np.testing.assert_allclose([*ax.get_xlim()], [*same.get_xlim()])


def test_figure2_has_a_column_for_each_set_and_a_line_for_each_rule():
    figure = drawn(draw_figure2(points()))
    assert titles(figure.axes) == ["Movement", "NBA", "Weather", "", "", ""]
    assert [ax.get_ylabel() for ax in figure.axes[::3]] == ["accuracy", "NMI"]
    for ax in figure.axes:
        *rules, paper = ax.containers
        assert [rule.get_label() for rule in rules] == [
            "Eq. 7",
            "most central",
            "random",
        ]
        looks = {(rule[0].get_color(), rule[0].get_marker()) for rule in rules}
        assert len({c for c, _ in looks}) == len({m for _, m in looks}) == 3
        assert is_hollow(paper[0])
    assert len(in_legend(figure)) == 5


def test_rules_meet_where_all_worlds_are_kept():
    figure = draw_figure2(points(["nba"]))
    for ax in figure.axes:
        ends = [rule[0].get_xydata()[-1] for rule in ax.containers[:3]]
        np.testing.assert_array_equal(ends, [ends[0]] * 3)
        assert ends[0][0] == 100
        assert [len(rule[0].get_xydata()) for rule in ax.containers[:3]] == [10] * 3


def test_panels_of_figure2_span_as_much():
    rows = points(sd=0.001)
    rows[0] = rows[0]._replace(acc=rows[0].acc + 0.3)
    spans = [np.ptp(ax.get_ylim()) for ax in draw_figure2(rows).axes]
    np.testing.assert_allclose(spans, spans[0])
    assert spans[0] > 0.3
    calm = draw_figure2(points(["nba"], sd=0.001)).axes[0]
    assert np.ptp(calm.get_ylim()) == pytest.approx(figures.LEAST_SPAN)


@pytest.mark.parametrize(("shift", "arrow"), [(0.5, "↓"), (-0.5, "↑")])
def test_what_the_paper_prints(shift, arrow):
    near = draw_figure2(points(["nba"])).axes[0]
    place = near.containers[-1][0].get_xydata()
    np.testing.assert_allclose(place, [(10, published()["nba", "RPC"].acc)])
    assert not near.texts
    far = drawn(draw_figure2(points(["nba"], shift=shift))).axes[0]
    (text,) = far.texts
    assert text.get_text() == f"{published()['nba', 'RPC'].acc:.2f} {arrow}"
    low, high = far.get_ylim()
    assert low < far.containers[-1][0].get_ydata()[0] < high


@pytest.mark.parametrize(
    "rows",
    [
        points(["wine"], sd=NAN),
        points(SETS),
        points(["nba"], ["random"]),
        points(["nba"], ["greedy"]) + points(["weather"], ["central"]),
        [point._replace(acc=NAN, nmi=NAN) for point in points(["nba"], sd=NAN)],
        points(["nba"])[:1],
    ],
)
def test_figure2_of_parts_and_nan(rows):
    figure = drawn(draw_figure2(rows))
    assert len(figure.axes) == 2 * len({row.set for row in rows})
    assert all(np.isfinite(ax.get_ylim()).all() for ax in figure.axes)


def test_figure3_has_methods_in_order_and_numbers():
    figure = drawn(draw_figure3(durations()))
    assert titles(figure.axes) == ["Movement", "NBA", "Weather"]
    for ax in figure.axes:
        assert ax.get_xscale() == "log"
        assert ax.yaxis_inverted()
        assert [t.get_text() for t in ax.texts][:5] == ["4.0", "12", "36", "108", "324"]
        assert ax.texts[-1].get_text() == "2 125 764"
        medians = [line.get_xdata()[0] for line in marks(ax).values()]
        assert medians == [4.0 * 3**i for i in range(13)]
        whiskers = [c.get_segments()[0][:, 0] for c in ax.collections]
        np.testing.assert_allclose(whiskers[0], [3.5, 5.0])
        *others, rpc = [line.get_marker() for line in marks(ax).values()]
        assert rpc not in others
        low, high = ax.get_xlim()
        assert low < 3.5
        assert high > 5.0 * 3**12
    assert labels_on(figure.axes[0].yaxis) == list(METHODS)


def test_figure3_of_parts_and_nan():
    rows = durations(["wine"], ["RPC", "SC"])
    (ax,) = drawn(draw_figure3(rows)).axes
    assert labels_on(ax.yaxis) == ["SC", "RPC"]
    assert set(marks(ax)) == {0.0, 1.0}

    # A method that was timed on one set only has a row in all of them.
    some = drawn(draw_figure3(rows + durations(["nba"], ["RPC"])))
    assert [len(ax.texts) for ax in some.axes] == [2, 1]

    rows[0] = rows[0]._replace(milliseconds=NAN, least=NAN, most=NAN)
    rows[1] = rows[1]._replace(least=NAN, most=NAN)
    (ax,) = drawn(draw_figure3(rows)).axes
    assert [text.get_text() for text in ax.texts] == ["12"]
    (ax,) = drawn(draw_figure3(rows[:1])).axes
    assert not ax.texts


def test_times_end_past_a_power_of_ten():
    for time in (0.5, 1.0, 99.0, 1000.0):
        (ax,) = draw_figure3([Duration("nba", "RPC", 1, time, time, time)]).axes
        low, high = ax.get_xlim()
        ticks = ax.xaxis.get_majorticklocs()
        assert low < time < high
        assert sum((ticks >= low) & (ticks <= high)) >= 2


def test_claims_have_a_panel_each_and_a_row_for_each_set_and_noise():
    figure = drawn(draw_claims(differences()))
    shown = [" ".join(title.split()) for title in titles(figure.axes)]
    assert shown == [claim.says for claim in CLAIMS]
    assert max(len(line) for t in titles(figure.axes) for line in t.split("\n")) <= 23
    rows = labels_on(figure.axes[0].yaxis)
    assert rows[:3] == ["Wine 0.25", "Wine 0.5", "Wine 1"]
    assert rows[-3:] == ["Movement", "NBA", "Weather"]
    assert len(rows) == 3 * 6 + 3
    for ax in figure.axes:
        assert sorted(marks(ax)) == list(figure.axes[0].get_yticks())
        assert ax.get_xlim() == figure.axes[0].get_xlim()
        assert ax.yaxis_inverted()
    assert in_legend(figure) == ["better", "worse", "0 is in the 95% interval"]


def test_marks_are_filled_where_the_interval_excludes_0():
    rows = [
        difference(name="movement", mean=0.05),
        difference(name="nba", mean=-0.05),
        difference(name="weather", mean=0.005),
        difference(name="wine", mean=0.05, wide=NAN),
        difference(name="ecoli", mean=0.0, wide=0.0),
    ]
    (ax,) = drawn(draw_claims(rows)).axes
    names = labels_on(ax.yaxis)
    found = dict(zip(names, (mark for _, mark in sorted(marks(ax).items()))))
    hollow = {name for name, mark in found.items() if is_hollow(mark)}
    assert hollow == {"Weather", "Wine", "Ecoli"}
    better, worse = found["Movement"], found["NBA"]
    assert better.get_marker() != worse.get_marker()
    assert better.get_color() != worse.get_color()


@pytest.mark.parametrize("n_others", [2, 8, 60])
def test_one_huge_interval_is_cut(n_others):
    noises = np.arange(1, n_others + 1) / 100
    rows = [difference(name="wine", noise=noise, mean=0.02) for noise in noises]
    (ax,) = draw_claims(rows).axes
    assert not marks(ax, "<")
    assert not marks(ax, ">")

    (ax,) = drawn(draw_claims([*rows, difference(mean=0.01, wide=0.9)])).axes
    low, high = ax.get_xlim()
    assert -0.1 < low < high < 0.1
    assert [line.get_xdata()[0] for line in marks(ax, "<").values()] == [low]
    assert [line.get_xdata()[0] for line in marks(ax, ">").values()] == [high]
    lines = [c for c in ax.collections if isinstance(c, LineCollection)]
    ends = np.concatenate([line.get_segments()[0][:, 0] for line in lines])
    assert ends.min() == low
    assert ends.max() == high


def test_means_are_never_cut():
    rows = [*differences(["wine"]), difference(name="wine", noise=2.0, mean=0.7)]
    low, high = draw_claims(rows).axes[0].get_xlim()
    assert low < 0 < 0.7 < high


def test_intervals_that_are_all_wide_are_whole():
    low, high = draw_claims(differences(wide=0.8)).axes[0].get_xlim()
    assert low < -0.8
    assert high > 0.8


@pytest.mark.parametrize(
    "rows",
    [
        differences(["nba"], CLAIMS[:2], wide=NAN),
        differences(["wine"], CLAIMS[:1], mean=NAN, wide=NAN),
        differences(["nba", "wine"], CLAIMS[-1:], wide=0.0),
        [difference()],
    ],
)
def test_claims_of_parts_and_nan(rows):
    figure = drawn(draw_claims(rows))
    assert len(figure.axes) == len({row.claim for row in rows})
    low, high = figure.axes[0].get_xlim()
    assert low < 0 < high


def test_sensitivity_has_small_panels_with_the_same_axes():
    sets = SETS[:3]
    figure = drawn(draw_sensitivity(reactions(sets)))
    assert len(figure.axes) == len(sets) * len(METHODS)
    first, *others = figure.axes
    assert titles(figure.axes[: len(METHODS)]) == list(METHODS)
    assert not any(titles(figure.axes[len(METHODS) :]))
    names = [ax.get_ylabel() for ax in figure.axes]
    assert names[:: len(METHODS)] == [TITLES[name] for name in sets]
    assert sum(map(bool, names)) == len(sets)
    for ax in others:
        assert ax.get_xlim() == first.get_xlim()
        assert ax.get_ylim() == first.get_ylim()
        assert not ax.spines["left"].get_visible()
    assert in_legend(figure) == ["accuracy", "mean confidence"]


def test_accuracy_is_filled_and_confidence_is_hollow():
    (ax,) = draw_sensitivity(reactions(["usps"], ["RPC"], confidence=0.95)).axes
    lines = {line.get_label(): line for line in ax.lines}
    sure, right = lines["mean confidence"], lines["accuracy"]
    assert is_hollow(sure)
    assert not is_hollow(right)
    assert (sure.get_linestyle(), right.get_linestyle()) == ("--", "-")
    np.testing.assert_array_equal(right.get_xdata(), [0, 1, 2])
    np.testing.assert_allclose(right.get_ydata(), [0.7375, 0.675, 0.55])
    np.testing.assert_allclose(sure.get_ydata(), [0.95] * 3)


@pytest.mark.parametrize(
    ("rows", "n_panels"),
    [
        (reactions(["wine"], ["RPC", "SC"]), 2),
        (reactions(["wine"], ["RPC"], [0.5]), 1),
        (reactions(["nba"], ["FOPTICS", "RPC"], confidence=NAN), 2),
        ([row._replace(acc=NAN) for row in reactions(["nba"], ["RPC"])], 1),
        # Neither has what the other one has: two of the four panels are empty.
        (reactions(["wine"], ["RPC"], [0.5]) + reactions(["nba"], ["SC"], [1.0]), 4),
    ],
)
def test_sensitivity_of_parts_and_nan(rows, n_panels):
    figure = drawn(draw_sensitivity(rows))
    assert len(figure.axes) == n_panels
    assert in_legend(figure) == ["accuracy", "mean confidence"]
