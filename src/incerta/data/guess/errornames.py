"""Columns whose names say that they are errors, bounds or replicates of others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from incerta.data.guess.named import Named, template
from incerta.data.guess.namewords import ID_WORDS, ROW_WORDS, words_of
from incerta.data.guess.singles import ALONE, kind_of, single_errors

# Names that the only column of values may have; and of what may stand beside it.
_ONE_VALUE = re.compile("mean|avg|average|value|val|estimate|est|measurement", re.I)
_ASIDE = re.compile(r"n|count|size|df|statistic|p[\W_]?value|conf[\W_](low|high)", re.I)
_CONFIDENCE = re.compile("ci|cl|conf|hdi|95", re.IGNORECASE)
LONGEST = 200  # name that is looked at; a file may have any

_LOWS = {
    "lower": "upper",
    "low": "high",
    "lo": "hi",
    "minimum": "maximum",
    "min": "max",
    "lcl": "ucl",
    "lb": "ub",
    "minus": "plus",
    "down": "up",
    "lerr": "uerr",
    "errm": "errp",
    "err2": "err1",
    "errlow": "errhigh",
    "errlo": "errhi",
    "l": "u",
    "m": "p",
    "2": "1",
}
_EXTRA = r"(?:ci|cl|conf|hdi|err|error|e|bound|limit|int|9[05]|68)"
# All of what is between two words, but the end of a unit, which belongs to the first.
_BETWEEN = r"(?:(?<![\W_])|(?<=[])]))(?![])])[\W_]++"
_LOW_AFTER = re.compile(
    rf"(?P<value>.+?)(?P<mark>{_BETWEEN}(?:{_EXTRA}[\W_]*+)*?"
    rf"(?P<low>{'|'.join(_LOWS)})(?:[\W_]*{_EXTRA})*)",
    re.IGNORECASE,
)
_LOW_BEFORE = re.compile(
    rf"(?P<mark>(?:{_EXTRA}[\W_]+)*(?P<low>lower|low|lo|minimum|min)[\W_]+"
    rf"(?:{_EXTRA}[\W_]+)*)(?P<value>.+)|(?P<bare>l|lo)(?P<number>\d+)",
    re.IGNORECASE,
)
_LOW_ALONE = re.compile(
    rf"(?:{_EXTRA}[\W_]*)*(?P<low>lower|low|lo|lcl|lb)(?:[\W_]*{_EXTRA})*",
    re.IGNORECASE,
)
# Glued to the value: pl_radeerr1 and pl_radeerr2.
_LOW_GLUED = re.compile(
    r"(?P<value>.+?)(?P<mark>(?P<low>err2|errm|errlow|errlo|lerr))", re.IGNORECASE
)
_ERROR = re.compile(r"(?i)err|plus|minus|(?<![a-z])e(?![a-z])")
_QUANTILE = re.compile(
    rf"(?P<value>.+?)(?P<mark>{_BETWEEN}"
    r"(?:(?:percentile|perc|pct|p|quantile|q)[\W_]*+)?"
    r"(?P<low>0?\.?16|15\.9|0?\.?025|2[._p]5|0?\.05|0?5|10|25)(?:th)?)",
    re.IGNORECASE,
)
_UPPER = {
    "16": "84",
    "15.9": "84.1",
    "025": "975",
    "5": "95",
    "05": "95",
    "10": "90",
    "25": "75",
}
_NUMBERED = re.compile(
    r"(?P<stem>.*[^\W\d_].*?)(?<![\W_])(?P<sep>[\W_]++)"
    r"(?P<word>(?:rep|replicate|run|trial|r|meas)?)(?P<number>\d{1,3}|[a-z])",
    re.IGNORECASE,
)


class Repeated(NamedTuple):
    """Columns that are named as repeated measurements."""

    stems: tuple[str, ...]
    template: str  # "{}_*"
    columns: tuple[tuple[str, ...], ...]  # of each stem
    says_so: bool  # by a word such as rep


def error_names(names: Sequence[str]) -> list[Named]:
    """Find errors and bounds among columns of numbers, by their names.

    Parameters
    ----------
    names : sequence of str
        Names of the columns that hold numbers.

    Returns
    -------
    list of Named
        In the order of the columns. Time grows with the number of names.

    Examples
    --------
    >>> from incerta.data.guess.errornames import error_names
    >>> for found in error_names(["mass", "mass_err", "t_low", "t_high"]):
    ...     print(found.value, found.columns, found.kind, found.templates)
    mass ('mass_err',) None ('{}_err',)
    t ('t_low', 't_high') interval ('{}_low', '{}_high')
    """
    names = [name for name in names if len(name) <= LONGEST]
    known = set(names)
    found = list(_of_one_value(names))
    if not found:
        found = [pair for name in names for pair in _pair(name, known)]
    used = {column for named in found for column in named.columns}
    found += single_errors([name for name in names if name not in used], known - used)
    order = {name: place for place, name in enumerate(names)}
    return sorted(found, key=lambda named: order[named.columns[0]])


def _of_one_value(names: Sequence[str]) -> Iterator[Named]:
    """Errors, or bounds, without the name of a value, if there is but one: mean, sd."""
    values = [name for name in names if _ONE_VALUE.fullmatch(name)]
    if len(values) != 1:
        return
    rest = [name for name in names if name != values[0] and not _is_of_rows(name)]
    others = {name for name in rest if not _ASIDE.fullmatch(name)}
    errors = [name for name in rest if ALONE.fullmatch(name)]
    if others == set(errors) and len(errors) == 1:
        yield Named(values[0], (errors[0],), kind_of(errors[0]), ())
        return
    for name in rest:
        match = _LOW_ALONE.fullmatch(name)
        if match is None:
            continue
        start, end = match.span("low")
        high = name[:start] + _upper(match["low"], is_quantile=False) + name[end:]
        if high in rest and others <= {name, high}:
            kind = "ci95" if _CONFIDENCE.search(name) else "bounds"
            yield Named(values[0], (name, high), kind, (name, high))
            return


def _is_of_rows(name: str) -> bool:
    """Whether a column may be that of the objects: they may have numbers."""
    return bool((ID_WORDS | ROW_WORDS).intersection(words_of(name)[-1:]))


def _pair(name: str, known: set[str]) -> Iterable[Named]:
    value, above = name.removeprefix("e_"), f"E_{name.removeprefix('e_')}"
    if name.startswith("e_") and known >= {value, above}:  # as VizieR has it
        yield Named(value, (above, name), "plusminus", ("E_{}", "e_{}"))
        return
    for pattern in (_QUANTILE, _LOW_AFTER, _LOW_BEFORE, _LOW_GLUED):
        match = pattern.fullmatch(name)
        if match is None:
            continue
        if pattern is _LOW_BEFORE and match["bare"]:
            high = {"l": "h", "lo": "hi", "L": "H"}.get(match["bare"], "") + match[
                "number"
            ]
            if high in known and high != match["number"]:
                low, stem = match["bare"], match["number"]
                templates = (f"{low}{{}}", f"{high.removesuffix(stem)}{{}}")
                yield Named(stem, (name, high), "interval", templates)
                return
            continue
        word = match["low"]
        upper = _upper(word, is_quantile=pattern is _QUANTILE)
        mark = match["mark"]
        at = match.start("low") - match.start("mark")
        other = mark[:at] + upper + mark[at + len(word) :]
        before, after = name[: match.start("mark")], name[match.end("mark") :]
        running = before + mark[:at] + "2" + mark[at + len(word) :] + after
        if before + other + after not in known or running in known - {name}:
            continue
        kind = _kind_of_pair(mark, word, is_quantile=pattern is _QUANTILE)
        value = match["value"]
        if kind is None or (kind == "plusminus" and value not in known):
            continue
        if kind == "interval" and value in known and "min" not in word.lower():
            kind = "bounds"  # an interval, or the ends of a confidence interval
        templates = (template(match), template(match).replace(mark, other))
        columns = (name, before + other + after)
        if kind == "plusminus":  # first what is above the value
            columns, templates = columns[::-1], templates[::-1]
        yield Named(value, columns, kind, templates)
        return


def _upper(low: str, *, is_quantile: bool) -> str:
    if not is_quantile:
        high = _LOWS[low.lower()]
        return (
            high.upper() if low.isupper() else high.title() if low.istitle() else high
        )
    if low.startswith(("2.", "2_", "2p")):
        return f"97{low[1]}5"
    head, dot, digits = (
        low.rpartition(".") if low.startswith(("0.", ".")) else ("", "", low)
    )
    if low.startswith("0") and digits not in _UPPER and digits[1:] in _UPPER:
        head, digits = "0", digits[1:]
    return head + dot + _UPPER.get(digits, "")


def _kind_of_pair(mark: str, low: str, *, is_quantile: bool) -> str | None:
    said = mark.lower()
    if is_quantile:
        plain = low.lstrip("0").lstrip(".") if "16" in low else low
        if plain in ("16", "15.9"):
            return "ci68"
        return (
            "ci95"
            if ("25" in low and low != "25") or (low[:1] == "2" and len(low) > 2)
            else "?"
        )
    if _ERROR.search(said):
        return "plusminus"
    if low.lower() in ("l", "m", "2", "down"):
        # Too short to mean anything alone.
        return "ci95" if "ci" in said and low.lower() == "l" else None
    if "68" in said:
        return "ci68"
    if "90" in said:
        return "?"
    return "ci95" if _CONFIDENCE.search(said) else "interval"


def repeated_names(names: Sequence[str]) -> Repeated | None:
    """Find wide replicates: ``h_1, h_2, h_3, g_1, g_2, g_3``.

    All stems must have the same running numbers or letters.

    Parameters
    ----------
    names : sequence of str
        Names of the columns that hold numbers.

    Returns
    -------
    Repeated or None

    Examples
    --------
    >>> from incerta.data.guess.errornames import repeated_names
    >>> found = repeated_names(["dose", "h_1", "h_2", "g_1", "g_2"])
    >>> found.stems, found.template
    (('h', 'g'), '{}_*')
    """
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for name in names:
        if len(name) <= LONGEST and (match := _NUMBERED.fullmatch(name)):
            group = groups.setdefault((match["sep"], match["word"]), {})
            group.setdefault(match["stem"], []).append(match["number"])
    groups = {
        key: {stem: marks for stem, marks in group.items() if _runs(marks)}
        for key, group in groups.items()
    }
    groups = {key: group for key, group in groups.items() if group}
    if len(groups) != 1:
        return None
    ((sep, word), group), *_ = groups.items()
    first = next(iter(group.values()))
    if any(marks != first for marks in group.values()):
        return None
    columns = tuple(
        tuple(f"{stem}{sep}{word}{mark}" for mark in first) for stem in group
    )
    return Repeated(tuple(group), f"{{}}{sep}{word}*", columns, bool(word))


def _runs(marks: Sequence[str]) -> bool:
    """Tell whether marks are running numbers or letters, two at least."""
    if len(marks) < 2:
        return False
    if all(mark.isdecimal() for mark in marks):
        numbers = [int(mark) for mark in marks]
        return numbers[0] in (0, 1) and numbers == list(
            range(numbers[0], numbers[0] + len(numbers))
        )
    start = ord(marks[0])
    running = [ord(mark) - start for mark in marks if len(mark) == 1]
    return marks[0] in "aA" and running == list(range(len(marks)))


def correlation_names(
    names: Sequence[str], values: Sequence[str]
) -> dict[str, list[str]]:
    """Columns with the correlation of two values, by template.

    Examples
    --------
    >>> from incerta.data.guess.errornames import correlation_names
    >>> correlation_names(["ra", "dec", "ra_dec_corr"], ["ra", "dec"])
    {'{}_{}_corr': ['ra_dec_corr']}
    """
    known = set(values)
    found: dict[str, list[str]] = {}
    for name in names:
        match = re.fullmatch(r"(?i)(?P<both>.+)(?P<after>[\W_](?:corr|rho|cor))", name)
        match = match or re.fullmatch(
            r"(?i)(?P<before>(?:corr|rho|cor)[\W_])(?P<both>.+)", name
        )
        if match is None:
            continue
        both = match["both"]
        for cut in re.finditer(r"[\W_]+", both):
            if both[: cut.start()] in known and both[cut.end() :] in known:
                parts = match.groupdict()
                before, after = parts.get("before") or "", parts.get("after") or ""
                template = f"{before}{{}}{cut[0]}{{}}{after}"
                found.setdefault(template, []).append(name)
                break
    return found
