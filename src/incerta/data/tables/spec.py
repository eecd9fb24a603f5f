"""`TableSpec`: the description of a table and its file.

A reading option is a field of `TableSpec`. Its default, its check and its help for the
command line are defined only here. This module does not import numpy, so that
``--help`` is fast.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Literal, Self, TypeAlias, cast, get_args

from incerta.data.meaning import MEANINGS, as_meaning
from incerta.exceptions import DataError
from incerta.wording import given, in_python, unknown_name

Kind: TypeAlias = Literal[
    "sd",
    "se",
    "var",
    "ivar",
    "2sigma",
    "3sigma",
    "moe90",
    "moe95",
    "rel%",
    "ci68",
    "ci95",
    "interval",
    "plusminus",
    "counts",
]
Missing: TypeAlias = Literal["error", "drop", "infinite", "impute"]
Errors: TypeAlias = str | Sequence[str] | Mapping[str, str | Sequence[str]]
# Words for missing values; numbers may stand for them, too.
Words: TypeAlias = str | float | Iterable[str | float]

KINDS: tuple[str, ...] = get_args(Kind)
MISSING: tuple[str, ...] = get_args(Missing)
BOUNDS = ("ci68", "ci95", "interval")  # kinds given by two columns, low and high
COUNTS = "counts"  # the kind of values without error columns
PAIRS = (*BOUNDS, "plusminus")  # all kinds of two columns; the last: upper and lower
NAMED_SEPARATORS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";"}


@dataclass(frozen=True, kw_only=True)
class Option:
    """A command-line option for a field."""

    help: str
    metavar: str = "COL"
    choices: tuple[str, ...] = ()  # any value if empty
    # Those about uncertainty go together; those about the file fit no other file.
    about: Literal["columns", "uncertainty", "file"] = "columns"
    of_text: bool = False  # nothing is said by it about other files than text
    flags: tuple[str, ...] = ()  # yes and no, if not named after the field


def _field(help: str, metavar: str = "COL", *, many: bool = False, **more: Any) -> Any:
    option = Option(help=help, metavar=metavar, **more)
    return field(default=() if many else None, metadata={"option": option})


@dataclass(frozen=True, kw_only=True)
class TableSpec:
    """Description of a table; None and () if not given.

    The fields are the parameters of `incerta.read_table`. Contradictions are refused at
    once, or by `columns` if they depend on the names of the columns.
    """

    id: str | None = _field(
        "Column with the object of each row; without it every row is an object."
    )
    values: tuple[str, ...] = _field(
        "Columns of the features, separated by commas; may be repeated.",
        "COL,…",
        many=True,
    )
    errors: tuple[str, ...] | Mapping[str, str | Sequence[str]] = _field(
        "Error columns: '{}_error' with {} for each value, or one column per value; "
        "two templates low,high with the kinds ci68, ci95 and interval, upper,lower "
        "with plusminus. Without it rows with the same id are values of one object.",
        "COL,…",
        many=True,
        about="uncertainty",
    )
    kind: str | None = _field(
        f"Contents of the error columns: {', '.join(KINDS[:-1])}; sd by default. Or "
        "counts, which need no error columns.",
        "KIND",
        choices=KINDS,
        about="uncertainty",
    )
    exposure: str | None = _field(
        "Counts: column with the exposure (hours, people, area); by default the sum of "
        "the counts of a row, so that shares are compared.",
        about="uncertainty",
    )
    weight: str | None = _field(
        "Column with the relative probability of each value.", about="uncertainty"
    )
    sample: str | None = _field(
        "Column with the draw of each row: member, month, imputation.",
        about="uncertainty",
    )
    joint: bool | None = _field(
        "Whether rows of one sample belong together across objects.",
        about="uncertainty",
        flags=("--joint", "--independent"),
    )
    missing: str | None = _field(
        "Treatment of missing values: error, drop (leave out these rows), infinite "
        "(an infinite error: the default where there are error columns) or impute.",
        "RULE",
        choices=MISSING,
    )
    meaning: str | None = _field(
        "Meaning of the uncertainty: error (of a measurement; rows of an object are "
        "replicates), belief (about the truth) or spread (no single truth). By default "
        "it depends on the table.",
        "WHAT",
        choices=tuple(MEANINGS),
        about="uncertainty",
    )
    batch: str | None = _field(
        "Replicates: column with the batch of each row; its offset is subtracted.",
        about="uncertainty",
    )
    replicates: str | None = _field(
        "Repeated measurements side by side, one row per object: '{}_*' with {} for "
        "each value and * for digits or letters, as in h_1, h_2 and h_3.",
        "PATTERN",
        about="uncertainty",
    )
    sep: str | None = _field(
        "Text tables: what separates the columns, a character or tab. By default it "
        "is detected.",
        "CHAR",
        about="file",
        of_text=True,
    )
    decimal: str | None = _field(
        "Text tables: decimal mark, . or a comma. By default as the numbers show.",
        "MARK",
        choices=(".", ","),
        about="file",
        of_text=True,
    )
    encoding: str | None = _field(
        "Text tables: encoding, such as latin-1. By default UTF-8, UTF-16 or cp1252, "
        "whichever fits.",
        "NAME",
        about="file",
        of_text=True,
    )
    na: tuple[str, ...] = _field(
        "Text tables: more words or numbers for missing values, separated by commas, "
        "as in --na=-999,none.",
        "WORD,…",
        many=True,
        of_text=True,
    )
    corr: str | None = _field(
        "Columns with the correlations of errors: '{}_{}_corr' with {} for two values.",
        "TEMPLATE",
        about="uncertainty",
    )
    log: tuple[str, ...] = _field(
        "Values to take the decimal logarithm of, errors included; all for all "
        "of them.",
        "COL,…",
        many=True,
    )
    sheet: str | int | None = _field(
        "Files of sheets: name of the sheet, or its number from 1. By default the "
        "first that is not empty.",
        "NAME|N",
        about="file",
    )
    layers: tuple[str, ...] = _field(
        "AnnData: layers that are repeated measurements of the values.",
        "NAME,…",
        many=True,
        about="uncertainty",
    )

    @classmethod
    def of(cls, **said: Any) -> Self:
        """Convert parameters of `incerta.read_table`, such as text for lists of one."""
        values, errors, log = (said.pop(n, None) for n in ("values", "errors", "log"))
        names = _as_tuple(values)
        if not names or not all(isinstance(name, str) for name in names):
            wrong = given(values=values)
            msg = f"{wrong} must be the name of a column, or a list of names."
            raise DataError(msg)
        layers = said.pop("layers", None)
        layers = layers.split(",") if isinstance(layers, str) else layers or ()
        return cls(
            values=names,
            errors=errors if isinstance(errors, Mapping) else _as_tuple(errors),
            log=("all",) if log is True else _as_tuple(log or None),
            na=tuple(str(word).strip() for word in _as_tuple(said.pop("na", None))),
            layers=tuple(name.strip() for name in layers),
            **said,
        )

    @classmethod
    def of_call(cls, parameters: Mapping[str, Any]) -> Self:
        """Use the parameters of a call that are fields; ignore others."""
        return cls.of(**{n: value for n, value in parameters.items() if n in OPTIONS})

    @classmethod
    def of_options(cls, **given: Any) -> Self:
        """Parse the words of options: lists are separated by commas, as in csv."""
        for name in LISTS & given.keys():
            words = given[name]
            rows = csv.reader([words] if isinstance(words, str) else words or ())
            given[name] = tuple(word for row in rows for word in row)
        return cls(**given)

    def __post_init__(self) -> None:
        """Refuse wrong values and combinations."""
        self._check_file()
        self._check_words()
        if self.values:
            self._check_columns()

    # given fields -----------------------------------------------------------------

    def said(self) -> dict[str, Any]:
        """Return the given fields with their values."""
        given = {name: getattr(self, name) for name in OPTIONS}
        return {name: value for name, value in given.items() if value not in (None, ())}

    def completed_by(self, other: TableSpec) -> Self:
        """Complete missing fields from `other`, a description of another file.

        Fields about uncertainty are taken all together or not at all, because parts of
        two descriptions may contradict each other.
        """
        said, about = self.said(), {name: o.about for name, o in OPTIONS.items()}
        kept = {"file"}
        if any(about[name] == "uncertainty" for name in said):
            kept.add("uncertainty")
        more = {n: v for n, v in other.said().items() if about[n] not in kept}
        return replace(self, **{**more, **said})

    def to_options(self) -> list[str]:
        """Return the command-line options for this description."""
        return [word for given in self.said().items() for word in _as_words(*given)]

    def to_python(self, path: str) -> str:
        """Return the call of `incerta.read_table` for this description."""
        given = [f"{name}={_written(name, v)}" for name, v in self.said().items()]
        return f"ic.read_table({', '.join([repr(path), *given])})"

    # meaning ----------------------------------------------------------------------

    @property
    def error_kind(self) -> str:
        """Kind of the errors."""
        return self.kind or "sd"

    @property
    def stated_meaning(self) -> str | None:
        """Meaning of the uncertainty; None if it depends on the table."""
        return self.meaning or ("error" if self.replicates or self.layers else None)

    @property
    def separator(self) -> str | None:
        """The character that separates columns."""
        return None if self.sep is None else NAMED_SEPARATORS.get(self.sep, self.sep)

    @property
    def codec(self) -> str | None:
        """Name of the encoding in Python."""
        return None if self.encoding is None else codecs.lookup(self.encoding).name

    @cached_property
    def logs(self) -> frozenset[str]:
        """The values of which the logarithm is taken."""
        every = self.log == ("all",) and "all" not in self.values
        return frozenset(self.values if every else self.log)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features: values, or their logarithms."""
        return tuple(f"log10({v})" if v in self.logs else v for v in self.values)

    @cached_property
    def error_columns(self) -> tuple[tuple[str, ...], ...] | None:
        """Error columns of each value: one, or a pair; None in long form."""
        return _error_columns(self.values, self.errors, self.error_kind)

    @property
    def missing_rule(self) -> Missing:
        """Rule for missing values; the default depends on the form."""
        if self.missing is not None:
            return cast(Missing, self.missing)
        measured = bool(self.errors) and self.kind != "interval"
        return "infinite" if measured and self.meaning in (None, "error") else "error"

    def correlations(self, known: Sequence[str]) -> dict[tuple[int, int], str]:
        """Return columns in `known` with the correlation of two values, by position."""
        if self.corr is None:
            return {}
        columns, asked = {}, []
        there_are = frozenset(known)
        for (i, a), (j, b) in combinations(enumerate(self.values), 2):
            names = [_filled_twice(self.corr, *pair) for pair in ((a, b), (b, a))]
            asked.append(names[0])
            there = [name for name in names if name in there_are]
            if there:
                columns[i, j] = there[0]
        if not columns:
            first = unknown_name("column", asked[0], list(known))
            corr = given(corr=self.corr)
            msg = f"{corr} fits no pair of values, in either order: {first}"
            raise DataError(msg)
        return columns

    def columns(self, known: Sequence[str]) -> list[str]:
        """Return the columns to read, each once; all of `known` if none is named."""
        if not self.values and self.sample is None:
            return list(known)
        there_are = frozenset(known)  # gene tables have 100,000 columns
        wanted: list[tuple[str, str]] = []
        if self.id is not None:
            wanted.append((self.id, "id"))
        if self.replicates is not None:
            for columns in self.repeats(known):
                wanted += [(name, "values") for name in columns.values()]
        elif self.kind not in BOUNDS:
            wanted += [(name, "values") for name in self.values]
        elif self.kind != "interval":  # the value may be the middle
            wanted += [(name, "values") for name in self.values if name in there_are]
        for pair in self.error_columns or ():
            wanted += [(name, "errors") for name in pair]
        wanted += [(name, "corr") for name in self.correlations(known).values()]
        roles = ("exposure", "weight", "sample", "batch")
        others = {role: getattr(self, role) for role in roles}
        wanted += [(name, role) for role, name in others.items() if name is not None]
        for name, role in wanted:
            if name not in there_are:
                msg = f"{role}: {unknown_name('column', name, list(known))}"
                raise DataError(msg)
        return list(dict.fromkeys(name for name, _ in wanted))

    def repeats(self, known: Sequence[str]) -> list[dict[str, str]]:
        """Return the columns of `replicates` of each value, by the text for ``*``.

        The list is empty without `replicates`.
        """
        if self.replicates is None:
            return []
        others = [name for name in known if name != self.id]
        return _repeated_columns(self.replicates, self.values, others)

    # checks -----------------------------------------------------------------------

    def refuse(self, names: Iterable[str], why: str) -> None:
        """Refuse the first of some fields that has a value."""
        said = self.said()
        for name in names:
            if name in said:
                value = list(said[name]) if name in LISTS else said[name]
                msg = f"{given(**{name: value})} {why}"
                raise DataError(msg)

    def _check_file(self) -> None:
        mark = self.separator
        if mark is not None and (
            len(mark) != 1 or not mark.isascii() or mark in '"\r\n'
        ):
            sep = given(sep=self.sep)
            msg = f"{sep} must be a single character such as ';', or 'tab'."
            raise DataError(msg)
        if self.decimal not in (None, ".", ","):
            msg = f"{given(decimal=self.decimal)} must be '.' or ','."
            raise DataError(msg)
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except (LookupError, TypeError) as error:
                msg = (
                    f"{given(encoding=self.encoding)} is unknown; usual ones are "
                    "'utf-8', 'cp1252', 'latin-1' and 'utf-16'."
                )
                raise DataError(msg) from error

    def _check_words(self) -> None:
        if self.missing not in (None, *MISSING):
            msg = f"{given(missing=self.missing)} must be one of {', '.join(MISSING)}."
            raise DataError(msg)
        if self.meaning is not None:
            as_meaning(self.meaning)
        if self.kind not in (None, *KINDS):
            msg = f"kind: {unknown_name('kind of error', str(self.kind), KINDS)}"
            raise DataError(msg)
        if self.sample is not None and self.joint is None:
            msg = (
                f"{given(sample=self.sample)} was given without joint. Set "
                f"{given(joint=True)} if rows with the same entry belong together "
                "across objects (an ensemble member, a month of one year), "
                f"{given(joint=False)} if each object was measured on its own."
            )
            raise DataError(msg)

    def _check_columns(self) -> None:
        _check_names(self.values, self.id, self.log)
        self._refuse_same_features()
        if self.kind == COUNTS:
            self._check_counts()
            return
        why = f"is about counts; also set {given(kind=COUNTS)}."
        self.refuse(["exposure"], why)
        self._check_replicates()
        if self.corr is not None:
            self._check_correlations()
        if self.errors:
            self._check_wide()
        else:
            self._check_long()

    def _refuse_same_features(self) -> None:
        called = {f"log10({name})": name for name in self.logs}
        for name in self.values:
            if name in called and name not in self.logs:
                msg = (
                    f"the logarithm of {called[name]!r} would be named {name!r}, like "
                    "another value. Rename that column, or leave one of them out."
                )
                raise DataError(msg)

    def _check_counts(self) -> None:
        why = (
            f"cannot be used with {given(kind=COUNTS)}: counts determine their errors, "
            "rows of the same object are added up, and rates are compared by their "
            "logarithms."
        )
        others = ("weight", "sample", "joint", "batch", "corr", "log", "replicates")
        if self.errors:
            msg = f"{given(errors=self._errors_said())} {why}"
            raise DataError(msg)
        self.refuse(others, why)
        if self.missing in ("infinite", "impute"):
            msg = (
                f"{given(missing=self.missing)} does not fit counts. Write 0 where "
                "nothing was seen, and leave out rows that were not observed: "
                f"{given(missing='drop')}."
            )
            raise DataError(msg)
        if self.exposure in self.values:
            msg = f"{given(exposure=self.exposure)} is among values, too."
            raise DataError(msg)

    def _check_replicates(self) -> None:
        if self.replicates is not None:
            self._check_pattern(self.replicates)
        if self.layers and self.errors:
            msg = (
                f"{given(layers=list(self.layers))} are repeated measurements, which "
                f"determine the errors; {given(errors=self._errors_said())} cannot be "
                "used with them."
            )
            raise DataError(msg)
        of_replicates = self.stated_meaning == "error" and self.id is not None
        if self.batch is not None and (self.errors or not of_replicates):
            msg = (
                f"{given(batch=self.batch)} is for replicates, whose offset it takes "
                f"off: a long table with {given('id')} and {given(meaning='error')}."
            )
            raise DataError(msg)

    def _check_pattern(self, pattern: str) -> None:
        named = isinstance(pattern, str) and (len(self.values) == 1 or "{}" in pattern)
        if not named or pattern.count("*") != 1:
            msg = (
                f"{given(replicates=pattern)} must contain {{}}, which stands for the "
                "name of the value, and a single *, which stands for the repeat: "
                "'{}_*' means the columns mass_1, mass_2 and so on of the value mass."
            )
            raise DataError(msg)
        why = (
            f"cannot be used together with {given(replicates=pattern)}, which means "
            "one row per object with its repeated measurements side by side. Leave one "
            "of them out."
        )
        if self.errors:
            msg = f"{given(errors=self._errors_said())} {why}"
            raise DataError(msg)
        self.refuse(("weight", "sample", "joint", "batch", "corr"), why)

    def _check_correlations(self) -> None:
        corr = self.corr
        if not isinstance(corr, str) or corr.count("{}") != 2:
            msg = (
                f"{given(corr=corr)} must contain {{}} twice, for the names of two "
                "values: '{}_{}_corr' turns ra and dec into ra_dec_corr."
            )
            raise DataError(msg)
        if len(self.values) < 2:
            values = given(values=list(self.values))
            msg = f"{given(corr=corr)} needs two values at least; {values}."
            raise DataError(msg)
        if not self.errors:
            msg = (
                f"{given(corr=corr)} is the correlation of errors; name these with "
                f"{given('errors')}."
            )
            raise DataError(msg)
        if self.kind in ("interval", "plusminus"):
            msg = (
                f"{given(corr=corr)} cannot be used with {given(kind=self.kind)}: only "
                "Gaussian errors have a correlation here. Leave it out."
            )
            raise DataError(msg)

    def _check_long(self) -> None:
        kind = self.kind
        if kind in PAIRS:
            low, high, pair = _example(str(kind))
            what = "bounds" if kind in BOUNDS else "errors"
            msg = (
                f"{given(kind=kind)} needs the columns of the {what}: "
                f"{given(errors=(low, high))}"
                f"{in_python(f', or a dict from value to {pair}')}."
            )
            raise DataError(msg)
        if kind not in (None, "sd"):
            msg = (
                f"{given(kind=kind)} says what the error columns hold, but errors is "
                f"None; name them, e.g. {given(errors='{}_error')}."
            )
            raise DataError(msg)
        if self.joint and self.sample is None:
            msg = (
                f"{given(joint=True)} needs {given('sample')}, the column that says "
                "which joint draw a row belongs to (member, month, imputation)."
            )
            raise DataError(msg)
        for role in ("weight", "sample"):
            name = getattr(self, role)
            if name is not None and self.id is None and not self.layers:
                msg = (
                    f"{given(**{role: name})} was given without id: every row is then "
                    f"an object by itself, and {role} has no meaning. Name the id "
                    "column."
                )
                raise DataError(msg)
        if self.joint and self.weight is not None:
            msg = (
                f"{given(weight=self.weight)} cannot be used with {given(joint=True)}: "
                "joint draws are equally likely. Leave weight out, or say "
                f"{given(joint=False)}."
            )
            raise DataError(msg)

    def _check_wide(self) -> None:
        errors = self._errors_said()
        why = f"cannot be used together with {given(errors=errors)}: {about_forms()}"
        self.refuse(("weight", "sample", "joint"), why)
        _ = self.error_columns

    def _errors_said(self) -> Any:
        """Return the errors as given: a single template rather than a list of one."""
        alone = isinstance(self.errors, tuple) and len(self.errors) == 1
        return self.errors[0] if alone else self.errors  # type: ignore[index]


OPTIONS: dict[str, Option] = {
    one.name: one.metadata["option"] for one in fields(TableSpec)
}
LISTS = {one.name for one in fields(TableSpec) if one.default == ()}
TEXT = tuple(name for name, option in OPTIONS.items() if option.of_text)


# names and templates ------------------------------------------------------------------


def about_forms() -> str:
    """Explain wide and long form."""
    return (
        f"{given('errors')} means one row per object with error columns; leave errors "
        "out where several rows are values of one object (long form)."
    )


def _as_tuple(given: Any) -> tuple[Any, ...]:
    """Turn a single value or a sequence into a tuple."""
    if given is None:
        return ()
    return (given,) if isinstance(given, (str, int, float)) else tuple(given)


def _check_names(names: tuple[str, ...], id: str | None, log: tuple[str, ...]) -> None:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"values names the column {twice!r} twice."
        raise DataError(msg)
    if id in names:
        msg = f"{given(id=id)} is among values, too; a column is one or the other."
        raise DataError(msg)
    there_are = frozenset(names)
    for name in log:
        if name not in there_are and log != ("all",):
            msg = f"log: {unknown_name('value column', str(name), names)}"
            raise DataError(msg)


def _error_columns(
    names: tuple[str, ...],
    errors: tuple[str, ...] | Mapping[str, str | Sequence[str]],
    kind: str,
) -> tuple[tuple[str, ...], ...] | None:
    """Error columns of each value."""
    if not errors:
        return None
    if isinstance(errors, Mapping):
        there_are = frozenset(names)
        unknown = next((str(key) for key in errors if key not in there_are), None)
        if unknown is not None:
            msg = f"errors: {unknown_name('value column', unknown, names)}"
            raise DataError(msg)
        return tuple(_of_mapping(name, errors, kind) for name in names)
    if not all(isinstance(column, str) for column in errors):
        msg = f"{given(errors=list(errors))} must be names of columns, or templates."
        raise DataError(msg)
    if kind in PAIRS:
        return _of_pair(names, errors, kind)
    if len(errors) == 1 and ("{}" in errors[0] or len(names) == 1):
        return tuple((errors[0].replace("{}", name),) for name in names)
    if len(errors) == 1:
        raise DataError(_no_template(errors[0]))
    if any("{}" in column for column in errors):
        msg = (
            f"{given(errors=list(errors))} names several columns for each value, but "
            f"{given(kind=kind)} takes one; the kinds that take pairs are "
            f"{', '.join(PAIRS)}."
        )
        raise DataError(msg)
    if len(errors) != len(names):
        msg = (
            f"{given(errors=list(errors))} must name one column for each of "
            f"{given(values=list(names))}, in the same order."
        )
        raise DataError(msg)
    return tuple((column,) for column in errors)


def _of_mapping(
    name: str, errors: Mapping[str, str | Sequence[str]], kind: str
) -> tuple[str, ...]:
    if name not in errors:
        msg = (
            f"errors has no entry for {name!r}; every value needs an error column. For "
            "a value known exactly add a column of zeros."
        )
        raise DataError(msg)
    said = errors[name]
    columns = _as_tuple(said)
    if len(columns) != 1 + (kind in PAIRS):
        pair = f"a pair of columns {_example(kind)[2]}"
        needed = pair if kind in PAIRS else f"one column, as {given(kind=kind)} has"
        msg = f"errors[{name!r}]={said!r} must be {needed}."
        raise DataError(msg)
    return columns


def _of_pair(
    names: tuple[str, ...], errors: tuple[str, ...], kind: str
) -> tuple[tuple[str, ...], ...]:
    if len(errors) != 2:
        low, high, pair = _example(kind)
        said = errors[0] if len(errors) == 1 else errors
        msg = (
            f"{given(kind=kind)} has two columns per value; {given(errors=said)} must "
            f"be a pair of templates, e.g. {given(errors=(low, high))}"
            f"{in_python(f', or a dict from value to {pair}')}."
        )
        raise DataError(msg)
    for template in errors:
        if "{}" not in template and len(names) > 1:
            raise DataError(_no_template(template))
    return tuple(tuple(t.replace("{}", name) for t in errors) for name in names)


def _example(kind: str) -> tuple[str, str, str]:
    """Example templates for messages, and their meaning."""
    if kind == "plusminus":
        return "{}_err1", "{}_err2", "(upper, lower)"
    return "{}_low", "{}_high", "(low, high)"


def _filled_twice(template: str, one: str, two: str) -> str:
    before, between, after = template.split("{}")
    return f"{before}{one}{between}{two}{after}"


def _no_template(errors: str) -> str:
    return (
        f"{given(errors=errors)} must contain {{}}, which stands for the name of the "
        "value: '{}_error' turns mass into mass_error. Or errors must name one column "
        f"for each of the values{in_python(', or be a dict from value to column')}."
    )


def as_option(name: str, *value: object) -> str:
    """Write a parameter as an option: ``--missing impute``, ``--na=-999``."""
    name = "seed" if name == "random_state" else name
    return shlex.join(_as_words(name, *value)) if value else f"--{name}"


def _as_words(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return [OPTIONS[name].flags[not value]]
    text = _joined(value) if isinstance(value, (tuple, list)) else str(value)
    words = [f"--{name}", text]
    return ["=".join(words)] if text.startswith("-") else words


def _joined(names: Sequence[str]) -> str:
    """Join names by commas; a name with a comma is in quotes, as in csv."""
    out = io.StringIO()
    csv.writer(out, lineterminator="").writerow(names)
    return out.getvalue()


def _written(name: str, value: Any) -> str:
    if not isinstance(value, tuple):
        return repr(value)
    # A single template of errors is for all columns; several are for one each.
    return repr(value[0] if name == "errors" and len(value) == 1 else list(value))


# The text for * in a pattern of column names.
_REPEAT = re.compile(r"[^\W_]+")


def _repeated_columns(
    pattern: str, values: Sequence[str], known: Sequence[str]
) -> list[dict[str, str]]:
    """Return the columns of each value by the text for ``*`` in the pattern.

    ``"{}_*"`` finds ``{"1": "h_1", "b2": "h_b2"}`` for the value h among `known`.
    """
    ends = [
        tuple(part.replace("{}", value) for part in pattern.split("*"))
        for value in values
    ]
    found: dict[tuple[str, ...], dict[str, str]] = {pair: {} for pair in ends}
    # Look up columns by the text before and after *: linear time for wide tables.
    lengths = {(len(head), len(tail)) for head, tail in found}
    for column in known:
        for n_head, n_tail in lengths:
            stop = len(column) - n_tail
            endings = found.get((column[:n_head], column[stop:] if stop > 0 else ""))
            if endings is not None and _REPEAT.fullmatch(column, n_head, stop):
                endings[column[n_head:stop]] = column
    for value, pair in zip(values, ends, strict=True):
        if not found[pair]:
            msg = (
                f"{given(replicates=pattern)}: * stands for digits or letters, and "
                f"{unknown_name('column', pattern.replace('{}', value), known)}"
            )
            raise DataError(msg)
        _refuse_mixed(found[pair], pattern)
    return [found[pair] for pair in ends]


def _refuse_mixed(endings: Mapping[str, str], pattern: str) -> None:
    """Refuse h_mean or h_error among h_1, h_2 and h_3."""
    numbered = [column for end, column in endings.items() if end.isdecimal()]
    named = [
        column
        for end, column in endings.items()
        if not any(letter.isdecimal() for letter in end)
    ]
    if numbered and named:
        msg = (
            f"{given(replicates=pattern)} takes {named[0]!r} for a repeat like "
            f"{numbered[0]!r}. If it is not, rename it or leave it out of the table; "
            "if it is one, number it."
        )
        raise DataError(msg)
