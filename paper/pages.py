"""Table 2 as Markdown, and as one HTML page.

Both show the same blocks of figures. The page has sets as rows and methods as columns,
like the paper. Markdown has methods as rows, since thirteen columns are too many for
it.
"""

import re
from collections.abc import Mapping, Sequence

from incerta.backend.optional import pages_of, part_of_page
from paper.blocks import FAR, Block, Entry, readings, sections
from paper.table2 import Line

TITLE = "Table 2, computed again"
NOTHING = "–"
# Characters with a meaning in Markdown.
_SPECIAL = re.compile(r"([\\`*_\[\]<>|#&~])")


def as_markdown(lines: Sequence[Line], about: Mapping[str, str]) -> str:
    """Write the table as Markdown, with methods as rows and sets as columns.

    Parameters
    ----------
    lines : sequence of Line
        From `paper.table2.table2`; any sets and methods.
    about : mapping of str to str
        Facts about the run, for a list at the end. "command" is set as code.

    Returns
    -------
    str

    Examples
    --------
    >>> from paper.pages import as_markdown
    >>> from paper.table2 import Line
    >>> line = Line("wine", "uncertain", "RPC", "none", 10, 0.969, 0.003, 0.881, 0.01,
    ...             3, 0, 0.9, 1.5, 0.9663, 0.8782)
    >>> text = as_markdown([line], {"seeds": "10"})
    >>> print(next(row for row in text.splitlines() if row.startswith("| RPC")))
    | RPC | 0.969 ± 0.003 (0.966) |
    """
    parts = [f"# {TITLE}", *readings(lines)]
    for section in sections(lines):
        parts += [f"## {section.title}", *section.notes]
        for block in section.blocks:
            parts += [f"### {block.caption}", _markdown_table(block)]
    facts = "\n".join(f"- {_inert(k)}: {_fact(k, v)}" for k, v in about.items())
    return "\n\n".join([*parts, "## About this run", facts]).rstrip() + "\n"


def as_html(lines: Sequence[Line], about: Mapping[str, str]) -> str:
    """Write the table as one page that needs no network.

    Sets are rows and methods are columns, as in the paper.

    Parameters
    ----------
    lines, about
        As for `as_markdown`.

    Returns
    -------
    str
        HTML with its style inside and no scripts; all texts are escaped.

    Examples
    --------
    >>> from paper.pages import as_html
    >>> as_html([], {"seeds": "10"}).splitlines()[0]
    '<!DOCTYPE html>'
    """
    environment = pages_of("paper", "a page")
    page: str = environment.get_template("table2.html.j2").render(
        title=TITLE,
        readings=readings(lines),
        sections=sections(lines),
        about=about,
        far=f"{FAR:g}",
        nothing=NOTHING,
        style=part_of_page("paper", "table2.css"),
    )
    return page


def _markdown_table(block: Block) -> str:
    rows = [["Method", *block.sets], ["---", *("---:" for _ in block.sets)]]
    for method, kind, entries in block.by_method():
        head = f"{method}, {kind}" if kind else method
        rows.append([head, *(_markdown_cell(entry) for entry in entries)])
    return "\n".join(f"| {' | '.join(cells)} |" for cells in rows)


def _markdown_cell(entry: Entry | None) -> str:
    if entry is None:
        return NOTHING
    ours = f"**{entry.ours}**" if entry.is_best else entry.ours
    return " ".join(part for part in (ours, entry.spread, entry.theirs) if part)


def _fact(name: str, text: str) -> str:
    # Outside code, Markdown may turn the two hyphens of an option into a dash.
    return f"`{text}`" if name == "command" else _inert(text)


def _inert(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))
