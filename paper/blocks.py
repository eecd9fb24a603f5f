"""What Table 2 shows, before it is laid out, and what must be known to read it."""

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

import numpy as np

from paper.methods import BY_NUMBER, LEVELS, METHODS, MIN_SAMPLES, is_tuned
from paper.sets import INPUTS, SETS, TITLES, UNCERTAIN
from paper.table2 import Line

METRICS = {"acc": "ACC", "nmi": "NMI"}
# Sets that stand in for those of the paper.
SUBSTITUTES = ("nba", "weather")
DIGITS = 3
# From this difference to the paper's figure on, a cell of the page has a sign.
FAR = 0.05
# Follows every figure that labels had a part in.
DAGGER = "†"


class Kind(NamedTuple):
    """Which lines go into a block, and what they are called there."""

    label: str
    input: str
    tunings: tuple[str, ...]
    beside_paper: bool = False


WITHOUT_LABELS = ("none", "auto")
PLAIN = (Kind("", "uncertain", WITHOUT_LABELS, beside_paper=True),)
CHOSEN = (
    Kind(f"by labels {DAGGER}", "uncertain", ("labels",), beside_paper=True),
    Kind(f"kept {DAGGER}", "uncertain", ("kept",)),
    Kind("auto", "uncertain", ("auto",)),
)
BY_INPUT = tuple(Kind(source, source, WITHOUT_LABELS) for source in INPUTS)


class Entry(NamedTuple):
    """What one cell shows: a mean, its standard deviation, and the paper's figure."""

    mean: float
    sd: float
    paper: float
    saw_labels: bool
    paper_saw_labels: bool
    is_best: bool = False

    @property
    def ours(self) -> str:
        """The mean, with a dagger where labels had a part in it."""
        return in_figures(self.mean) + DAGGER * self.saw_labels

    @property
    def spread(self) -> str:
        """The standard deviation, where there is more than one draw."""
        return "" if np.isnan(self.sd) else f"± {in_figures(self.sd)}"

    @property
    def theirs(self) -> str:
        """The paper's figure in parentheses, where there is one."""
        shown = f"({in_figures(self.paper)}{DAGGER * self.paper_saw_labels})"
        return "" if np.isnan(self.paper) else shown

    @property
    def side(self) -> str:
        """Whether it is far "above" or "below" the paper's figure, or neither."""
        # Of rounded figures: the sign agrees with what is read beside it.
        ahead = round(_rounded(self.mean) - _rounded(self.paper), DIGITS)
        return "above" if ahead >= FAR else "below" if ahead <= -FAR else ""


# A set or method, a kind, and cells in the order of the columns.
Row = tuple[str, str, list[Entry | None]]


class Block(NamedTuple):
    """The figures of one table, to be laid out either way."""

    caption: str
    sets: tuple[str, ...]
    methods: tuple[str, ...]
    kinds: tuple[str, ...]
    entries: dict[tuple[str, str, str], Entry]

    def by_set(self) -> list[Row]:
        """Rows with one column for each method."""
        return [
            (name, kind, [self.entries.get((name, m, kind)) for m in self.methods])
            for name in self.sets
            for kind in self.kinds
        ]

    def by_method(self) -> list[Row]:
        """Rows with one column for each set."""
        return [
            (method, kind, [self.entries.get((s, method, kind)) for s in self.sets])
            for method in self.methods
            for kind in self.kinds
        ]


class Section(NamedTuple):
    """Blocks on one question, with what must be known to read them."""

    id: str
    title: str
    notes: tuple[str, ...]
    blocks: tuple[Block, ...]


def readings(lines: Sequence[Line]) -> list[str]:
    """What must be known before any figure is read."""
    sets = {line.set for line in lines}
    exact = _titles(sets.difference(UNCERTAIN))
    others = _titles(sets.intersection(SUBSTITUTES))
    found = [
        "These tables repeat Table 2 of H. Liu, X. Zhang, X. Zhang, Q. Li and X.-M. "
        "Wu, “Clustering Uncertain Data via Representative Possible Worlds with "
        "Consistency Learning”, IJCAI 2019, with the methods as incerta implements "
        "them. The paper's figures stand in parentheses beside ours.",
        "ACC is the share of objects that are right when clusters are matched to "
        "classes as well as can be; noise is never right. NMI is normalized mutual "
        "information, by the arithmetic mean, with noise as one more cluster. Both are "
        "1 at best. A seed decides on all that is drawn: errors, worlds and starts.",
    ]
    if any(is_tuned(line.method) for line in lines):
        found.append(
            f"{DAGGER} marks figures that labels had a part in: of many parameters "
            "those were taken that did best when compared with the classes. Where "
            f"classes are not known nobody can do so: a figure with {DAGGER} and one "
            f"without are no fair comparison. For {_listed(filter(is_tuned, METHODS))} "
            "the paper adjusted parameters until each did best, so that its figures "
            "for them are marked, too."
        )
    if exact:
        found.append(
            "The paper does not say how large the errors are that it adds to exact "
            f"sets, so its figures for {_listed(exact)} are not of the same uncertain "
            "data as ours."
        )
    if "waveform" in sets:
        found.append(
            "Waveform: the best rule there is, which knows the law of the data, gets "
            "an ACC of 0.87. What the paper reports above that cannot come from errors "
            "that no label has a part in; benchmarks/class_range.py shows errors that "
            "give it."
        )
    if others:
        found.append(
            f"{_listed(others)}: data of the same kind as the paper's, but of other "
            "players or other stations."
        )
    return found


def sections(lines: Sequence[Line]) -> list[Section]:
    """The tables that there are lines for."""
    plain = [line for line in lines if line.tuning in WITHOUT_LABELS]
    usual = [line for line in plain if line.input == "uncertain"]
    tuned = [line for line in lines if is_tuned(line.method)]
    found = []
    if usual:
        found.append(_without_labels(usual))
    if any(line.tuning == "labels" for line in tuned):
        found.append(_with_labels(tuned))
    if any(line.input != "uncertain" for line in plain):
        found.append(_on_exact_data(plain))
    return found


def _without_labels(lines: list[Line]) -> Section:
    methods = {line.method for line in lines}
    told = [m for m in METHODS if m in methods and (m in BY_NUMBER or m == "FOPTICS")]
    but = f", but the number of classes is given to {_listed(told)}" if told else ""
    notes = (
        f"No method has seen a label here{but}.",
        f"A cell holds {_average(lines)}, and the paper's figure in parentheses. The "
        "best of our figures for each set is bold.",
    )
    blocks = tuple(
        _with_best(_block(lines, metric, f"{name} without labels", PLAIN))
        for metric, name in METRICS.items()
    )
    return Section("without", "A. Without labels", notes, blocks)


def _with_labels(lines: list[Line]) -> Section:
    n_points = len(MIN_SAMPLES) * len(LEVELS)
    kept = [line for line in lines if line.tuning == "kept"]
    notes = [
        f"“by labels {DAGGER}” takes the best of {n_points} settings, by ACC against "
        "the classes, and scores it on the very draw that it was chosen on, that of "
        "the first seed: there is no spread to show. The paper's figures stand in "
        "parentheses."
    ]
    if kept:
        notes.append(
            f"“kept {DAGGER}” takes the same settings to the draws of other seeds, "
            f"which they were not chosen on, and shows {_average(kept)}."
        )
    notes.append("“auto” has seen no label; it is repeated from above.")
    blocks = tuple(
        _block(lines, metric, f"{name} with parameters chosen by labels", CHOSEN)
        for metric, name in METRICS.items()
    )
    title = "B. With parameters chosen by the labels, as in the paper"
    return Section("with", title, tuple(notes), blocks)


def _on_exact_data(lines: list[Line]) -> Section:
    natural = _titles({line.set for line in lines}.intersection(UNCERTAIN))
    means = f" (of {_listed(natural)}, the means of the objects)" if natural else ""
    notes = (
        "The same methods, again without labels, when they are told nothing of the "
        f"uncertainty. “values” are the true values{means}. “one world” is a single "
        "draw of every object, as if it had been measured once.",
        f"A cell holds {_average(lines)}. Where “one world” does as well as "
        "“uncertain”, the method has gained nothing by knowing the uncertainty.",
    )
    block = _block(lines, "acc", "ACC with and without the uncertainty", BY_INPUT)
    return Section("exact", "C. The same methods on exact data", notes, (block,))


def _block(
    lines: Iterable[Line], metric: str, caption: str, kinds: Sequence[Kind]
) -> Block:
    entries = {
        (TITLES[line.set], line.method, kind.label): _entry(line, metric, kind)
        for kind in kinds
        for line in lines
        if line.input == kind.input and line.tuning in kind.tunings
    }
    sets, methods, labels = (set(names) for names in zip(*entries, strict=True))
    return Block(
        caption,
        tuple(TITLES[name] for name in SETS if TITLES[name] in sets),
        tuple(method for method in METHODS if method in methods),
        tuple(kind.label for kind in kinds if kind.label in labels),
        entries,
    )


def _entry(line: Line, metric: str, kind: Kind) -> Entry:
    return Entry(
        mean=getattr(line, metric),
        sd=getattr(line, f"{metric}_sd"),
        paper=getattr(line, f"paper_{metric}") if kind.beside_paper else np.nan,
        saw_labels=line.tuning not in WITHOUT_LABELS,
        paper_saw_labels=is_tuned(line.method),
    )


def _with_best(block: Block) -> Block:
    if len(block.methods) == 1:
        return block
    tops: dict[str, float] = {}
    for (name, *_), entry in block.entries.items():
        tops[name] = max(tops.get(name, -np.inf), _rounded(entry.mean))
    marked = {
        key: entry._replace(is_best=_rounded(entry.mean) == tops[key[0]])
        for key, entry in block.entries.items()
    }
    return block._replace(entries=marked)


def _average(lines: Sequence[Line]) -> str:
    counts = sorted({line.n_seeds for line in lines})
    if counts == [1]:
        return "the figure of one seed"
    from_to = dict.fromkeys((f"{counts[0]}", f"{counts[-1]}"))
    return f"the mean ± standard deviation over {' to '.join(from_to)} seeds"


def _rounded(value: float) -> float:
    # As one would by hand: the paper's 0.8055, which floats are below, is 0.806.
    found = float(Decimal(str(value)).quantize(Decimal(10) ** -DIGITS, ROUND_HALF_UP))
    return found + 0.0  # no -0.0


def in_figures(value: float) -> str:
    """A score as all tables print it."""
    return f"{_rounded(value):.{DIGITS}f}".replace("-", "−")


def _titles(names: Iterable[str]) -> list[str]:
    return [TITLES[name] for name in sorted(names, key=SETS.index)]


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
