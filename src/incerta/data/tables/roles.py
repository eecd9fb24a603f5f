"""Which column of a table is what: ids, values, errors, weights, draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal, TypeAlias, cast, get_args

from incerta.data.checks import unknown_name
from incerta.data.meaning import as_meaning
from incerta.data.tables.patterns import check_pattern, repeated_columns
from incerta.exceptions import DataError

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
]
Missing: TypeAlias = Literal["error", "drop", "infinite", "impute"]
Errors: TypeAlias = (
    str | Sequence[str] | tuple[str, str] | Mapping[str, str | Sequence[str]]
)

KINDS: tuple[str, ...] = get_args(Kind)
MISSING: tuple[str, ...] = get_args(Missing)
BOUNDS = ("ci68", "ci95", "interval")  # kinds given by two columns, low and high
PAIRS = (*BOUNDS, "plusminus")  # all kinds of two columns; the last: upper and lower
LONG_FORM = (
    "errors= means one row per object with error columns; leave errors out where "
    "several rows are values of one object (long form)."
)


@dataclass(frozen=True)
class Roles:
    """What the user said about the columns, checked for consistency.

    `errors` has a pair (low, high or upper, lower) or a single column for each of
    `values`; it is None in long form. Of the values in `log` the logarithm is taken.
    """

    id: str | None
    values: tuple[str, ...]
    errors: tuple[tuple[str, ...], ...] | None
    kind: str
    weight: str | None
    sample: str | None
    joint: bool
    meaning: str | None = None  # None: as the form of the table says
    batch: str | None = None
    corr: str | None = None  # template with two {}
    log: frozenset[str] = frozenset()
    replicates: str | None = None  # pattern of the columns with repeats of a value

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features: those of the values, or of their logarithms."""
        return tuple(f"log10({v})" if v in self.log else v for v in self.values)

    def correlations(self, known: Sequence[str]) -> dict[tuple[int, int], str]:
        """Columns among `known` with the correlation of two values, by their places."""
        if self.corr is None:
            return {}
        found, asked = {}, []
        there_are = frozenset(known)
        for (i, a), (j, b) in combinations(enumerate(self.values), 2):
            names = [_filled_twice(self.corr, *pair) for pair in ((a, b), (b, a))]
            asked.append(names[0])
            there = [name for name in names if name in there_are]
            if there:
                found[i, j] = there[0]
        if not found:
            first = unknown_name("column", asked[0], list(known))
            msg = f"corr={self.corr!r} fits no pair of values, in either order: {first}"
            raise DataError(msg)
        return found

    def missing_rule(self, missing: str | None) -> Missing:
        """What to do about gaps, which depends on the form if nothing was said."""
        if missing is not None and missing not in MISSING:
            msg = f"missing={missing!r} must be one of {', '.join(MISSING)}."
            raise DataError(msg)
        if missing is not None:
            return cast(Missing, missing)
        measured = self.errors is not None and self.kind != "interval"
        return "infinite" if measured and self.meaning in (None, "error") else "error"

    def columns(self, known: Sequence[str]) -> list[str]:
        """Return the columns to read, all of them `known`, each once."""
        there_are = frozenset(known)  # tables of genes have 100,000 columns
        wanted: list[tuple[str, str]] = []
        if self.id is not None:
            wanted.append((self.id, "id"))
        if self.replicates is not None:
            for columns in self.repeats(known):
                wanted += [(name, "values") for name in columns.values()]
        elif self.kind not in BOUNDS:
            wanted += [(name, "values") for name in self.values]
        elif self.kind != "interval":  # the middle may serve as the value
            wanted += [(name, "values") for name in self.values if name in there_are]
        for pair in self.errors or ():
            wanted += [(name, "errors") for name in pair]
        wanted += [(name, "corr") for name in self.correlations(known).values()]
        others = {"weight": self.weight, "sample": self.sample, "batch": self.batch}
        wanted += [(name, role) for role, name in others.items() if name is not None]
        for name, role in wanted:
            if name not in there_are:
                msg = f"{role}: {unknown_name('column', name, list(known))}"
                raise DataError(msg)
        return list(dict.fromkeys(name for name, _ in wanted))

    def repeats(self, known: Sequence[str]) -> list[dict[str, str]]:
        """Return the columns of `replicates`, of each value by what ``*`` stands for.

        There are none unless `replicates` was given.
        """
        if self.replicates is None:
            return []
        others = [name for name in known if name != self.id]
        return repeated_columns(self.replicates, self.values, others)


def as_roles(
    id: str | None,
    values: str | Sequence[str],
    errors: Errors | None,
    kind: str,
    weight: str | None,
    sample: str | None,
    joint: bool | None,
    meaning: str | None = None,
    batch: str | None = None,
    *,
    corr: str | None = None,
    log: str | Sequence[str] | bool | None = None,
    replicates: str | None = None,
) -> Roles:
    """Check that what was said about the columns is consistent."""
    names = _as_names(values, id)
    logs = _as_logs(log, names)
    _refuse_same_features(names, logs)
    if replicates is not None:
        others: dict[str, Any] = {"errors": errors, "weight": weight, "sample": sample}
        others |= {"joint": joint, "batch": batch, "corr": corr}
        check_pattern(replicates, names, others)
        meaning = meaning or "error"
    if meaning is not None:
        as_meaning(meaning)
    if batch is not None and (meaning != "error" or id is None or errors is not None):
        msg = (
            f"batch={batch!r} is for replicates, whose offset it takes off: a long "
            "table with id= and meaning='error'."
        )
        raise DataError(msg)
    if kind not in KINDS:
        msg = f"kind: {unknown_name('kind of error', str(kind), KINDS)}"
        raise DataError(msg)
    if sample is not None and joint is None:
        msg = (
            f"sample={sample!r} was given without joint. Say joint=True if rows with "
            "the same entry belong together across objects (an ensemble member, a "
            "month of one year), joint=False if each object was measured on its own."
        )
        raise DataError(msg)
    if corr is not None:
        _check_correlations(corr, names, errors, kind)
    if errors is None:
        _check_long(id, kind, weight, sample, joint)
        form = kind, weight, sample, bool(joint)
        wide = None, logs, replicates
        return Roles(id, names, None, *form, meaning, batch, *wide)
    for role, given in (("weight", weight), ("sample", sample), ("joint", joint)):
        if given is not None:
            msg = (
                f"{role}={given!r} cannot be used together with errors={errors!r}: "
                + LONG_FORM
            )
            raise DataError(msg)
    pairs = _as_error_columns(names, errors, kind)
    return Roles(
        id, names, pairs, kind, None, None, False, meaning, corr=corr, log=logs
    )


def _as_names(values: str | Sequence[str], id: str | None) -> tuple[str, ...]:
    names = (values,) if isinstance(values, str) else tuple(values)
    if not names or not all(isinstance(name, str) for name in names):
        msg = f"values={values!r} must be the name of a column, or a list of names."
        raise DataError(msg)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"values names the column {twice!r} twice."
        raise DataError(msg)
    if id in names:
        msg = f"id={id!r} is among values, too; a column is one or the other."
        raise DataError(msg)
    return names


def _as_logs(
    log: str | Sequence[str] | bool | None, names: tuple[str, ...]
) -> frozenset[str]:
    if log is None or isinstance(log, bool):
        return frozenset(names if log else ())
    chosen = (log,) if isinstance(log, str) else tuple(log)
    if chosen == ("all",) and "all" not in names:
        return frozenset(names)
    there_are = frozenset(names)
    for name in chosen:
        if name not in there_are:
            msg = f"log: {unknown_name('value column', str(name), names)}"
            raise DataError(msg)
    return frozenset(chosen)


def _refuse_same_features(names: tuple[str, ...], logs: frozenset[str]) -> None:
    called = {f"log10({name})": name for name in logs}
    twice = next((n for n in names if n in called and n not in logs), None)
    if twice is not None:
        msg = (
            f"the logarithm of {called[twice]!r} is called {twice!r}, as another of "
            "the values is already. Rename that column, or leave one of them out."
        )
        raise DataError(msg)


def _check_correlations(
    corr: str, names: tuple[str, ...], errors: Errors | None, kind: str
) -> None:
    if not isinstance(corr, str) or corr.count("{}") != 2:
        msg = (
            f"corr={corr!r} must contain {{}} twice, for the names of two values: "
            "'{}_{}_corr' turns ra and dec into ra_dec_corr."
        )
        raise DataError(msg)
    if len(names) < 2:
        msg = f"corr={corr!r} needs two values at least; values={list(names)}."
        raise DataError(msg)
    if errors is None:
        msg = f"corr={corr!r} is the correlation of errors; name these with errors=."
        raise DataError(msg)
    if kind in ("interval", "plusminus"):
        msg = (
            f"corr={corr!r} cannot be used with kind={kind!r}: only Gaussian errors "
            "have a correlation here. Leave it out."
        )
        raise DataError(msg)


def _check_long(
    id: str | None,
    kind: str,
    weight: str | None,
    sample: str | None,
    joint: bool | None,
) -> None:
    if kind in PAIRS:
        low, high, pair = _example(kind)
        what = "bounds" if kind in BOUNDS else "errors"
        msg = (
            f"kind={kind!r} needs the columns of the {what}: errors=({low!r}, "
            f"{high!r}), or a dict from value to {pair}."
        )
        raise DataError(msg)
    if kind != "sd":
        msg = (
            f"kind={kind!r} says what the error columns hold, but errors is None; name "
            "them, e.g. errors='{}_error'."
        )
        raise DataError(msg)
    if joint and sample is None:
        msg = (
            "joint=True needs sample=, the column that says which joint draw a row "
            "belongs to (member, month, imputation)."
        )
        raise DataError(msg)
    for role, given in (("weight", weight), ("sample", sample)):
        if given is not None and id is None:
            msg = (
                f"{role}={given!r} was given without id: every row is then an object "
                f"of its own, and {role} has no meaning. Name the id column."
            )
            raise DataError(msg)
    if joint and weight is not None:
        msg = (
            f"weight={weight!r} cannot be used with joint=True: joint draws are "
            "equally likely. Leave weight out, or say joint=False."
        )
        raise DataError(msg)


def _as_error_columns(
    names: tuple[str, ...], errors: Errors, kind: str
) -> tuple[tuple[str, ...], ...]:
    """Return the error columns of each value."""
    if isinstance(errors, Mapping):
        there_are = frozenset(names)
        unknown = next((str(key) for key in errors if key not in there_are), None)
        if unknown is not None:
            msg = f"errors: {unknown_name('value column', unknown, names)}"
            raise DataError(msg)
        return tuple(_of_mapping(name, errors, kind) for name in names)
    if kind in PAIRS:
        return _of_pair(names, errors, kind)
    if isinstance(errors, str):
        if "{}" not in errors and len(names) > 1:
            raise DataError(_no_template("errors", errors))
        return tuple((_filled(errors, name),) for name in names)
    columns = tuple(errors)
    if len(columns) > 1 and any("{}" in str(column) for column in columns):
        msg = (
            f"errors={list(columns)} names several columns for each value, but "
            f"kind={kind!r} takes one; the kinds that take pairs are "
            f"{', '.join(PAIRS)}."
        )
        raise DataError(msg)
    if len(columns) != len(names) or not all(isinstance(c, str) for c in columns):
        msg = (
            f"errors={list(columns)} must name one column for each of "
            f"values={list(names)}, in the same order."
        )
        raise DataError(msg)
    return tuple((column,) for column in columns)


def _of_mapping(name: str, errors: Mapping[str, Any], kind: str) -> tuple[str, ...]:
    if name not in errors:
        msg = (
            f"errors has no entry for {name!r}; every value needs an error column. For "
            "a value known exactly add a column of zeros."
        )
        raise DataError(msg)
    given = errors[name]
    columns = (given,) if isinstance(given, str) else tuple(given)
    if len(columns) != 1 + (kind in PAIRS):
        pair = f"a pair of columns {_example(kind)[2]}"
        needed = pair if kind in PAIRS else f"one column, as kind={kind!r} has"
        msg = f"errors[{name!r}]={given!r} must be {needed}."
        raise DataError(msg)
    return columns


def _of_pair(
    names: tuple[str, ...], errors: str | Sequence[str], kind: str
) -> tuple[tuple[str, ...], ...]:
    if isinstance(errors, str) or len(errors) != 2:
        low, high, pair = _example(kind)
        msg = (
            f"kind={kind!r} has two columns per value; errors={errors!r} must be a "
            f"pair of templates, e.g. errors=({low!r}, {high!r}), or a dict from value "
            f"to {pair}."
        )
        raise DataError(msg)
    for template in errors:
        if "{}" not in template and len(names) > 1:
            raise DataError(_no_template("errors", template))
    return tuple(tuple(_filled(t, name) for t in errors) for name in names)


def _example(kind: str) -> tuple[str, str, str]:
    """Two templates and what they stand for, for messages."""
    if kind == "plusminus":
        return "{}_err1", "{}_err2", "(upper, lower)"
    return "{}_low", "{}_high", "(low, high)"


def _filled_twice(template: str, one: str, two: str) -> str:
    before, between, after = template.split("{}")
    return f"{before}{one}{between}{two}{after}"


def _filled(template: str, name: str) -> str:
    return template.replace("{}", name)


def _no_template(role: str, given: str) -> str:
    return (
        f"{role}={given!r} must contain {{}}, which stands for the name of the value: "
        "'{}_error' turns mass into mass_error. Or give a dict from value to column."
    )
