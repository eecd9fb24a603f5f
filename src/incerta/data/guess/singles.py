"""Columns of which each is named as the error of another one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from incerta.data.guess.named import Named, template

# What a word says about an error; None is a standard deviation.
WORDS: dict[str, str | None] = {
    **dict.fromkeys(("err", "error", "errors", "stderr", "std", "stdev", "stddev")),
    **dict.fromkeys(("sd", "se", "sem", "sigma", "sig", "unc", "uncert", "stdv")),
    **dict.fromkeys(("uncertainty", "uncertainties")),
    **dict.fromkeys(("fehler", "unsicherheit", "standardabweichung", "stabw")),
    **dict.fromkeys(("erreur", "incertitude", "incertidumbre", "desviación")),
    **dict.fromkeys(("desviacion", "errore", "incertezza")),
    "moe": "moe90",  # of the American Community Survey
    "var": "var",
    "variance": "var",
    "ivar": "ivar",
    "rsd": "rel%",
    "rse": "rel%",
}
_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
# One or two standard deviations, as geologists have it.
_ONCE, _TWICE = (rf"{n}s|{n}[\W_]?(?:σ|sigma|sd|se|s\.\s?[de]\.?)" for n in "12")
# Several words, or one with a number.
_WORDS = (
    r"(?:std|st|standard)[\W_]+(?:err|error|dev|deviation)|margin[\W_]+of[\W_]+error|"
    r"(?:moe|margin[\W_]+of[\W_]+error)[\W_]*9[05]|ci[\W_]*9[05]|9[05][\W_]*ci|"
    rf"{_ONCE}|{_TWICE}|"
    r"s\.\s?[de]\.?|[ée]cart[\W_]*type|(?:err|error|unc|uncertainty)[\W_]*(?:pct|percent|%)"
)
ALONE = re.compile(rf"{_WORD}|{_WORDS}|±|\+/?-", re.IGNORECASE)
_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?P<value>.+)[\W_](?P<word>{_WORDS})[\W_]*",
        rf"(?P<value>.+)[\W_](?P<word>{_WORD})[\W_]*",
        rf"(?P<word>{_WORDS})[\W_]+(?P<value>.+)",
        rf"(?P<word>{_WORD}|e)[\W_]+(?P<value>.+)",
        r"(?P<value>.*[^\s_])[\s_]*+(?P<word>±|\+/?-)[\W_]*",
        r"(?P<word>±|\+/?-|[σδ])[\W_]*(?P<value>.+)",
        r"(?P<word>u)\((?P<value>.+)\)",
    )
)
_CAMEL = re.compile(r"(?P<value>.+[a-z\d])(?P<word>Err|Error|Std|Sigma|Unc|SD|SE|MOE)")
_CAPITALS = re.compile(r"(?P<value>.+[A-Z])(?P<word>ERR|STD|SD|SE|MOE)")
# Words that are errors wherever they are in a name: fluxerr, psfMagErr_u, w1sigmpro;
# and those that are so between others: mass_sd_kg.
_INSIDE = re.compile(
    r"errors?|err|sigma|sigcom|sig|stdev|stddev|std|unc|moe|ivar|"
    rf"(?<=[\W_])(?:{_ONCE}|{_TWICE}|sd|se|sem)(?=[\W_])",
    re.IGNORECASE,
)
# After what two names have in common: temp_err beside temp_C, C14SD beside C14Age.
_CLEAR = "|".join(word for word, kind in WORDS.items() if kind in (None, "moe90"))
_AFTER = (
    re.compile(rf"(?P<value>.+)[\W_](?P<word>{_WORDS}|{_CLEAR})[\W_]*", re.IGNORECASE),
    _CAMEL,
    re.compile(r"(?P<value>.+\d)(?P<word>std|err|sd)"),
)
# Such a name says more than what was measured, and in which unit: vib_max, vib_std.
_NO_VALUE = re.compile(
    "max|maximum|min|minimum|range|rms|kurt|kurtosis|skew|skewness|peak|sum|total|"
    "count|n|num|number|slope|trend|cv|iqr|mad|first|last|id|code|class|type|label|"
    "group|flag|date|year|month|day|rank|percentile|p|low|high|lower|upper",
    re.IGNORECASE,
)
SHORTEST = 2  # name of a value, for that
_CENSUS = re.compile(r"(?P<value>[A-Z]+\d+[A-Z]*_(?:C\d\d_)?\d{3,4})M")  # B19013_001M
_LETTER = re.compile(r"(?P<word>s|e|sd|err|sigma|unc)(?P<number>\d+)", re.I)
_GLUED = ("d", "e")  # dx of x; too short to mean anything alone
_UNIT = re.compile(r"(?P<bare>.*[^\s_])(?P<unit>[\s_]*+(?:\([^()]*\)|\[[^][]*\]))")
# A value may have such a word of its own: mass_mean with mass_sd.
_MEAN = "mean|avg|average|est|estimate|val|value"
_MEAN_AFTER = re.compile(rf"(?P<value>.+)[\W_](?:{_MEAN})", re.IGNORECASE)
_MEAN_BEFORE = re.compile(rf"(?:{_MEAN})[\W_]+(?P<value>.+)", re.IGNORECASE)


def single_errors(names: Sequence[str], known: set[str]) -> list[Named]:
    """Find columns that are the error of another one, by their names.

    Parameters
    ----------
    names : sequence of str
        Names of columns that may be errors.
    known : set of str
        Names of all columns that may be values.

    Returns
    -------
    list of Named
        Time grows with the number of names.

    Examples
    --------
    >>> from incerta.data.guess.singles import single_errors
    >>> names = ["mass [kg]", "mass SD [kg]", "fluxerr", "flux"]
    >>> for found in single_errors(names, set(names)):
    ...     print(found.value, found.columns, found.templates)
    mass [kg] ('mass SD [kg]',) ()
    flux ('fluxerr',) ('{}err',)
    """
    others = _without_units(names) | _without_means(names)
    lower = {name.lower(): name for name in reversed(names)}
    found = []
    for name in names:
        one = _single(name, known, others, lower) or _inside(name, known)
        if one is not None:
            found.append(one)
    taken = {named.value for named in found} | {named.columns[0] for named in found}
    free = [name for name in names if name not in taken]
    found += [*_by_letters(free), *_glued(free), *_estimates(free)]
    taken = {named.value for named in found} | {named.columns[0] for named in found}
    return [*found, *_by_beginnings([name for name in names if name not in taken])]


def kind_of(word: str) -> str | None:
    """Kind of an error, by the word for it."""
    word = word.lower()
    if word.endswith(("pct", "percent", "%")):
        return "rel%"
    if re.fullmatch(_TWICE, word):
        return "moe95"
    if re.match(r"moe|margin|ci|9", word):
        return "moe95" if "95" in word else "moe90"
    return WORDS.get(word)


def _without_units(names: Iterable[str]) -> dict[str, str]:
    """Names that have a unit, such as ``mass [kg]``, by what is before it."""
    bare = [(match["bare"], n) for n in names if (match := _UNIT.fullmatch(n))]
    times = Counter(stem for stem, _ in bare)
    return {stem: name for stem, name in bare if times[stem] == 1}


def _without_means(names: Sequence[str]) -> dict[str, str]:
    """Names that say that they are of values, by what else they say.

    Mean radius and radius error, beside the worst radius, are three features.
    """
    after = {m["value"]: name for name in names if (m := _MEAN_AFTER.fullmatch(name))}
    before = {m["value"]: name for name in names if (m := _MEAN_BEFORE.fullmatch(name))}
    times = Counter(word for name in names for word in {*_ends(name)} if word in before)
    return {value: n for value, n in before.items() if times[value] == 2} | after


def _ends(name: str) -> Iterator[str]:
    """What is before the last word, and what is after each."""
    for cut in re.finditer(r"[\W_]+", name):
        yield from (name[: cut.start()], name[cut.end() :])


def _single(
    name: str, known: set[str], others: dict[str, str], lower: dict[str, str]
) -> Named | None:
    if match := _CENSUS.fullmatch(name):
        value = f"{match['value']}E"
        return Named(value, (name,), "moe90", ()) if value in known else None
    # The unit, if it is the last, may be that of the value: mass SD [kg].
    parts = _UNIT.fullmatch(name)
    bare, unit = (name, "") if parts is None else parts.groups()
    for text, pattern in (
        *((name, pattern) for pattern in (*_PATTERNS, _CAMEL, _CAPITALS)),
        *((bare, pattern) for pattern in _PATTERNS if unit),
    ):
        match = pattern.fullmatch(text)
        if match is None:
            continue
        stem, kind = match["value"], kind_of(match["word"])
        if kind is None and "%" in unit and f"{stem}{unit}" not in known:
            kind = "rel%"
        if stem in known and stem != name and text == name:
            return Named(stem, (name,), kind, (template(match),))
        other = f"{stem}{unit}"
        if other == name or other not in known:
            other = lower.get(stem.lower().strip(" _"), name)
            if not unit or "%" in unit:  # in another unit it would be another number
                other = others.get(stem, other)
        if other != name:
            return Named(other, (name,), kind, ())
    return None


def _inside(name: str, known: set[str]) -> Named | None:
    """Without a word for errors, the name is that of another column."""
    for match in _INSIDE.finditer(name):
        before, after = name[: match.start()], name[match.end() :]
        for value in (
            before + after,
            before.rstrip(" _.-") + after,
            before + after.lstrip(" _.-"),
        ):
            if value not in known or len(value) < SHORTEST:
                continue
            whole = value in (before, after)
            said = (name.replace(value, "{}", 1),) if whole else ()
            return Named(value, (name,), kind_of(match[0]), said)
    return None


def _by_letters(names: Sequence[str]) -> Iterator[Named]:
    """Errors s0, s1, ... of x0, x1, ...; all numbers must be there."""
    errors: dict[str, list[str]] = {}
    for name in names:
        if match := _LETTER.fullmatch(name):
            errors.setdefault(match["word"], []).append(match["number"])
    numbered: dict[str, set[str]] = {}
    for name in names:
        match = re.fullmatch(r"([^\W\d_]+)(\d+)", name)
        if match and match[1] not in errors:
            numbered.setdefault(match[1], set()).add(match[2])
    for word, numbers in errors.items():
        fitting = [stem for stem, own in numbered.items() if own == set(numbers)]
        if len(fitting) == 1 and len(numbers) > 1:
            for number in numbers:
                yield Named(f"{fitting[0]}{number}", (f"{word}{number}",), None, ())


def _glued(names: Sequence[str]) -> Iterator[Named]:
    """Errors dx, dy, ... of x, y, ...; there must be several, or nothing else."""
    there = set(names)
    for letter in _GLUED:
        pairs = [name for name in names if f"{letter}{name}" in there]
        if len(pairs) > 1 or 2 * len(pairs) == len(names) > 0:
            for value in pairs:
                yield Named(value, (f"{letter}{value}",), None, (f"{letter}{{}}",))


def _estimates(names: Sequence[str]) -> Iterator[Named]:
    """Margins incomeM, rentM, ... of estimates incomeE, rentE, ..., and no other name.

    A single pair may be anything, such as marks in English and in mathematics.
    """
    ends: dict[str, set[str]] = {"E": set(), "M": set()}
    for name in names:
        if not re.fullmatch(r".*[a-z\d][EM]", name):
            return
        ends[name[-1]].add(name[:-1])
    if ends["E"] == ends["M"] and len(ends["E"]) > 1:
        for name in names:
            if name.endswith("E"):
                yield Named(name, (f"{name[:-1]}M",), "moe90", ())


def is_named_as_error(name: str) -> bool:
    """Whether a name ends in a word for errors."""
    return any(pattern.fullmatch(name) for pattern in _AFTER)


def _by_beginnings(names: Sequence[str]) -> Iterator[Named]:
    """Errors of the only other column that begins alike: temp_err of temp_C."""
    errors = {
        name: match
        for name in names
        if (match := next(filter(None, (p.fullmatch(name) for p in _AFTER)), None))
    }
    values = sorted(name for name in names if name not in errors)
    times = Counter(match["value"] for match in errors.values())
    for name, match in errors.items():
        alike = list(islice(_beginning_with(match["value"], values), 2))
        if len(alike) == 1 and times[match["value"]] == 1:
            yield Named(alike[0], (name,), kind_of(match["word"]), ())


def _beginning_with(stem: str, names: Sequence[str]) -> Iterator[str]:
    """Those of the sorted names that begin with a stem, and go on with a new word."""
    for name in names[bisect_left(names, stem) :]:
        if not name.startswith(stem):
            return
        after = name[len(stem) :]
        begins = re.match(r"[\W_]", after) or (
            not stem[-1].isupper() and (after[:1].isupper() or stem[-1].isdecimal())
        )
        if begins and not any(map(_NO_VALUE.fullmatch, re.split(r"[\W_]+", after))):
            yield name
