"""``incerta assess``: how sure existing labels are."""

from typing import Annotated

from incerta.backend.progress import bars
from incerta.cli import options
from incerta.cli import output as out
from incerta.data.tables.spec import TableSpec
from incerta.wording import counted, verb

MODEL = "assessment.incerta"

EPILOG = f"""\
\b
Examples:
  incerta assess cells.h5ad --values X_pca --labels leiden -o out --report
  incerta assess stars.csv --labels kind --id star --values mass,radius \\
      --errors '{{}}_error' > assessed.csv

\b
Files, all written or none:
  DIR/table.csv           the table, as --format says
  DIR/{MODEL}  what incerta.load reads in Python
  DIR/{out.SUMMARY}        the result as JSON
  DIR/{out.REPORT}         with --report: one page that needs no network"""


@options.takes_columns
def assess(
    file: options.File,
    *,
    columns: TableSpec,
    labels: Annotated[
        str | None,
        options.option(
            "--labels",
            "Column with the labels; -1 is noise. By default the one column that "
            "obviously holds classes.",
            "COL",
        ),
    ] = None,
    seed: options.Seed = 0,
    scale: options.Scale = True,
    directions: options.InDirections = True,
    output: options.Folder = None,
    report: options.Report = False,
    form: options.Format = "csv",
    spreadsheet: options.Spreadsheet = False,
    quiet: options.Quiet = False,
) -> None:
    """Assess how sure labels from any tool or person are.

    The result is a table: id, label, its probability given the values, the probability
    that it is right, the most probable label, the plausible labels (95%), and the
    probability of each label. Messages say which labels are separated by a valley, so
    that their split is real, which may be one cluster, and which may hide two. Objects
    without a label get probabilities, too.
    """
    names = [MODEL, *[out.REPORT] * report]
    target = out.Target.checked(output, form, *names, spreadsheet=spreadsheet)
    from incerta.api.assess import assess

    with out.noted() as warned, bars(shown=not quiet):
        columns, data, known = options.labeled(
            file, columns, labels, "assess", "--labels", quiet=quiet
        )
        if not len(known.rows):
            out.refuse("--labels", f"no object has a label in {known.column!r}.")
        assessment = assess(
            data,
            known.labels,
            random_state=seed,
            scale=scale,
            directions="auto" if directions else None,
        )

    def files() -> dict[str, out.Writer]:
        facts = {"labels": known.column, "columns": columns.to_options()}
        page = {out.REPORT: assessment.report} if report else {}
        summary = out.json_file(assessment.summary() | facts)
        return {MODEL: assessment.save, out.SUMMARY: summary, **page}

    def tell() -> None:
        unsafe = target.unsafe(data.ids) + target.unsafe(assessment.names, "label")
        out.warn([*warned, *unsafe])
        sentences, _, table = assessment.explain().partition("\n\n")
        for sentence in sentences.split("\n"):
            out.say(sentence)
        if n := known.by_object.count(None):
            has = verb(n, "has", "have")
            out.say(f"{counted(n, 'object')} {has} no label{options.absent_in(known)}.")
        out.echo(table, err=True)

    target.deliver(assessment.columns(), files, None if quiet else tell)
