"""Figures of the experiments: Figures 2 and 3, the claims and the sensitivity."""

from collections.abc import Iterable, Sequence
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np

from incerta.plot.style import INK, MARKERS, PALE, PALETTE, part_of_matplotlib, tidy
from paper.methods import METHODS, N_REPRESENTATIVES, N_WORLDS
from paper.published import published
from paper.sensitivity import Reaction
from paper.sets import SETS, TITLES
from paper.sweeps import CLAIMS, LEVEL, SELECTIONS, Difference, Point
from paper.timing import Duration

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BLUE, VERMILION = PALETTE[0], PALETTE[-1]
RULES = {"greedy": "Eq. 7", "central": "most central", "random": "random"}
MEASURES = {"acc": "accuracy", "nmi": "NMI"}
LAST_STABLE = 70  # worlds, according to the paper
# Panels of Figure 2 span at least this much, so that small steps look small.
LEAST_SPAN = 0.15
WIDEST = 16.0  # inches


def draw_figure2(points: Sequence[Point]) -> "Figure":
    """Draw accuracy and NMI against the number of kept worlds.

    Parameters
    ----------
    points : sequence of Point
        As from `paper.sweeps.figure2`.

    Returns
    -------
    matplotlib Figure
        A column per set. Lines are means, plus and minus a standard deviation over
        seeds. Beyond 70 worlds the background is gray. All panels have the same span,
        so that equal steps look equal. A star is the figure of the paper; if it lies
        outside, it is at the border with its value.

    Examples
    --------
    >>> from paper.figures import draw_figure2
    >>> from paper.sweeps import Point
    >>> scores = (0.6, 0.02, 0.2, 0.03)
    >>> figure = draw_figure2([Point("nba", "greedy", 10, 5, *scores)])
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['accuracy', 'NMI']
    """
    sets = _in_order(SETS, (point.set for point in points))
    rules = _in_order(SELECTIONS, (point.selection for point in points))
    size = (min(0.8 + 3.4 * len(sets), WIDEST), 5.4)
    figure, grid = _panels(2, len(sets), size, sharey=False)
    for column, name in zip(grid.T, sets, strict=True):
        some = [point for point in points if point.set == name]
        for ax, measure in zip(column, MEASURES, strict=True):
            _draw_ground(ax)
            for rule in rules:
                _draw_rule(ax, some, rule, measure)
        column[0].set_title(TITLES[name])
        column[-1].set_xlabel("worlds kept")
    for ax, label in zip(grid[:, 0], MEASURES.values(), strict=True):
        ax.set_ylabel(label)
    _span_equally(grid.ravel())
    for (row, column), ax in np.ndenumerate(grid):
        _draw_published(ax, published()[sets[column], "RPC"][row])
    (ground, *handles), (beyond, *names) = grid[0, 0].get_legend_handles_labels()
    _legend_above(figure, [*handles, ground], [*names, beyond])
    return figure


def _draw_ground(ax: Any) -> None:
    end = N_WORLDS + 4
    label = f"beyond {LAST_STABLE}: much worse, says the paper"
    ax.axvspan(LAST_STABLE, end, color=PALE, alpha=0.5, linewidth=0, label=label)
    ax.set(xlim=(4, end), xticks=range(10, N_WORLDS + 1, 30))
    ax.yaxis.set_major_locator(_round_ticks(6))
    tidy(ax)


def _draw_rule(ax: Any, points: Sequence[Point], rule: str, measure: str) -> None:
    found = {point.n_kept: point for point in points if point.selection == rule}
    # All worlds are the same by every rule, and were clustered once.
    for point in points:
        if point.n_kept == N_WORLDS:
            found.setdefault(N_WORLDS, point)
    numbers = sorted(found)
    place = SELECTIONS.index(rule)
    ax.errorbar(
        # Bars are side by side, so that none hides another one.
        [n + 1.1 * (place - 1) * (n < N_WORLDS) for n in numbers],
        [getattr(found[n], measure) for n in numbers],
        yerr=[getattr(found[n], f"{measure}_sd") for n in numbers],
        color=PALETTE[place],
        marker=MARKERS[place],
        markersize=4,
        linewidth=1.3,
        elinewidth=0.7,
        label=RULES[rule],
    )


def _span_equally(panels: Sequence[Any]) -> None:
    """Give all panels y axes of the same length, each around its own data."""
    limits = np.array([ax.get_ylim() for ax in panels])
    half = max(float(np.ptp(limits, axis=1).max()), LEAST_SPAN) / 2
    for ax, middle in zip(panels, limits.mean(axis=1).tolist(), strict=True):
        ax.set_ylim(middle - half, middle + half)


def _draw_published(ax: Any, value: float) -> None:
    """Mark the figure of the paper, at the border if it is far from ours."""
    low, high = np.array([[0.95, 0.05], [0.05, 0.95]]) @ ax.get_ylim()
    place = (N_REPRESENTATIVES, min(max(value, low), high))
    # It has no error, but as an error bar it comes after the rules in the legend.
    mark = _hollow(INK, "*", 10) | {"linestyle": "", "zorder": 4}
    ax.errorbar(*place, label="the paper's Table 2", **mark)
    if not low <= value <= high:
        text = f"{value:.2f} {'↑' if value > high else '↓'}"
        look = {"textcoords": "offset points", "va": "center", "fontsize": "small"}
        ax.annotate(text, place, (8, 0), **look)


def draw_figure3(durations: Sequence[Duration]) -> "Figure":
    """Draw the running times of the methods.

    Parameters
    ----------
    durations : sequence of Duration
        As from `paper.timing.figure3`.

    Returns
    -------
    matplotlib Figure
        A panel per set, with a logarithmic axis. Dots and numbers are medians, and
        lines range from the minimum to the maximum. RPC is highlighted.

    Examples
    --------
    >>> from paper.figures import draw_figure3
    >>> from paper.timing import Duration
    >>> figure = draw_figure3([Duration("nba", "RPC", 5, 1234.5, 999.0, 2000.0)])
    >>> figure.axes[0].texts[0].get_text()
    '1 234'
    """
    sets = _in_order(SETS, (one.set for one in durations))
    methods = _in_order(METHODS, (one.method for one in durations))
    size = (min(1.0 + 3.3 * len(sets), WIDEST), 1.2 + 0.26 * len(methods))
    figure, grid = _panels(1, len(sets), size, sharey=True)
    for ax, name in zip(grid[0], sets, strict=True):
        for one in durations:
            if one.set == name and one.milliseconds > 0:
                _draw_duration(ax, methods.index(one.method), one)
        ax.set_title(TITLES[name])
        _quieten(ax, "both", ["top", "right", "left"])
    _rows_down(grid[0, 0], range(len(methods)), methods, 0.6)
    times = [time for one in durations for time in one[3:] if time > 0] or [1.0]
    # Whole powers of ten, and half an inch for the number at the end.
    low = float(np.floor(np.log10(min(times)) - 0.05))
    part = 1 - 0.6 * len(sets) / (size[0] - 1.0)
    high = low + max(1.3, (np.log10(max(times)) - low) / part)
    grid[0, 0].set(xscale="log", xlim=(10.0**low, 10.0**high))
    grid[0, 0].xaxis.set_minor_formatter(part_of_matplotlib("ticker").NullFormatter())
    _label_below(figure, "CPU time of one fit in milliseconds")
    return figure


def _draw_duration(ax: Any, row: int, one: Duration) -> None:
    color, marker = (VERMILION, "D") if one.method == "RPC" else (BLUE, "o")
    ax.hlines(row, one.least, one.most, color=color, linewidth=1.4)
    ax.plot(one.milliseconds, row, marker=marker, markersize=5, color=color)
    ax.annotate(
        f"{one.milliseconds:,.{int(one.milliseconds < 10)}f}".replace(",", " "),
        (np.nanmax([one.milliseconds, one.most]), row),
        xytext=(6, 0),
        textcoords="offset points",
        verticalalignment="center",
        fontsize="small",
        color=INK,
    )


def draw_claims(differences: Sequence[Difference]) -> "Figure":
    """Draw the differences of variants of RPC, with confidence intervals.

    Parameters
    ----------
    differences : sequence of Difference
        As from `paper.sweeps.claims`: all with errors of one mode.

    Returns
    -------
    matplotlib Figure
        A panel per claim, with a row per set and noise. Intervals far wider than
        others are cut, with an arrow at the cut.

    Examples
    --------
    >>> from paper.figures import draw_claims
    >>> from paper.sweeps import Difference
    >>> scores = (0.62, 0.6, 0.02, 0.01, 0.03, 0.0, -0.1, 0.1)
    >>> one = Difference("number", "nba", "as is", 1.0, 10, *scores, 0.4, 0.4)
    >>> draw_claims([one]).axes[0].get_title()
    '10 worlds against 40'
    """
    claims = [claim for claim in CLAIMS if claim.name in {d.claim for d in differences}]
    sets = _in_order(SETS, (one.set for one in differences))
    noises = {
        name: sorted({d.noise for d in differences if d.set == name}) for name in sets
    }
    rows = [(name, noise) for name in sets for noise in noises[name]]
    # A gap after each set.
    places = {row: i + 0.6 * sets.index(row[0]) for i, row in enumerate(rows)}
    labels = [
        f"{TITLES[name]} {noise:g}" if len(noises[name]) > 1 else TITLES[name]
        for name, noise in rows
    ]
    size = (1.3 + max(1.65 * len(claims), 3.0), 2.0 + 0.19 * max(places.values()))
    figure, grid = _panels(1, len(claims), size, sharey=True)
    limits = _limits(differences)
    for ax, claim in zip(grid[0], claims, strict=True):
        ax.axvline(0.0, color=INK, linewidth=0.8, zorder=1)
        for one in differences:
            if one.claim == claim.name:
                _draw_difference(ax, places[one.set, one.noise], one, limits)
        # "Eq. 7" is kept on one line.
        says = fill(claim.says.replace("Eq. ", "Eq.\N{NO-BREAK SPACE}"), 23)
        ax.set_title(says, fontsize="small")
        _quieten(ax, "both", ["top", "right", "left"])
        ax.tick_params(labelsize="small")
    _rows_down(grid[0, 0], list(places.values()), labels, 0.8)
    grid[0, 0].set_xlim(limits)
    grid[0, 0].xaxis.set_major_locator(_round_ticks(4))
    _label_below(figure, "difference of accuracy; right of 0, the first is better")
    line = part_of_matplotlib("lines").Line2D
    kinds = {"better": 1, "worse": -1, f"0 is in the {100 * LEVEL:.0f}% interval": 0}
    handles = [line([], [], linewidth=1.0, **_mark_of(sign)) for sign in kinds.values()]
    _legend_above(figure, handles, list(kinds))
    return figure


def _draw_difference(
    ax: Any, row: float, one: Difference, limits: tuple[float, float]
) -> None:
    mark = _mark_of(int(one.acc_low > 0) - int(one.acc_high < 0))
    low, high = np.clip([one.acc_low, one.acc_high], *limits)
    ax.hlines(row, low, high, color=mark["color"], linewidth=1.0)
    ax.plot(one.acc, row, **mark)
    arrow = mark | {"mfc": mark["color"], "clip_on": False}
    if one.acc_low < limits[0]:
        ax.plot(limits[0], row, **arrow | {"marker": "<"})
    if one.acc_high > limits[1]:
        ax.plot(limits[1], row, **arrow | {"marker": ">"})


def _mark_of(sign: int) -> dict[str, Any]:
    if sign == 0:
        return _hollow(INK, "o", 4.5)
    color, marker = (BLUE, "o") if sign > 0 else (VERMILION, "s")
    return {"color": color, "marker": marker, "markersize": 4.5}


def _limits(differences: Sequence[Difference]) -> tuple[float, float]:
    """Return limits that hold all means, and all but a few very wide intervals."""
    means = np.array([one.acc for one in differences])
    ends = np.array([(one.acc_low, one.acc_high) for one in differences])
    means, ends = means[np.isfinite(means)], ends[np.isfinite(ends).all(axis=1)]
    far = np.abs(means).max(initial=0.01)
    if len(ends):
        # The widest interval is left out, or one in fifty if there are many.
        reach = np.abs(ends).max(axis=1)
        far = max(far, float(np.quantile(reach, 0.98, method="lower")))
    shown = [*means, *ends[np.abs(ends) <= 2 * far], -0.2 * far, 0.2 * far]
    return 1.1 * float(min(shown)), 1.1 * float(max(shown))


def draw_sensitivity(reactions: Sequence[Reaction]) -> "Figure":
    """Draw accuracy and mean confidence as uncertainty grows.

    Parameters
    ----------
    reactions : sequence of Reaction
        As from `paper.sensitivity.sensitivity`: all with errors of one mode.

    Returns
    -------
    matplotlib Figure
        A small panel for each set (row) and method (column), all with the same axes.

    Examples
    --------
    >>> from paper.figures import draw_sensitivity
    >>> from paper.sensitivity import Reaction
    >>> scores = (0.9, 0.8, 0.95, 3.0, 0.0)
    >>> one = Reaction("wine", "RPC", "displaced", 0.5, 3, *scores)
    >>> draw_sensitivity([one]).axes[0].get_title()
    'RPC'
    """
    sets = _in_order(SETS, (one.set for one in reactions))
    methods = _in_order(METHODS, (one.method for one in reactions))
    noises = sorted({one.noise for one in reactions})
    size = (max(1.0 + 0.9 * len(methods), 3.6), 1.1 + 0.8 * len(sets))
    figure, grid = _panels(len(sets), len(methods), size, sharey=True)
    of = {(one.set, one.method, one.noise): one for one in reactions}
    for (row, column), ax in np.ndenumerate(grid):
        keys = [(sets[row], methods[column], noise) for noise in noises]
        _draw_reaction(ax, {x: of[key] for x, key in enumerate(keys) if key in of})
    for ax, method in zip(grid[0], methods, strict=True):
        ax.set_title(method, fontsize="small")
    for ax, name in zip(grid[:, 0], sets, strict=True):
        ax.set_ylabel(TITLES[name], rotation=0, ha="right", va="center", size="small")
    grid[0, 0].set_xticks(range(len(noises)), [f"{noise:g}" for noise in noises])
    grid[0, 0].set_yticks([0.0, 0.5, 1.0], ["0", "", "1"])
    grid[0, 0].set(xlim=(-0.4, len(noises) - 0.6), ylim=(-0.06, 1.06))
    _label_below(
        figure,
        "uncertainty: standard deviation of the errors, or share of the spread of "
        "uncertain objects that is kept",
    )
    handles, names = grid[0, 0].get_legend_handles_labels()
    _legend_above(figure, handles[::-1], names[::-1])
    return figure


def _draw_reaction(ax: Any, found: dict[int, Reaction]) -> None:
    places, rows = list(found), list(found.values())
    confidence = [one.confidence for one in rows]
    line = _hollow(VERMILION, "s", 3) | {"linestyle": "--", "linewidth": 0.9}
    ax.plot(places, confidence, label="mean confidence", **line)
    # Last, as it matters more where both are near 1.
    line = {"color": BLUE, "marker": "o", "markersize": 3, "linewidth": 1.2}
    ax.plot(places, [one.acc for one in rows], label="accuracy", **line)
    _quieten(ax, "y", ["top", "right", "bottom", "left"])
    ax.tick_params(length=0, labelsize="x-small", pad=2)


def _panels(
    n_rows: int, n_columns: int, size: tuple[float, float], sharey: bool
) -> tuple["Figure", Any]:
    """Return a figure outside pyplot, and its Axes, shape (n_rows, n_columns)."""
    made = part_of_matplotlib("figure").Figure(figsize=size, layout="constrained")
    shared = {"sharex": True, "sharey": sharey, "squeeze": False}
    return made, made.subplots(n_rows, n_columns, **shared)


def _quieten(ax: Any, grid: str, hidden: Sequence[str]) -> None:
    """Replace frame and ticks by a pale grid behind the data."""
    ax.grid(axis=grid, color=PALE, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(axis="y", length=0)
    ax.spines[list(hidden)].set_visible(False)


def _round_ticks(most: int) -> Any:
    ticker = part_of_matplotlib("ticker")
    return ticker.MaxNLocator(most, steps=[1, 2, 5, 10])


def _rows_down(
    ax: Any, places: Sequence[float], names: Sequence[str], margin: float
) -> None:
    """Name the rows of a plot, the first on top."""
    ax.set_yticks(places, names)
    ax.set_ylim(places[-1] + margin, places[0] - margin)


def _label_below(figure: "Figure", text: str) -> None:
    letters = int(14 * figure.get_figwidth())
    figure.supxlabel(fill(text, letters), fontsize="small")


def _legend_above(
    figure: "Figure", handles: Sequence[Any], names: Sequence[str]
) -> None:
    """Add one legend for all panels, in as many columns as fit."""
    letters = 14 * figure.get_figwidth()
    most = int(letters / (max(map(len, names)) + 8))
    n_columns = len(names) if sum(map(len, names)) + 8 * len(names) < letters else most
    look: dict[str, Any] = {"ncols": max(n_columns, 1), "fontsize": "small"}
    figure.legend(handles, names, loc="outside upper center", frameon=False, **look)


def _hollow(color: str, marker: str, size: float) -> dict[str, Any]:
    """Return keywords for a marker without filling."""
    return {"color": color, "marker": marker, "markersize": size, "mfc": "white"}


def _in_order(order: Sequence[str], found: Iterable[str]) -> list[str]:
    """Return the names that occur, in the order of the paper."""
    present = set(found)
    return [name for name in order if name in present]
