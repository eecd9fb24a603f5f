"""The stories of the docs: run as they are written, and right."""

import csv
import doctest
import re
import runpy
import shlex
import sys
import time
from contextlib import chdir
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import incerta as ic
from incerta.cli.app import app
from tests.extras import needs
from tests.runner import run_script

DOCS = Path(__file__).parent.parent / "docs"
STORIES = DOCS / "stories"
CPU_SECONDS = 20


@pytest.fixture(scope="module")
def scripts():
    """The scripts of the stories, which are no package."""
    names = ("check", "make_files", "pages")
    sys.path.insert(0, str(STORIES))
    try:
        yield [import_module(name) for name in names]
    finally:
        sys.path.remove(str(STORIES))
        for name in names:
            sys.modules.pop(name, None)


@pytest.fixture
def run(scripts, tmp_path, capsys):
    """Run commands in a folder; Python in this process, as starting takes seconds."""
    *_, pages = scripts
    folder = pages.prepared(tmp_path)

    def run(command):
        words, _, filters = command.replace("\\\n", " ").partition(" 2>&1 | ")
        program, *arguments = shlex.split(words)
        if program == "incerta":
            said = CliRunner(env={"COLUMNS": "80"}).invoke(app, arguments).output
        elif program == "python":
            run_script(*arguments)
            said = capsys.readouterr().out
        else:
            return pages.run(command, folder)
        (folder / "said").write_text(said, encoding="utf-8")
        return pages.run(f"{filters or 'cat'} < said", folder)

    with chdir(folder):
        yield run


def told(text):
    """Words and numbers, without names of single objects, which hang by a thread."""
    text = re.sub(r"Least certain: [^.]*(\.\d+[^.]*)+\.", "", text)
    numbers = r"(?<![\w.])\d[\d,]*(?:\.\d+)?"
    words = re.sub(numbers, "#", " ".join(text.split()))
    return words, [float(n.replace(",", "")) for n in re.findall(numbers, text)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["astronomer", "biologist", "climatologist", "demographer", "engineer", "newcomer"],
)
def test_stories_run_and_are_right(name, scripts, run, tmp_path):
    check, _, pages = scripts
    story = pages.STORIES[name]
    path = STORIES / f"{name}.rst"
    before = time.process_time()
    if name == pages.PYTHON_PAGE:
        assert doctest.testfile(str(path), module_relative=False).failed == 0
    else:
        steps = pages.steps(path.read_text(encoding="utf-8"))
        assert len(steps) >= 3
        for step in steps:
            words, numbers = told(run(step.command))
            expected_words, expected = told(step.printed)
            assert words == expected_words, "python docs/stories/pages.py writes it"
            # Other versions of numpy and scikit-learn may tip a few objects.
            np.testing.assert_allclose(numbers, expected, rtol=0.05, atol=0.05)
    assert time.process_time() - before <= CPU_SECONDS
    result = ic.load(tmp_path / story.model / story.file_of_model)
    truth = check.true_kinds(tmp_path / f"{story.file}_truth.csv", result.data.ids)
    assert check.score(truth, result.labels, story.member) >= story.least
    sure = check.confidence_of(result) >= check.SURE
    assert check.right(truth, result.labels, story.member)[sure].mean() >= 0.99


def test_every_story_has_a_page_and_a_picture(scripts):
    _, _, pages = scripts
    listed = (STORIES / "index.rst").read_text(encoding="utf-8")
    for name in pages.STORIES:
        page = (STORIES / f"{name}.rst").read_text(encoding="utf-8")
        assert f"    {name}\n" in listed
        assert f".. image:: {name}.png" in page
        assert (STORIES / f"{name}.png").exists()
    assert set(pages.STORIES) == {p.stem for p in STORIES.glob("*.rst")} - {"index"}


def test_files_are_what_the_script_makes(scripts, tmp_path):
    _, make_files, _ = scripts
    make_files.main(tmp_path)
    made = sorted(tmp_path.glob("*.csv"))
    assert [p.name for p in made] == sorted(p.name for p in STORIES.glob("*.csv"))
    for path in made:
        now, kept = (
            list(csv.reader(p.read_text("cp1252").replace(";", ",").splitlines()))
            for p in (path, STORIES / path.name)
        )
        assert now[0] == kept[0]
        # The last digit may differ by how a library rounds; no word may.
        same = [a == b for a, b in zip(now, kept, strict=True)]
        assert np.mean(same) > 0.99


def test_commands_are_taken_from_console_blocks_alone(scripts):
    _, _, pages = scripts
    page = (
        "Text.\n\n.. code-block:: console\n\n    $ one \\\n    >   two\n    out\n\n"
        "    more\n    $ three\n\nEnd.\n\n.. code-block:: shell\n\n    $ no\n"
    )
    assert pages.steps(page) == [
        pages.Step("one \\\n  two", "out\n\nmore"),
        pages.Step("three", ""),
    ]


@needs("matplotlib", "plot")
def test_the_picture_shows_the_stored_numbers():
    picture = runpy.run_path(str(DOCS / "picture.py"))
    found = picture["stored"](DOCS / "measured" / "picture.csv")
    assert found.shape[2] == picture["N_DRAWS"] >= 20
    page = DOCS / "measured" / "picture.txt"
    assert picture["table"](found) == page.read_text("utf-8")


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
def test_the_numbers_of_the_picture_can_be_measured(tmp_path):
    small = ["--draws", "1", "--objects", "40", "--csv", str(tmp_path / "small.csv")]
    run_script(str(DOCS / "picture.py"), "run", *small)
    assert len((tmp_path / "small.csv").read_text().splitlines()) == 1 + 6 * 5
