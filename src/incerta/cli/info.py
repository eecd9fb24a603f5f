"""``incerta info``: installed packages, or the contents of a file, in 80 columns."""

import json
import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from incerta.backend.optional import pip_install
from incerta.backend.progress import bars
from incerta.cli import options
from incerta.cli.output import WIDTH, echo, noted, shown, warn, wrapped
from incerta.data.tables.spec import TableSpec
from incerta.wording import counted, printable

if TYPE_CHECKING:
    from incerta.data.files.profile import Profile
    from incerta.data.guess.described import Described
    from incerta.data.guess.guess import Guess

EXTRAS = ("cli", "plot", "report", "notebook", "io", "science", "fast", "gpu", "dask")
MOST_COLUMNS = 40  # tables with up to this many columns are shown in full
FIRST, LAST = 20, 5
LONGEST_COMMAND = 800
KINDS = {"measured": "number ±", "other": "array"}
HEADINGS = ("column", "type", "missing", "least – median – most", "taken as")

EPILOG = """\
\b
Examples:
  incerta info
  incerta info stars.csv
  incerta info stars.csv --id star --values mass --errors '{}_error'
  incerta info out/model.incerta"""


@options.takes_columns
def info(
    files: Annotated[
        list[Path] | None,
        options.argument(
            "FILE", "Tables or models, to show what is in them; - is csv from stdin."
        ),
    ] = None,
    *,
    columns: TableSpec,
    form: Annotated[
        str | None,
        options.option(
            "--format", "json describes a table for programs.", "FORMAT", ("json",)
        ),
    ] = None,
) -> None:
    """Show installed packages, or describe a table or a model.

    For a table: the contents of its columns, oddities, the probable meaning, and the
    command to run next. With --values: the objects.
    """
    if not files:
        import platform

        from joblib import cpu_count

        from incerta.api.result import versions

        extras = {f"extra {name}": _extra(name) for name in EXTRAS}
        threads = {"threads": str(cpu_count())}
        _print_pairs(versions() | {"system": platform.platform()} | threads | extras)
        return
    for number, file in enumerate(files):
        if number:
            echo()
        if len(files) > 1:
            echo(f"{file}:")
        if file.suffix.lower() == ".incerta":
            _show_model(file)
        else:
            _show_table(file, columns, form)


def _show_table(file: Path, columns: TableSpec, form: str | None) -> None:
    with noted() as warned, bars(), options.on_disk(file) as path:
        from incerta.data.files.opened import OpenTable

        table = OpenTable(path, columns)
        if columns.values:
            text = repr(table.data())
        else:
            write = as_json if form else as_text
            text = write(file, table.profile, table.guess(), columns)
    echo(text)
    warn(warned)


def _show_model(file: Path) -> None:
    from incerta.api import load
    from incerta.api.clustering import Clustering

    model = load(file)
    if not isinstance(model, Clustering):
        echo(repr(model))
        return
    made_with = ", ".join(f"{name} {text}" for name, text in model.versions.items())
    facts = {
        "found": model.explain().partition("\n")[0],
        "features": ", ".join(map(shown, model.feature_names)),
        "scaled": "no" if model.scaler is None else "yes",
        "seed": str(model.seed),
        "made with": made_with,
        "command": model.command or "none; made in Python",
    }
    _print_pairs(facts)


def _extra(name: str) -> str:
    """Return the packages of an extra, or how to install it."""
    from importlib.metadata import PackageNotFoundError, requires, version

    wanted = re.compile(rf"([\w-]+).*extra == ['\"]{name}['\"]")
    versions = []
    try:
        lines = requires("incerta") or ()
    except PackageNotFoundError:
        return "unknown: this copy was not installed by pip"
    for package in [match[1] for line in lines if (match := wanted.match(line))]:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            return f"{package} is missing; {pip_install(name)}"
    return ", ".join(versions)


def _print_pairs(pairs: Mapping[str, object]) -> None:
    for heading, text in pairs.items():
        echo(f"{heading:<14} {text}")


def as_text(file: Path, profile: "Profile", guess: "Guess", spec: TableSpec) -> str:
    """Describe a table: contents and roles of its columns, and the next command."""
    from incerta.data.files.reading import in_words

    size = f"{counted(profile.n_rows, 'row')}, {counted(len(profile.names), 'column')}"
    if arrays := [column for column in profile.columns if column.sizes]:
        size = f"{counted(len(arrays), 'array')}"
    facts = [size, in_words(profile.n_bytes), profile.written]
    lines = [f"{printable(file.name)}: {', '.join(filter(None, facts))}", ""]
    lines += [*_table(profile, guess), ""]
    if profile.problem:
        problem = f"Before it can be read: {profile.problem}"
        lines += [*wrapped(problem), ""]
    return "\n".join([*lines, *_what_next(file, guess, spec)])


def as_json(file: Path, profile: "Profile", guess: "Guess", spec: TableSpec) -> str:
    """Describe a table as JSON, for programs."""
    roles, remarks = _taken_as(profile, guess)
    words = ("incerta", "fit", str(file))
    facts = {
        "file": str(file),
        "rows": profile.n_rows,
        "bytes": profile.n_bytes,
        "written": profile.written,
        "problem": profile.problem,
        "columns": [
            {
                "name": column.name,
                "type": column.kind,
                "missing": column.n_missing,
                "distinct": column.n_distinct,
                "range": _ends(column),
                "taken_as": roles.get(column.name, ""),
                "remarks": remarks[column.name],
            }
            for column in profile.columns
        ],
        "clear": guess.is_clear,
        "doubt": guess.doubt,
        "readings": [
            {
                **reading.said(),
                "means": reading.means,
                "command": shlex.join(options.command_for(reading, spec, words)),
            }
            for reading in guess.readings
        ],
        "classes": guess.classes,
        "left_out": guess.left_out,
        "notes": guess.notes,
    }
    return json.dumps(facts, indent=1)


def _taken_as(
    profile: "Profile", guess: "Guess"
) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the role of each column, and remarks on it."""
    from incerta.data.guess.guess import remarks_on, roles_in

    columns = {column.name: column for column in profile.columns}
    roles, more = roles_in(guess, profile.names), remarks_on(columns, guess)
    return roles, {
        name: [*column.remarks, *more.get(name, ())] for name, column in columns.items()
    }


def _table(profile: "Profile", guess: "Guess") -> list[str]:
    """Format the table of columns; remarks go into the next line if needed."""
    roles, remarks = _taken_as(profile, guess)
    columns, hidden = list(profile.columns), []
    if len(columns) > MOST_COLUMNS:
        hidden = columns[FIRST:-LAST]
        columns = columns[:FIRST] + columns[-LAST:]
    cells = [
        (
            shown(c.name),
            KINDS.get(c.kind, c.kind),
            f"{c.n_missing:,}" if c.n_missing else "",
            _cells(c),
            printable(roles.get(c.name, "")),
        )
        for c in columns
    ]
    headings: Sequence[str] = HEADINGS
    widths = [max(map(len, column)) for column in zip(HEADINGS, *cells, strict=True)]
    # If there is not enough room, drop the statistics, not the roles.
    room = WIDTH - sum(widths[:4]) - 8
    if 2 * sum(len(row[-1]) > room for row in cells) > len(cells):
        cells = [(*row[:3], "", row[-1]) for row in cells]
        headings, widths = [*HEADINGS[:3], "", HEADINGS[-1]], [*widths[:3], 0, 0]
    lines = [_row(headings, widths)]
    for place, (column, row) in enumerate(zip(columns, cells, strict=True)):
        if hidden and place == FIRST:
            kinds = Counter(KINDS.get(c.kind, c.kind) for c in hidden)
            counts = ", ".join(f"{n:,} {kind}" for kind, n in kinds.items())
            gaps = sum(c.n_missing for c in hidden)
            missing = f"; {counted(gaps, 'cell')} missing" if gaps else ""
            lines.append(f"… {len(hidden):,} more columns ({counts}{missing})")
            remarked = [c for c in hidden if c.remarks]
            odd = [f"{shown(c.name)}: {printable(c.remarks[0])}" for c in remarked]
            lines += wrapped(options.listed(odd), "    ")
        remark = printable("; ".join(remarks[column.name]))
        line = _row(row, widths)
        if remark and len(line) + len(remark) + 2 <= WIDTH:
            lines.append(f"{line}  {remark}")
        else:
            lines += [line, *wrapped(remark, "    ")]
    for name, n in Counter(profile.names).items():
        if n > 1:
            lines.append(f"{shown(name)}  {n} columns have this name")
    return lines


def _row(cells: Sequence[str], widths: Sequence[int]) -> str:
    name, kind, missing, middle, role = (
        cell.rjust(width) if place == 2 else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    front = f"{name}  {kind}  {missing}"
    line = f"{front}  {middle}  {role}" if widths[3] else f"{front}  {role}"
    if len(line.rstrip()) > WIDTH:
        line = f"{front}  {role.lstrip()}"
    if len(line.rstrip()) > WIDTH:
        line = "\n".join([front.rstrip(), *wrapped(role, "    ")])
    return line.rstrip()


def _cells(column: "Described") -> str:
    ends = _ends(column)
    if ends is None:
        return ""
    if column.is_number:
        # Powers of ten only for very large and small numbers.
        texts = [f"{x:.0f}" if 1e4 <= abs(x) < 1e7 else f"{x:.4g}" for x in ends]
        return texts[0] if column.n_distinct == 1 else " – ".join(texts)
    if column.kind == "date":
        return f"{shown(ends[0][:10])} … {shown(ends[-1][:10])}"
    if column.n_distinct <= 3:
        few = ", ".join(shown(word) for word in column.words[:3])  # type: ignore[index]
        if len(few) <= 24:
            return few
    return f"{column.n_distinct:,} different"


def _ends(column: "Described") -> list[Any] | None:
    """Return the least, median and largest number, or the first and last date."""
    import numpy as np

    if column.numbers is not None:
        known = column.numbers[~np.isnan(column.numbers)]
        return [float(known.min()), float(np.median(known)), float(known.max())]
    if column.kind == "date" and column.words is not None:
        return [str(min(column.words)), str(max(column.words))]
    return None if column.words is None else []


def _what_next(file: Path, guess: "Guess", spec: TableSpec) -> list[str]:
    name = options.as_argument(file)
    fit, compare = ("incerta", "fit", name), ("incerta", "compare", name)
    doubt = guess.doubt
    notes = [line for note in guess.notes for line in wrapped(note)]
    if not guess.readings:
        return [
            *wrapped(f"What the columns mean cannot be guessed: {doubt}"),
            *notes,
        ]
    if not guess.is_clear:
        return [
            *wrapped(f"Not clear: {doubt}"),
            *notes,
            "",
            *options.offers(guess, spec, fit),
        ]
    reading = guess.readings[0]
    lines = wrapped(f"{guess.objects}.") if guess.objects else []
    lines += [*wrapped(f"Reading it as: {reading.means}."), *notes, "", "Next:"]
    truth = [("--truth", name) for name in guess.classes[:1]]
    for words, more in [(fit, ()), *((compare, pair) for pair in truth)]:
        command = options.command_for(reading, spec, words, *more)
        if sum(map(len, command)) > LONGEST_COMMAND:  # it will be guessed again
            command = [*words, *spec.to_options(), *more]
        lines.append(f"  {options.on_lines(command)}")
    return lines
