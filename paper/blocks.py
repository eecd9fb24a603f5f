"""The contents of Table 2 before layout, with notes on how to read it."""

from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

import numpy as np

from paper.methods import BY_NUMBER, LEVELS, METHODS, MIN_SAMPLES, is_tuned
from paper.sets import INPUTS, SETS, TITLES, UNCERTAIN
from paper.table2 import Line

METRICS = {"acc": "ACC", "nmi": "NMI"}
# Substitutes for sets of the paper.
SUBSTITUTES = ("nba", "weather")
DIGITS = 3
# Cells that differ from the paper by at least this much are marked.
FAR = 0.05
# Marks figures whose parameters were chosen with labels.
DAGGER = "†"


class Kind(NamedTuple):
    """The lines of a block, and their name in it."""

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
    """The contents of a cell: mean, standard deviation and the figure of the paper."""

    mean: float
    sd: float
    paper: float
    saw_labels: bool
    paper_saw_labels: bool
    is_best: bool = False

    @property
    def ours(self) -> str:
        """The mean, with a dagger if labels were used."""
        return in_figures(self.mean) + DAGGER * self.saw_labels

    @property
    def spread(self) -> str:
        """The standard deviation, if there is more than one draw."""
        return "" if np.isnan(self.sd) else f"± {in_figures(self.sd)}"

    @property
    def theirs(self) -> str:
        """The figure of the paper in parentheses, if there is one."""
        shown = f"({in_figures(self.paper)}{DAGGER * self.paper_saw_labels})"
        return "" if np.isnan(self.paper) else shown

    @property
    def side(self) -> str:
        """Return "above" or "below" if it is far from the paper, or an empty text."""
        # Rounded figures are compared, so that the mark agrees with the printed ones.
        ahead = round(_rounded(self.mean) - _rounded(self.paper), DIGITS)
        return "above" if ahead >= FAR else "below" if ahead <= -FAR else ""


# A set or method, a kind, and cells in the order of the columns.
Row = tuple[str, str, list[Entry | None]]


class Block(NamedTuple):
    """The figures of one table, for either layout."""

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
    """Blocks on one question, with notes on how to read them."""

    id: str
    title: str
    notes: tuple[str, ...]
    blocks: tuple[Block, ...]


def readings(lines: Sequence[Line]) -> list[str]:
    """Return the notes that precede all tables."""
    sets = {line.set for line in lines}
    exact = _titles(sets.difference(UNCERTAIN))
    others = _titles(sets.intersection(SUBSTITUTES))
    found = [
        "These tables replicate Table 2 of H. Liu, X. Zhang, X. Zhang, Q. Li and X.-M. "
        "Wu, “Clustering Uncertain Data via Representative Possible Worlds with "
        "Consistency Learning”, IJCAI 2019, with the implementations of incerta. The "
        "figures of the paper are in parentheses beside ours.",
        "ACC is the share of correct objects when clusters are matched to classes in "
        "the best way; noise is always wrong. NMI is normalized mutual information, by "
        "the arithmetic mean, with noise as one more cluster. The maximum of both is "
        "1. A seed determines all random draws: errors, worlds and starts.",
    ]
    if any(is_tuned(line.method) for line in lines):
        found.append(
            f"{DAGGER} marks figures that used labels: the parameters are those with "
            "the best agreement with the classes. This is impossible where classes are "
            f"unknown, so figures with and without {DAGGER} must not be compared. For "
            f"{_listed(filter(is_tuned, METHODS))} the paper adjusted parameters for "
            "the best result, so its figures for them are marked too."
        )
    if exact:
        found.append(
            "The paper does not state the size of the errors it adds to exact sets, so "
            f"its figures for {_listed(exact)} are not for the same uncertain data as "
            "ours."
        )
    if "waveform" in sets:
        found.append(
            "Waveform: the optimal classifier, which uses the distribution of the "
            "data, has an ACC of 0.87. Higher figures in the paper cannot come from "
            "errors added without labels; benchmarks/class_range.py shows errors that "
            "lead to them."
        )
    if others:
        found.append(
            f"{_listed(others)}: the data are of the same kind as in the paper, but of "
            "other players or other stations."
        )
    return found


def sections(lines: Sequence[Line]) -> list[Section]:
    """Return the tables for which there are lines."""
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
        f"No method used labels here{but}.",
        f"A cell shows {_average(lines)}, and the figure of the paper in parentheses. "
        "The best of our figures for each set is bold.",
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
        f"“by labels {DAGGER}” is the best of {n_points} settings, by ACC against the "
        "classes, scored on the draw that it was chosen on, that of the first seed. "
        "There is therefore no spread. The figures of the paper are in parentheses."
    ]
    if kept:
        notes.append(
            f"“kept {DAGGER}” applies the same settings to the draws of other seeds, "
            f"and shows {_average(kept)}."
        )
    notes.append("“auto” used no label; it is repeated from above.")
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
        "The same methods, again without labels, and without the uncertainty. "
        f"“values” are the true values{means}. “one world” is a single draw of every "
        "object, like one measurement.",
        f"A cell shows {_average(lines)}. Where “one world” is as good as “uncertain”, "
        "the method does not gain from the uncertainty.",
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
    # Round half up as by hand: 0.8055 in the paper, slightly less as a float, is 0.806.
    found = float(Decimal(str(value)).quantize(Decimal(10) ** -DIGITS, ROUND_HALF_UP))
    return found + 0.0  # no -0.0


def in_figures(value: float) -> str:
    """Format a score for all tables."""
    return f"{_rounded(value):.{DIGITS}f}".replace("-", "−")


def _titles(names: Iterable[str]) -> list[str]:
    return [TITLES[name] for name in sorted(names, key=SETS.index)]


def _listed(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
