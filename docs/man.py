"""Print the manual page incerta(1) from the texts of ``--help``.

python docs/man.py > incerta.1 && man ./incerta.1
"""

import re
import sys

import typer

from incerta.cli.app import EXIT_CODES, app, grouped
from incerta.version import __version__


def page():
    """Return the page in the language of man, groff and mandoc."""
    group = typer.main.get_command(app)
    ctx = group.make_context("incerta", ["info"], resilient_parsing=True)
    summary = group.help.rstrip(".")
    lines = [
        f'.TH INCERTA 1 "" "incerta {__version__}" "User commands"',
        ".nh",  # do not break options
        ".SH NAME",
        escaped(f"incerta - {summary[0].lower()}{summary[1:]}"),
        ".SH SYNOPSIS",
    ]
    for name, command in group.commands.items():
        with command.make_context(name, [], parent=ctx, resilient_parsing=True) as own:
            usage = " ".join(command.collect_usage_pieces(own))
        lines += [".B incerta " + escaped(name), escaped(usage), ".br"]
    lines += [".SH OPTIONS", *records(grouped(group, ctx)["Other options"])]
    for name, command in group.commands.items():
        lines += [f".SH INCERTA {name.upper()}", *paragraphs(command.help)]
        with command.make_context(name, [], parent=ctx, resilient_parsing=True) as own:
            for heading, found in grouped(command, own).items():
                lines += [f".SS {escaped(heading)}", *records(found)]
        lines += blocks(command.epilog)
    lines += [".SH EXIT STATUS", ".nf"]
    lines += [escaped(line) for line in EXIT_CODES.splitlines()[2:]]
    return "\n".join([*lines, ".fi"]) + "\n"


def records(found):
    """Format options with their explanations."""
    for names, told in found:
        yield from (".TP", f"\\fB{escaped(names)}\\fR", escaped(told))


def paragraphs(text):
    """Format text that may be filled again."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        yield from (".PP", escaped(" ".join(paragraph.split())))


def blocks(text):
    """Format headings with unchanged lines: examples, files."""
    for block in (text or "").split("\b\n")[1:]:
        heading, *kept = block.rstrip().splitlines()
        yield from (f".SS {escaped(heading.rstrip(':'))}", ".nf")
        yield from map(escaped, kept)
        yield ".fi"


def escaped(text):
    """Escape a line so that nothing in it is a roff command."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{text}" if text.startswith((".", "'")) else text


if __name__ == "__main__":
    sys.stdout.write(page())
