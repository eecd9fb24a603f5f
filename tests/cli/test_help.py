"""Help that reads like a manual, the manual itself, and completion in shells."""

import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from incerta.cli.app import GROUPS, app
from incerta.cli.output import FORMATS
from incerta.data.tables.spec import KINDS
from tests.cli.conftest import environment
from tests.runner import Runner

GROUP = typer.main.get_command(app)
MANUAL = Path(__file__).parents[2] / "docs" / "man.py"

WITHOUT_RICH = """
import sys
sys.modules["rich"] = None
sys.argv[0] = "incerta"
from incerta.cli import main
main()
"""


def page_of(call, command):
    """Paragraphs of a page, as one finds them."""
    return call(command, "--help").stdout.split("\n\n")


@pytest.mark.parametrize("command", GROUP.commands)
def test_a_page_says_what_how_and_what_then(call, command):
    usage, summary, *others = page_of(call, command)
    assert usage.startswith("Usage: ")
    assert f" {command} " in usage
    assert summary.startswith("  ")
    assert summary.endswith(".")
    assert "\n" not in summary
    headings = [text.partition(":\n")[0].strip() for text in others if ":\n" in text]
    assert headings[-1] == "Exit codes"
    assert "Examples" in headings
    examples = others[headings.index("Examples") - len(headings)]
    assert f"  incerta {command}" in examples


def test_files_that_fit_writes_are_named(call):
    (files,) = [text for text in page_of(call, "fit") if "Files," in text]
    for name in ("table.csv", "model.incerta", "summary.json", "report.html"):
        assert f"DIR/{name}" in files


@pytest.mark.parametrize("command", GROUP.commands)
def test_every_option_is_under_one_heading(call, command):
    told = call(command, "--help").stdout
    for parameter in GROUP.commands[command].params:
        name = parameter.opts[-1]
        assert sum(
            line.startswith("  -")
            and name in line.split("  ")[1].replace(",", "").split()
            for line in told.splitlines()
        ) == (parameter.param_type_name == "option"), name


def test_headings_name_options_that_exist():
    known = {p.name for c in GROUP.commands.values() for p in c.params}
    for heading, names in GROUPS.items():
        assert known & set(names), heading


def test_the_manual_has_every_command_and_option():
    page = runpy.run_path(str(MANUAL))["page"]()
    plain = page.replace("\\-", "-")
    assert "\nincerta - cluster data" in plain
    for name, command in GROUP.commands.items():
        assert f".SH INCERTA {name.upper()}\n" in plain
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert re.search(rf"^\\fB.*{parameter.opts[0]}\b", plain, re.M)
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff, which reads manual pages, is not installed")
    done = subprocess.run(
        [groff, "-man", "-Tutf8", "-Kutf8", "-ww"],
        input=page,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )
    assert (done.returncode, done.stderr) == (0, "")


def completed(words, shell="bash"):
    """What a shell is told when the last of some words is to be completed."""
    asked = {
        "_INCERTA_COMPLETE": f"complete_{shell}",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
        "_TYPER_COMPLETE_ARGS": words,
    }
    done = Runner().invoke(app, [], env=asked, prog_name="incerta")
    assert done.exit_code == 0, done.output
    return done.stdout.split()


def test_completion_of_words():
    assert completed("incerta ") == list(GROUP.commands)
    assert completed("incerta fit x.csv --method UK") == ["UKMeans", "UKMedoids"]
    assert completed("incerta fit x.csv --kind ") == list(KINDS)
    assert completed("incerta predict m x.csv --format ") == list(FORMATS)
    assert "--values" in completed("incerta fit --va")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script(shell):
    asked = {"_INCERTA_COMPLETE": f"source_{shell}"}
    done = Runner().invoke(app, [], env=asked, prog_name="incerta")
    assert done.exit_code == 0
    assert f"complete_{shell}" in done.stdout
    program = shutil.which(shell)
    if program is not None:
        checked = subprocess.run([program, "-n"], input=done.stdout, text=True)
        assert checked.returncode == 0


def test_completion_needs_no_rich():
    asked = {"_INCERTA_COMPLETE": "source_bash"}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_RICH],
        env=environment(**asked),
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "complete -o default -F _incerta_completion incerta" in done.stdout
