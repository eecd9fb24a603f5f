"""What the project promises about itself."""

import doctest
import re
import runpy
import subprocess
import sys
import tomllib
from contextlib import chdir
from pathlib import Path

import pytest

import incerta as ic

ROOT = Path(__file__).parent.parent


def tracked_files():
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name]


def commands_of_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^    (python3 -m venv .+)$", text, re.MULTILINE)


def test_ci_runs_the_commands_of_the_readme():
    first, second = commands_of_readme()
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert f'bash -c "{first}"' in script
    assert f"\n{second}\n" in script


def test_picture_of_the_rooms_is_drawn_from_the_rules():
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = rules["tool"]["importlinter"]["contracts"][0]["layers"]
    line = " → ".join(layer.replace("incerta.", "") for layer in layers)
    words = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split()
    assert line in " ".join(words), line


PAGES = ["README.md", *sorted(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.rst"))]


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.filterwarnings("default")
def test_examples_of_the_pages_run(page, capsys):
    with chdir(ROOT):
        failed, _ = doctest.testfile(page, False, optionflags=doctest.ELLIPSIS)
    assert not failed, capsys.readouterr().out


def test_the_other_code_of_the_readme_runs():
    # Blocks without prompts, about data of the reader's own.
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.+?)^```", text, re.MULTILINE | re.DOTALL)
    (block,) = (each for each in blocks if ">>>" not in each)
    survey = "county,income,income_moe\nA,1,0.1\nB,2,0.2\n"
    prepared = f"""
import os, tempfile
from scipy import stats
os.chdir(tempfile.mkdtemp())
open("survey.csv", "w").write({survey!r})
mean = errors = low = [[1.0], [2.0]]
high, values, objects = [[3.0], [4.0]], [[1.0], [2.0], [3.0]], [0, 0, 1]
counts, hours = [[3, 4], [1, 9]], [1.0, 2.0]
ensemble, rows = [mean, low], [[stats.norm(0, 1)], [stats.norm(1, 1)]]
df = dict(star=["a", "b"], mass=[1, 2], radius=[3, 4])
df |= dict(mass_error=[0.1, 0.2], radius_error=[0.1, 0.2])
"""
    done = subprocess.run(
        [sys.executable, "-c", prepared + block], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_readme_shows_the_table_of_real_sets():
    table = (ROOT / "docs" / "measured" / "real.txt").read_text(encoding="utf-8")
    head, *rows = table.partition("\n\n")[2].splitlines()
    shown = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 5
    assert not {f"    {line}" for line in (head, *rows)} - set(shown)


def test_no_lock_file_and_no_foreign_path():
    # Spelled in pieces, so that this file passes its own test.
    forbidden = re.compile("|".join(["/wo" + "rk/", "/ro" + "ot/", "pypi" + r"\.org"]))
    for path in tracked_files():
        assert path.name != "uv.lock"
        if path.suffix in {".py", ".md", ".toml", ".cff", ".rst", ".yml"}:
            found = forbidden.search(path.read_text(encoding="utf-8"))
            assert not found, (path, found)


def test_modules_stay_readable():
    for path in (ROOT / "src").rglob("*.py"):
        assert path.stem not in {"utils", "helpers", "common", "core", "lib"}


@pytest.mark.parametrize("name", [n for n in ic.__all__ if n != "__version__"])
def test_public_names_exist_and_are_documented(name):
    thing = getattr(ic, name)
    assert thing.__doc__
    if callable(thing):
        assert ">>>" in thing.__doc__, f"{name} has no example"
    assert name in dir(ic)


def test_unknown_name():
    with pytest.raises(AttributeError, match="RPX"):
        ic.RPX  # noqa: B018


def test_public_names_are_in_the_reference():
    # So that they are links wherever they are named.
    listed = (ROOT / "docs" / "reference.rst").read_text(encoding="utf-8").split()
    things = [n for n in ic.__all__ if callable(getattr(ic, n))]
    assert {"UKMeans", "read_table"} <= set(things) <= set(listed)


def test_versions_of_the_pages(tmp_path):
    for name in ("dev", "0.9.1", "0.10.0", "pictures"):
        (tmp_path / name).mkdir()
        if name != "pictures":
            (tmp_path / name / "index.html").touch()
    runpy.run_path(str(ROOT / "docs" / "versions.py"))["publish"](tmp_path)
    told = (tmp_path / "versions.js").read_text(encoding="utf-8")
    assert told == 'showVersions(["0.10.0", "0.9.1", "dev"]);\n'
    assert "url=0.10.0/index.html" in (tmp_path / "index.html").read_text("utf-8")
