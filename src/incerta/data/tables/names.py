"""Words that name columns of ids, classes, times, errors and values."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from incerta.exceptions import DataError
from incerta.typing import Array
from incerta.wording import counted


def _words(text: str) -> list[str]:
    return text.split()


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


ID_WORDS = _set(
    "id ids identifier key name names object obj star galaxy source station sample "
    "subject patient participant person player plant animal specimen county country "
    "city municipality tract site plot gene protein cell item document doc fips geoid "
    "kepid oid uid uuid designation code well stock ticker planet model machine sensor "
    "device probe meter gauge buoy turbine pump vehicle logger mouse rat donor user "
    "customer client school hospital district village neuron electrode"
)
KEY_WORDS = _set("id ids identifier key oid uid uuid code designation")
NUMBER_WORDS = _set("nr no")  # numbers of rows or of objects
ROW_WORDS = _set("row rowid rownum index idx unnamed") | NUMBER_WORDS
CLASS_WORDS = _set(
    "class classes label labels type types species genus family cluster clusters group "
    "category target truth disposition diagnosis subtype cultivar region kind leiden "
    "louvain"
)
# Words for joint draws of all objects.
JOINT_WORDS = _set("member draw realization realization imputation imp ensemble")
DRAW_WORDS = JOINT_WORDS | _set("number ens")  # of dimensions: ECMWF numbers members
# Repeated measurements, or runs of something for all objects at once.
INDEX_WORDS = _set(
    "replicate rep repeat repetition run trial measurement iteration sample chain"
)
TIME_WORDS = _set(
    "year month day date time hour minute week season quarter timestamp epoch step "
    "timestep jd mjd bjd yr"
)
BATCH_WORDS = _set("batch plate night")
# A position on a plate, which names a row only together with the plate; and the
# contents of the position.
PLACE_WORDS = _set("well position slot spot lane")
SET_WORDS = _set("concentration conc dose dosage dilution")
WEIGHT_WORDS = _set("weight weights w prob probability")
# Measured quantities: these tables have a row for each object and quantity.
FEATURE_WORDS = _set(
    "variable parameter analyte indicator measure measurand feature metric quantity "
    "attribute property assay marker target compound isotope band filter"
)
COORDINATE_WORDS = _set(
    "ra dec lon lat long longitude latitude easting northing glon glat"
)
# Names of rows that summarize others, in English, German, French, Spanish, Italian,
# Portuguese and Dutch.
TOTALS = _set(
    "total totals subtotal sum mean average avg median overall summe gesamt "
    "gesamtsumme insgesamt mittel mittelwert durchschnitt zentralwert somme ensemble "
    "moyenne médiane mediane suma media promedio mediana totale somma soma média "
    "totaal som eindtotaal gemiddelde mediaan"
) | {f"total {word}" for word in ("général", "general", "geral")}
TOTALS |= {"grand total", "totale generale"}
# Names of rows beside totals; alone, Max may be a person.
BESIDE_TOTALS = _set("n count sd std stdev se sem min minimum max maximum range cv")


def is_total(name: str, words: frozenset[str] = TOTALS) -> bool:
    """Return whether a row is named like a total."""
    return name.strip(" :.").casefold() in words


_ONE_OF = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_]+")


def words_of(name: str) -> list[str]:
    """Return the words in a name, in lower case."""
    return [word.lower() for word in _ONE_OF.findall(name)]


class Named(NamedTuple):
    """Columns named as the errors of a value."""

    value: str
    columns: tuple[str, ...]  # one column, or low and high, or plus and minus
    kind: str | None  # "?" if the name does not give the kind of bounds
    templates: tuple[str, ...]  # template with {} for the value, or nothing


def template(match: re.Match[str]) -> str:
    """Return the matched name with {} in place of the value."""
    start, end = match.span("value")
    return f"{match.string[:start]}{{}}{match.string[end:]}"


# Words for errors and their kinds; None is a standard deviation.
WORDS: dict[str, str | None] = {
    **dict.fromkeys(
        _words(
            "err error errors stderr std stdev stddev sd se sem sigma sig unc uncert "
            "stdv uncertainty uncertainties fehler unsicherheit standardabweichung "
            "stabw erreur incertitude incertidumbre desviación desviacion errore "
            "incertezza err1"
        )
    ),
    "moe": "moe90",  # of the American Community Survey
    "var": "var",
    "variance": "var",
    "ivar": "ivar",
    **dict.fromkeys(("rsd", "rse"), "rel%"),
}
_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
# One or two standard deviations, as in geology.
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
# Words that mean errors anywhere in a name (fluxerr, psfMagErr_u, w1sigmpro), and words
# that do so between other words (mass_sd_kg).
_INSIDE = re.compile(
    r"errors?|err|sigma|sigcom|sig|stdev|stddev|std|unc|moe|ivar|"
    rf"(?<=[\W_])(?:{_ONCE}|{_TWICE}|sd|se|sem)(?=[\W_])",
    re.IGNORECASE,
)
# Words after a common beginning: temp_err beside temp_C, C14SD beside C14Age.
_CLEAR = "|".join(word for word, kind in WORDS.items() if kind in (None, "moe90"))
_AFTER = (
    re.compile(rf"(?P<value>.+)[\W_](?P<word>{_WORDS}|{_CLEAR})[\W_]*", re.IGNORECASE),
    _CAMEL,
    re.compile(r"(?P<value>.+\d)(?P<word>std|err|sd)"),
)
# Words for more than a quantity and its unit: vib_max, vib_std.
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
# Words that the name of a value may have: mass_mean with mass_sd.
_MEAN = "mean|avg|average|est|estimate|val|value"
_MEAN_AFTER = re.compile(rf"(?P<value>.+)[\W_](?:{_MEAN})", re.IGNORECASE)
_MEAN_BEFORE = re.compile(rf"(?:{_MEAN})[\W_]+(?P<value>.+)", re.IGNORECASE)
# Names of a single column of values, and of columns beside it.
_ONE_VALUE = re.compile("mean|avg|average|value|val|estimate|est|measurement", re.I)
_ASIDE = re.compile(r"n|count|size|df|statistic|p[\W_]?value|conf[\W_](low|high)", re.I)
_CONFIDENCE = re.compile("ci|cl|conf|hdi|95", re.IGNORECASE)
LONGEST = 200  # letters; longer names are ignored

_LOWS = dict(
    zip(
        _words("lower low lo minimum min lcl lb minus down")
        + _words("lerr errm err2 errlow errlo l m 2"),
        _words("upper high hi maximum max ucl ub plus up")
        + _words("uerr errp err1 errhigh errhi u p 1"),
        strict=True,
    )
)
_EXTRA = r"(?:ci|cl|conf|hdi|err|error|e|bound|limit|int|9[05]|68)"
# All between two words, except the end of a unit, which belongs to the first.
_BETWEEN = r"(?:(?<![\W_])|(?<=[])]))(?![])])[\W_]++"
_LOW_AFTER = re.compile(
    rf"(?P<value>.+?)(?P<mark>{_BETWEEN}(?:{_EXTRA}[\W_]*+)*?"
    rf"(?P<low>{'|'.join(_LOWS)})(?:[\W_]*{_EXTRA})*)",
    re.IGNORECASE,
)
_LOW_BEFORE = re.compile(
    rf"(?P<mark>(?:{_EXTRA}[\W_]+)*(?P<low>lower|low|lo|minimum|min)[\W_]+"
    rf"(?:{_EXTRA}[\W_]+)*)(?P<value>.+)",
    re.IGNORECASE,
)
_LOW_BARE = re.compile(r"(l|lo|L)(\d+)")  # l1 and h1
_LOW_ALONE = re.compile(
    rf"(?:{_EXTRA}[\W_]*)*(?P<low>lower|low|lo|lcl|lb)(?:[\W_]*{_EXTRA})*",
    re.IGNORECASE,
)
# Attached to the value: pl_radeerr1 and pl_radeerr2.
_LOW_GLUED = re.compile(
    r"(?P<value>.+?)(?P<mark>(?P<low>err2|errm|errlow|errlo|lerr))", re.IGNORECASE
)
_ERROR = re.compile(r"(?i)err|plus|minus|(?<![a-z])e(?![a-z])")
_QUANTILES = {  # the upper word of each, and the kind of the pair
    **{f"{zero}16": (f"{zero}84", "ci68") for zero in ("", "0", ".", "0.")},
    **{f"{zero}025": (f"{zero}975", "ci95") for zero in ("", "0", ".", "0.")},
    **{f"2{point}5": (f"97{point}5", "ci95") for point in "._p"},
    **{f"{zero}05": (f"{zero}95", "?") for zero in (".", "0.")},
    **{"15.9": ("84.1", "ci68"), "05": ("95", "?"), "5": ("95", "?")},
    **{"10": ("90", "?"), "25": ("75", "?")},
}
_QUANTILE = re.compile(
    rf"(?P<value>.+?)(?P<mark>{_BETWEEN}"
    r"(?:(?:percentile|perc|pct|p|quantile|q)[\W_]*+)?"
    rf"(?P<low>{'|'.join(map(re.escape, _QUANTILES))})(?:th)?)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?P<stem>.*[^\W\d_].*?)(?<![\W_])(?P<sep>[\W_]++)"
    r"(?P<word>(?:rep|replicate|run|trial|r|meas)?)(?P<number>\d{1,3}|[a-z])",
    re.IGNORECASE,
)
_CORRELATION = re.compile(
    r"(.+)[\W_](?:corr|rho|cor)|(?:corr|rho|cor)[\W_](.+)", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """Columns named as repeated measurements."""

    stems: tuple[str, ...]
    template: str  # "{}_*"
    columns: tuple[tuple[str, ...], ...]  # of each stem
    says_so: bool  # named by a word such as rep


def error_names(names: Sequence[str]) -> list[Named]:
    """Find errors and bounds among columns of numbers, by their names.

    For example, ``t_low`` and ``t_high`` are bounds of ``t``, with the templates
    ``{}_low`` and ``{}_high``.
    """
    names = [name for name in names if len(name) <= LONGEST]
    known = set(names)
    single = _of_one_value(names)
    errors = (
        [single] if single else list(filter(None, (_pair(n, known) for n in names)))
    )
    used = {column for named in errors for column in named.columns}
    errors += _single_errors([name for name in names if name not in used], known - used)
    order = {name: place for place, name in enumerate(names)}
    return sorted(errors, key=lambda named: order[named.columns[0]])


def _of_one_value(names: Sequence[str]) -> Named | None:
    """Find errors or bounds without the name of the only value: mean, sd."""
    values = [name for name in names if _ONE_VALUE.fullmatch(name)]
    if len(values) != 1:
        return None
    ids = ID_WORDS | ROW_WORDS  # objects may have numbers
    rest = [n for n in names if n != values[0] and ids.isdisjoint(words_of(n)[-1:])]
    others = {name for name in rest if not _ASIDE.fullmatch(name)}
    errors = [name for name in rest if ALONE.fullmatch(name)]
    if others == set(errors) and len(errors) == 1:
        return Named(values[0], (errors[0],), kind_of(errors[0]), ())
    for match in filter(None, map(_LOW_ALONE.fullmatch, rest)):
        name = match[0]
        start, end = match.span("low")
        high = name[:start] + _upper(match["low"]) + name[end:]
        if high in rest and others <= {name, high}:
            kind = "ci95" if _CONFIDENCE.search(name) else "bounds"
            return Named(values[0], (name, high), kind, (name, high))
    return None


def _pair(name: str, known: set[str]) -> Named | None:
    value, above = name.removeprefix("e_"), f"E_{name.removeprefix('e_')}"
    if name.startswith("e_") and known >= {value, above}:  # as in VizieR
        return Named(value, (above, name), "plusminus", ("E_{}", "e_{}"))
    if match := _LOW_BARE.fullmatch(name):
        low, stem = match.groups()
        high = {"l": "h", "lo": "hi", "L": "H"}[low]
        if f"{high}{stem}" in known:
            templates = (f"{low}{{}}", f"{high}{{}}")
            return Named(stem, (name, f"{high}{stem}"), "interval", templates)
    for pattern in (_QUANTILE, _LOW_AFTER, _LOW_BEFORE, _LOW_GLUED):
        match = pattern.fullmatch(name)
        if match is None:
            continue
        low, mark, value = match["low"], match["mark"], match["value"]
        if pattern is _QUANTILE:
            upper, kind = _QUANTILES.get(low, ("", None))
        else:
            upper, kind = _upper(low), _kind_of_pair(mark.lower(), low.lower())
        start, end = match.span("low")
        begin, stop = match.span("mark")
        other = f"{name[:start]}{upper}{name[end:]}"
        running = f"{name[:start]}2{name[end:]}"
        if other not in known or running in known - {name}:
            continue
        if kind is None or (kind == "plusminus" and value not in known):
            continue
        if kind == "interval" and value in known and "min" not in low.lower():
            kind = "bounds"  # an interval, or the ends of a confidence interval
        upper_mark = f"{name[begin:start]}{upper}{name[end:stop]}"
        templates = (template(match), template(match).replace(mark, upper_mark))
        columns = (name, other)
        if kind == "plusminus":  # the upper one first
            columns, templates = columns[::-1], templates[::-1]
        return Named(value, columns, kind, templates)
    return None


def _upper(low: str) -> str:
    high = _LOWS[low.lower()]
    return high.upper() if low.isupper() else high.title() if low.istitle() else high


def _kind_of_pair(mark: str, low: str) -> str | None:
    if _ERROR.search(mark):
        return "plusminus"
    if low in ("l", "m", "2", "down"):  # too short to mean anything alone
        return "ci95" if "ci" in mark and low == "l" else None
    if "68" in mark or "90" in mark:
        return "ci68" if "68" in mark else "?"
    return "ci95" if _CONFIDENCE.search(mark) else "interval"


def repeated_names(names: Sequence[str]) -> Repeated | None:
    """Find wide replicates: ``h_1, h_2, h_3, g_1, g_2, g_3``.

    All stems must have the same running numbers or letters.
    """
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for name in names:
        if len(name) <= LONGEST and (match := _NUMBERED.fullmatch(name)):
            group = groups.setdefault((match["sep"], match["word"]), {})
            group.setdefault(match["stem"], []).append(match["number"])
    groups = {
        key: running
        for key, group in groups.items()
        if (running := {stem: marks for stem, marks in group.items() if _runs(marks)})
    }
    if len(groups) != 1:
        return None
    (((sep, word), group),) = groups.items()
    first, *others = group.values()
    if any(marks != first for marks in others):
        return None
    columns = tuple(
        tuple(f"{stem}{sep}{word}{mark}" for mark in first) for stem in group
    )
    return Repeated(
        stems=tuple(group),
        template=f"{{}}{sep}{word}*",
        columns=columns,
        says_so=bool(word),
    )


def _runs(marks: Sequence[str]) -> bool:
    """Tell whether marks are running numbers or letters, two at least."""
    digits = all(mark.isdecimal() for mark in marks)
    places = [int(mark) if digits else ord(mark[0]) for mark in marks]
    begins = places[0] in (0, 1) if digits else marks[0] in "aA"
    return begins and len(marks) > 1 and bool((np.diff(places) == 1).all())


def correlation_names(
    names: Sequence[str], values: Sequence[str]
) -> dict[str, list[str]]:
    """Find columns with the correlation of two values; return templates."""
    known = set(values)
    columns: dict[str, list[str]] = {}
    for match in filter(None, map(_CORRELATION.fullmatch, names)):
        name = match[0]
        start, end = match.span(match.lastindex or 0)
        for cut in re.compile(r"[\W_]+").finditer(name, start, end):
            if {name[start : cut.start()], name[cut.end() : end]} <= known:
                template = f"{name[:start]}{{}}{cut[0]}{{}}{name[end:]}"
                columns.setdefault(template, []).append(name)
                break
    return columns


def _single_errors(names: Sequence[str], known: set[str]) -> list[Named]:
    """Find columns that are the error of another one, by their names."""
    others = _without_units(names) | _without_means(names)
    lower = {name.lower(): name for name in reversed(names)}
    each = (_single(n, known, others, lower) or _inside(n, known) for n in names)
    errors = [error for error in each if error is not None]
    for rule in (_by_letters, _glued, _estimates), (_by_beginnings,):
        taken = {named.value for named in errors}
        taken |= {named.columns[0] for named in errors}
        free = [name for name in names if name not in taken]
        errors += [named for find in rule for named in find(free)]
    return errors


def kind_of(word: str) -> str | None:
    """Return the kind of an error by its word."""
    word = word.lower()
    if word.endswith(("pct", "percent", "%")):
        return "rel%"
    if re.fullmatch(_TWICE, word):
        return "moe95"
    if re.match(r"moe|margin|ci|9", word):
        return "moe95" if "95" in word else "moe90"
    return WORDS.get(word)


def _without_units(names: Iterable[str]) -> dict[str, str]:
    """Return names with a unit, such as ``mass [kg]``, by the part before the unit."""
    bare = [(match["bare"], n) for n in names if (match := _UNIT.fullmatch(n))]
    times = Counter(stem for stem, _ in bare)
    return {stem: name for stem, name in bare if times[stem] == 1}


def _without_means(names: Sequence[str]) -> dict[str, str]:
    """Return names such as mass_mean or mean_mass, by the rest of the name.

    Mean radius and radius error, beside the worst radius, are three features.
    """
    after = {m["value"]: name for name in names if (m := _MEAN_AFTER.fullmatch(name))}
    before = {m["value"]: name for name in names if (m := _MEAN_BEFORE.fullmatch(name))}
    times: Counter[str] = Counter()
    for name in names:  # the parts before and after each word
        cuts = [*re.finditer(r"[\W_]+", name)]
        ends = {name[: cut.start()] for cut in cuts} | {name[c.end() :] for c in cuts}
        times.update(ends & before.keys())
    return {value: n for value, n in before.items() if times[value] == 2} | after


def _single(
    name: str, known: set[str], others: dict[str, str], lower: dict[str, str]
) -> Named | None:
    if match := _CENSUS.fullmatch(name):
        value = f"{match['value']}E"
        return Named(value, (name,), "moe90", ()) if value in known else None
    # A unit at the end may belong to the value: mass SD [kg].
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
            if not unit or "%" in unit:  # in another unit, the number would differ
                other = others.get(stem, other)
        if other != name:
            return Named(other, (name,), kind, ())
    return None


def _inside(name: str, known: set[str]) -> Named | None:
    """Find an error word inside a name that otherwise names another column."""
    for match in _INSIDE.finditer(name):
        before, after = name[: match.start()], name[match.end() :]
        begin, rest = before.rstrip(" _.-"), after.lstrip(" _.-")
        for value in (before + after, begin + after, before + rest):
            if value not in known or len(value) < SHORTEST:
                continue
            whole = value in (before, after)
            templates = (name.replace(value, "{}", 1),) if whole else ()
            return Named(value, (name,), kind_of(match[0]), templates)
    return None


def _by_letters(names: Sequence[str]) -> Iterator[Named]:
    """Find errors s0, s1, ... of x0, x1, ...; all numbers must occur."""
    numbers: dict[str, set[str]] = {}
    errors = [match for name in names if (match := _LETTER.fullmatch(name))]
    for name in names:
        if match := re.fullmatch(r"([^\W\d_]+)(\d+)", name):
            numbers.setdefault(match[1], set()).add(match[2])
    words = {match["word"] for match in errors}
    for match in errors:
        own = numbers[match["word"]]
        fitting = [stem for stem in numbers.keys() - words if numbers[stem] == own]
        if len(fitting) == 1 and len(own) > 1:
            yield Named(f"{fitting[0]}{match['number']}", (match[0],), None, ())


def _glued(names: Sequence[str]) -> Iterator[Named]:
    """Find errors dx, dy, ... of x, y, ...; there must be several, or nothing else."""
    there = set(names)
    for letter in _GLUED:
        pairs = [name for name in names if f"{letter}{name}" in there]
        if len(pairs) > 1 or 2 * len(pairs) == len(names) > 0:
            for value in pairs:
                yield Named(value, (f"{letter}{value}",), None, (f"{letter}{{}}",))


def _estimates(names: Sequence[str]) -> Iterator[Named]:
    """Find margins incomeM, rentM, ... of estimates incomeE, rentE, ..., by all names.

    A single pair may be anything, such as marks in English and in mathematics.
    """
    ends: dict[str, set[str]] = {"E": set(), "M": set()}
    for name in names:
        if not re.fullmatch(r".*[a-z\d][EM]", name):
            return
        ends[name[-1]].add(name[:-1])
    if ends["E"] == ends["M"] and len(ends["E"]) > 1:
        for name in (name for name in names if name.endswith("E")):
            yield Named(name, (f"{name[:-1]}M",), "moe90", ())


def is_named_as_error(name: str) -> bool:
    """Return whether a name ends in a word for errors."""
    return any(pattern.fullmatch(name) for pattern in _AFTER)


def _by_beginnings(names: Sequence[str]) -> Iterator[Named]:
    """Find errors of the only other column that begins alike: temp_err of temp_C."""
    matches = (p.fullmatch(name) for name in names for p in reversed(_AFTER))
    errors = {match[0]: match for match in matches if match}  # the first in _AFTER
    values = sorted(name for name in names if name not in errors)
    times = Counter(match["value"] for match in errors.values())
    for name, match in errors.items():
        alike = list(islice(_beginning_with(match["value"], values), 2))
        if len(alike) == 1 and times[match["value"]] == 1:
            yield Named(alike[0], (name,), kind_of(match["word"]), ())


def _beginning_with(stem: str, names: Sequence[str]) -> Iterator[str]:
    """Return sorted names that begin with a stem followed by a new word."""
    for name in names[bisect_left(names, stem) :]:
        if not name.startswith(stem):
            return
        after = name[len(stem) :]
        begins = re.match(r"[\W_]", after) or (
            not stem[-1].isupper() and (after[:1].isupper() or stem[-1].isdecimal())
        )
        if begins and not any(map(_NO_VALUE.fullmatch, re.split(r"[\W_]+", after))):
            yield name


def refuse_errors(names: Sequence[str], table: Array, id: str | None = None) -> None:
    """Refuse a plain table some of whose columns look like errors.

    `id` is another column, which names the objects.
    """
    columns = dict(zip(names, table.T, strict=True))
    errors = [
        named
        for named in error_names(names)
        if named.kind != "?" and _can_be(named, columns)
    ]
    if not errors:
        return
    those = list(dict.fromkeys(column for named in errors for column in named.columns))
    more = f" (and {counted(len(those) - 1, 'more column')})" if len(those) > 1 else ""
    msg = (
        f"column {those[0]!r}{more} looks like the error of {errors[0].value!r}, and "
        "every column of a plain table would be a feature. Name the columns: "
        f"{_call(errors, [name for name in names if name not in those], id)} If it is "
        "a feature, name all columns as values: from_frame(table, "
        f"{_said(id)}values={[*names]!r})."
    )
    raise DataError(msg)


def _can_be(named: Named, columns: dict[str, Array]) -> bool:
    """Return whether errors are not negative, and bounds in order."""
    first, *second = (columns[name] for name in named.columns)
    if not second:
        return not (first < 0).any()
    return named.kind == "plusminus" or 2 * (first <= second[0]).sum() >= len(first)


def _call(errors: Sequence[Named], others: Sequence[str], id: str | None) -> str:
    """Return the call that reads a table with errors."""
    kinds = {named.kind for named in errors}
    values = [named.value for named in errors]
    if len(kinds) > 1 or len(set(values)) < len(values):
        call = f"from_frame(table, {_said(id)}values=..., errors=...)"
        return f"{call}, with one error for each."
    templates = {named.templates for named in errors}
    columns: object = {
        n.value: n.columns[0] if len(n.columns) == 1 else n.columns for n in errors
    }
    if len(templates) == 1 and (common := templates.pop()):
        columns = common[0] if len(common) == 1 else common
    kind = "ci95" if kinds == {"bounds"} else kinds.pop()
    more = "" if kind is None else f", kind={kind!r}"
    zeros = " A value that is exact needs a column of zeros."
    asked = f"values={values!r}, errors={columns!r}{more}"
    call = f"from_frame(table, {_said(id)}{asked})."
    return call + zeros * bool(set(others) - set(values))


def _said(id: str | None) -> str:
    return "" if id is None else f"id={id!r}, "
