"""``incerta members``: which objects belong to a compact group in a field."""

from typing import Annotated

from incerta.backend.progress import bars
from incerta.cli import options
from incerta.cli import output as out
from incerta.data.tables.spec import TableSpec

MODEL = "members.incerta"

EPILOG = f"""\
\b
Examples:
  incerta members gaia.csv --id source_id --values parallax,pmra,pmdec \\
      --errors '{{}}_error' --corr '{{}}_{{}}_corr' -o out
  incerta members stars.csv --id star --values ra,dec,pmra,pmdec \\
      --errors '{{}}_error' --sky ra,dec --groups 1 > members.csv

\b
Files, all written or none:
  DIR/table.csv        the table, as --format says
  DIR/{MODEL}  what incerta.load reads in Python
  DIR/{out.SUMMARY}     what was found"""


@options.takes_columns
def members(
    file: options.File,
    *,
    columns: TableSpec,
    groups: Annotated[
        str,  # typer needs a string; commands get a number or auto
        options.option(
            "--groups",
            "Number of groups; auto takes those that pass the test, maybe none.",
            "N|auto",
            callback=options.whole_or_auto,
        ),
    ] = "auto",
    field: Annotated[
        str,
        options.option(
            "--field",
            "Model of the other objects: a mixture of broad Gaussians, or uniform "
            "between the lowest and the highest values.",
            "LAW",
            ("mixture", "uniform"),
        ),
    ] = "mixture",
    sky: Annotated[
        str | None,
        options.option(
            "--sky",
            "Two of the values: longitude and latitude on a sphere, in degrees.",
            "COL,COL",
        ),
    ] = None,
    level: Annotated[
        float,
        options.option(
            "--level",
            "Largest share of fields without groups in which one is found by chance.",
            "SHARE",
        ),
    ] = 0.05,
    seed: options.Seed = 0,
    output: options.Folder = None,
    form: options.Format = "csv",
    spreadsheet: options.Spreadsheet = False,
    quiet: options.Quiet = False,
) -> None:
    """Find the objects that belong to a compact group in a broad field.

    The result is a table, the most probable members first: id, group (-1 is the field),
    the probability that the object belongs to any group and, with several groups, to
    each group. Messages describe each group with standard errors, and say how many of
    the objects above a threshold probably belong to the field.
    """
    target = out.Target.checked(output, form, MODEL, spreadsheet=spreadsheet)
    if not 0.0 < level < 1.0:
        out.refuse("--level", f"{level} does not lie between 0 and 1.")
    from incerta.api.members import members
    from incerta.data.files.opened import OpenTable

    with out.noted() as warned, bars(shown=not quiet), options.on_disk(file) as path:
        table = OpenTable(path, columns)
        columns = options.completed(table, "members", file, quiet=quiet)
        data = table.data(columns)
        del table  # frees the cells
        found = members(
            data,
            groups,
            field=field,
            sky=None if sky is None else [name.strip() for name in sky.split(",")],
            level=level,
            random_state=seed,
        )

    def files() -> dict[str, out.Writer]:
        facts = found.summary() | {"columns": columns.to_options()}
        return {MODEL: found.save, out.SUMMARY: out.json_file(facts)}

    def tell() -> None:
        out.warn([*warned, *target.unsafe(data.ids)])
        sentences, _, groups_told = found.explain().partition("\n\n")
        for sentence in sentences.split("\n"):
            out.say(sentence)
        if groups_told:
            out.echo(groups_told, err=True)

    target.deliver(found.columns(), files, None if quiet else tell)
