"""Which column of a table is what: ids, values, errors, weights, draws."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

from incerta.data.checks import unknown_name
from incerta.data.meaning import as_meaning
from incerta.data.tables.patterns import check_pattern, repeated_columns
from incerta.exceptions import DataError

Kind: TypeAlias = Literal[
    "sd", "se", "var", "ivar", "2sigma", "moe90", "ci95", "interval"
]
Missing: TypeAlias = Literal["error", "impute", "keep"]
Errors: TypeAlias = (
    str | Sequence[str] | tuple[str, str] | Mapping[str, str | Sequence[str]]
)

KINDS: tuple[str, ...] = get_args(Kind)
BOUNDS = ("ci95", "interval")  # kinds given by two columns, low and high
LONG_FORM = (
    "errors= means one row per object with error columns; leave errors out where "
    "several rows are values of one object (long form)."
)


@dataclass(frozen=True)
class Roles:
    """What the user said about the columns, checked for consistency.

    `errors` has a pair (low, high) or a single column for each of `values`; it is
    None in long form.
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
    replicates: str | None = None  # pattern of the columns with repeats of a value

    def columns(self, known: Sequence[str]) -> list[str]:
        """Return the columns to read, all of them `known`, each once."""
        wanted: list[tuple[str, str]] = []
        if self.id is not None:
            wanted.append((self.id, "id"))
        if self.replicates is not None:
            for columns in self.repeats(known):
                wanted += [(name, "values") for name in columns.values()]
        elif self.kind not in BOUNDS:
            wanted += [(name, "values") for name in self.values]
        elif self.kind == "ci95":  # the middle may serve as the value
            wanted += [(name, "values") for name in self.values if name in known]
        for pair in self.errors or ():
            wanted += [(name, "errors") for name in pair]
        others = {"weight": self.weight, "sample": self.sample, "batch": self.batch}
        wanted += [(name, role) for role, name in others.items() if name is not None]
        for name, role in wanted:
            if name not in known:
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
    replicates: str | None = None,
) -> Roles:
    """Check that what was said about the columns is consistent."""
    names = _as_names(values, id)
    if replicates is not None:
        others = {"errors": errors, "weight": weight, "sample": sample}
        others |= {"joint": joint, "batch": batch}
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
    if errors is None:
        _check_long(id, kind, weight, sample, joint)
        form = kind, weight, sample, bool(joint)
        return Roles(id, names, None, *form, meaning, batch, replicates)
    for role, given in (("weight", weight), ("sample", sample), ("joint", joint)):
        if given is not None:
            msg = (
                f"{role}={given!r} cannot be used together with errors={errors!r}: "
                + LONG_FORM
            )
            raise DataError(msg)
    pairs = _as_error_columns(names, errors, kind)
    return Roles(id, names, pairs, kind, None, None, False, meaning)


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


def _check_long(
    id: str | None,
    kind: str,
    weight: str | None,
    sample: str | None,
    joint: bool | None,
) -> None:
    if kind in BOUNDS:
        msg = (
            f"kind={kind!r} needs the columns of the bounds: errors=('{{}}_low', "
            "'{}_high'), or a dict from value to (low, high)."
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
    paired = kind in BOUNDS
    if isinstance(errors, Mapping):
        return tuple(_of_mapping(name, names, errors, paired) for name in names)
    if paired:
        return _of_pair(names, errors, kind)
    if isinstance(errors, str):
        if "{}" not in errors and len(names) > 1:
            raise DataError(_no_template("errors", errors))
        return tuple((_filled(errors, name),) for name in names)
    columns = tuple(errors)
    if len(columns) != len(names) or not all(isinstance(c, str) for c in columns):
        msg = (
            f"errors={list(columns)} must name one column for each of "
            f"values={list(names)}, in the same order."
        )
        raise DataError(msg)
    return tuple((column,) for column in columns)


def _of_mapping(
    name: str, names: tuple[str, ...], errors: Mapping[str, Any], paired: bool
) -> tuple[str, ...]:
    unknown = [key for key in errors if key not in names]
    if unknown:
        msg = f"errors: {unknown_name('value column', str(unknown[0]), names)}"
        raise DataError(msg)
    if name not in errors:
        msg = (
            f"errors has no entry for {name!r}; every value needs an error column. For "
            "a value known exactly add a column of zeros."
        )
        raise DataError(msg)
    given = errors[name]
    columns = (given,) if isinstance(given, str) else tuple(given)
    if len(columns) != 1 + paired:
        needed = "a pair of columns (low, high)" if paired else "one column"
        msg = f"errors[{name!r}]={given!r} must be {needed}."
        raise DataError(msg)
    return columns


def _of_pair(
    names: tuple[str, ...], errors: str | Sequence[str], kind: str
) -> tuple[tuple[str, ...], ...]:
    if isinstance(errors, str) or len(errors) != 2:
        msg = (
            f"kind={kind!r} has two columns per value; errors={errors!r} must be a "
            "pair of templates such as ('{}_low', '{}_high'), or a dict from value to "
            "(low, high)."
        )
        raise DataError(msg)
    for template in errors:
        if "{}" not in template and len(names) > 1:
            raise DataError(_no_template("errors", template))
    return tuple(tuple(_filled(t, name) for t in errors) for name in names)


def _filled(template: str, name: str) -> str:
    return template.replace("{}", name)


def _no_template(role: str, given: str) -> str:
    return (
        f"{role}={given!r} must contain {{}}, which stands for the name of the value: "
        "'{}_error' turns mass into mass_error. Or give a dict from value to column."
    )
