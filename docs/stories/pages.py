"""Run the commands of the stories, and put their output into the pages.

python docs/stories/pages.py    # two minutes; writes the pages and their pictures

A command begins with ``$`` in a console block, goes on with ``>``, and is followed by
what it prints. The page of the engineer is Python, and checked by doctest.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
PYTHON_PAGE = "engineer"
INDENT = "    "


class Story(NamedTuple):
    """The data of a page."""

    file: str
    model: str  # the output folder of its commands
    features: tuple[str, str]  # features to draw
    least: float  # least score
    member: str | None = None
    file_of_model: str = "model.incerta"


STORIES = {
    "astronomer": Story(
        "gaia", "stars", ("pmra", "pmdec"), 0.95, "cluster", "members.incerta"
    ),
    "demographer": Story("counties", "kinds", ("income", "age"), 0.94),
    "biologist": Story("cultures", "groups", ("CD4", "CD8"), 0.90),
    "climatologist": Story("forecast", "air", ("temperature", "wind"), 0.90),
    "engineer": Story("embeddings", "items", ("e1", "e3"), 0.94),
    "newcomer": Story("plants", "out", ("height", "petal"), 0.94),
}


class Step(NamedTuple):
    """A command, and its output in the page."""

    command: str
    printed: str


def steps(page):
    """Return the commands of a page, in order."""
    return [step for block in _blocks(page) for step in _steps_of(block)]


def _blocks(page):
    pattern = r"^\.\. code-block:: console\n\n((?:    .*\n|\n)+)"
    return re.findall(pattern, page, re.MULTILINE)


def _steps_of(block):
    lines = [line.removeprefix(INDENT) for line in block.rstrip("\n").split("\n")]
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif line.startswith("> ") and not found[-1][1]:
            found[-1][0].append(line[2:])
        else:
            found[-1][1].append(line)
    return [Step("\n".join(said), "\n".join(out)) for said, out in found]


def prepared(folder):
    """Copy the files for the commands into a folder."""
    for path in [*HERE.glob("*.csv"), HERE / "check.py"]:
        shutil.copy(path, folder)
    return folder


def run(command, folder):
    """Return the output of a command, stdout and stderr, in a separate shell."""
    programs = str(Path(sys.executable).parent)
    own = {"PATH": f"{programs}{os.pathsep}{os.environ['PATH']}", "COLUMNS": "80"}
    # One thread: idle ones of BLAS cost as much time as those at work.
    own |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | own,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    lines = (line.rstrip() for line in done.stdout.rstrip().split("\n"))
    return "\n".join(lines)


def rewritten(page, folder):
    """Return the page with the present output of its commands."""
    for block in _blocks(page):
        lines = []
        for command, _ in _steps_of(block):
            first, *others = command.split("\n")
            lines += [f"$ {first}", *(f"> {line}" for line in others)]
            lines += run(command, folder).split("\n")
        text = "".join(f"{INDENT}{line}".rstrip() + "\n" for line in lines)
        page = page.replace(block.rstrip("\n") + "\n", text)
    return page


def main(names):
    from draw import draw

    for name in names or STORIES:
        path = HERE / f"{name}.rst"
        with tempfile.TemporaryDirectory() as place:
            folder = prepared(Path(place))
            if name == PYTHON_PAGE:
                print(run(f"python -m doctest {path}", folder))
            else:
                page = path.read_text(encoding="utf-8")
                path.write_text(rewritten(page, folder), encoding="utf-8")
            draw(STORIES[name], folder, HERE / f"{name}.png")
            print(path.name, flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
