"""What is handed out: archives, a conda recipe, an image, a citation."""

import json
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest

import incerta as ic
from incerta.cli.app import CITATION
from tests.extras import needs
from tests.test_project import ROOT, tracked_files

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
# What serves a clone alone.
NOT_IN_SDIST = (".github/*", ".gitignore", ".pre-commit-config.yaml")
# Bytes of a file and of all that is handed out.
LIMITS = {".whl": (1_500_000, 3_000_000), ".gz": (2_000_000, 5_000_000)}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Both archives; the wheel is built from what is in the other one."""
    folder = tmp_path_factory.mktemp("built")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "-o", folder, ROOT],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    wheel, sdist = (next(folder.glob(f"*{ending}")) for ending in (".whl", ".tar.gz"))
    return wheel, sdist


def contents(archive):
    """Names and bytes of the files in an archive."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            return {name: opened.read(name) for name in opened.namelist()}
    with tarfile.open(archive) as opened:
        files = [member for member in opened if member.isfile()]
        return {f.name.partition("/")[2]: opened.extractfile(f).read() for f in files}


@pytest.mark.slow
@needs("build", "release")
@needs("twine", "release")
def test_archives(built):
    done = subprocess.run(
        [sys.executable, "-m", "twine", "check", "--strict", *built],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    for archive in built:
        files = contents(archive)
        of_file, of_all = LIMITS[archive.suffix]
        assert archive.stat().st_size <= of_all, archive.name
        for name, content in files.items():
            assert len(content) <= of_file, name
            assert not name.startswith("/"), name
            assert ".." not in Path(name).parts, name
            assert str(ROOT).encode() not in content, name
    _check_wheel(contents(built[0]))
    _check_sdist(contents(built[1]))


def _check_wheel(files):
    info = f"incerta-{ic.__version__}.dist-info"
    assert {name.partition("/")[0] for name in files} == {"incerta", info}
    inside = {name for name in files if not name.startswith(info)}
    source = {
        str(path.relative_to(ROOT / "src"))
        for path in tracked_files()
        if path.is_relative_to(ROOT / "src")
    }
    assert source <= inside  # py.typed, *.pyi, data and templates among them
    assert {"incerta/py.typed", "incerta/__init__.pyi"} <= inside
    assert {Path(name).suffix for name in inside - source} <= {".js", ".json", ".txt"}
    assert f"{info}/licenses/LICENSE" in files
    metadata = files[f"{info}/METADATA"].decode()
    assert f"\nVersion: {ic.__version__}\n" in metadata
    assert "\nLicense-Expression: BSD-3-Clause\n" in metadata
    assert b"incerta = incerta.cli:main" in files[f"{info}/entry_points.txt"]


def _check_sdist(files):
    tracked = {str(path.relative_to(ROOT)) for path in tracked_files()}
    left_out = {
        name
        for name in tracked - set(files)
        if not any(fnmatch(name, pattern) for pattern in NOT_IN_SDIST)
    }
    assert not left_out


def requirement(text):
    """Name and lowest version."""
    return re.fullmatch(r"([\w.-]+) ?>=([\w.]+)", text).groups()


def test_the_conda_recipe_agrees():
    yaml = pytest.importorskip("yaml", reason="needs pyyaml")
    text = (ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    recipe = yaml.safe_load(text)
    assert recipe["context"]["version"] == ic.__version__
    assert recipe["build"]["noarch"] == "python"
    (script,) = PROJECT["scripts"].items()
    assert recipe["build"]["python"]["entry_points"] == [" = ".join(script)]
    python = f"python {PROJECT['requires-python']}"
    run = recipe["requirements"]["run"]
    assert run[0] == recipe["requirements"]["host"][0] == python
    needed = PROJECT["dependencies"] + PROJECT["optional-dependencies"]["cli"]
    assert dict(map(requirement, run[1:])) == dict(map(requirement, needed))
    other_names = {"matplotlib-base": "matplotlib", "pytorch": "torch"}
    other_names |= {"dask-core": "dask"}
    extras = {
        requirement(each)
        for some in PROJECT["optional-dependencies"].values()
        for each in some
        if re.fullmatch(r"[\w.-]+>=[\w.]+", each)
    }
    for name, lowest in map(requirement, recipe["requirements"]["run_constraints"]):
        assert (other_names.get(name, name), lowest) in extras, name
    about = recipe["about"]
    assert about["summary"] == PROJECT["description"]
    assert about["license"] == PROJECT["license"]
    assert [about["license_file"]] == PROJECT["license-files"]


@pytest.fixture
def steps():
    """Instructions of the Dockerfile, in order."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [line.split(" ", 1) for line in lines]


def test_the_image_is_small_and_not_run_by_root(steps):
    assert {word for word, _ in steps}.isdisjoint({"ADD", "MAINTAINER", "SHELL"})
    bases = [rest.split()[0] for word, rest in steps if word == "FROM"]
    for base in bases:
        lowest = int(PROJECT["requires-python"].rpartition(".")[2])
        minor, _, kind = base.removeprefix("python:3.").partition("-")
        assert int(minor) >= lowest
        assert kind == "slim"
    assert len(set(bases)) == 1  # an environment is moved from one to the other
    last = max(number for number, (word, _) in enumerate(steps) if word == "FROM")
    final = dict(steps[last:])
    assert final["USER"] not in {"root", "0"}
    order = [word for word, _ in steps[last:]]
    assert order.index("USER") < order.index("ENTRYPOINT")
    assert json.loads(final["ENTRYPOINT"]) == list(PROJECT["scripts"])
    assert isinstance(json.loads(final["CMD"]), list)
    for word, rest in steps:
        assert "sudo" not in rest
        if word == "RUN" and "pip install" in rest:
            assert "--no-cache-dir" in rest
            (extras,) = re.findall(r"\.\[(.+?)\]", rest)
            assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])


def test_the_image_is_built_from_the_package_alone():
    text = (ROOT / ".dockerignore").read_text(encoding="utf-8")
    rules = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert rules[0] == "*"
    let_in = {rule[1:] for rule in rules if rule.startswith("!")}
    needed = {"pyproject.toml", PROJECT["readme"], *PROJECT["license-files"]}
    needed |= {"src"}
    assert let_in == needed
    assert all((ROOT / name).exists() for name in let_in)


def docker_runs():
    """Whether there is an engine; the client alone builds nothing."""
    if shutil.which("docker") is None:
        return False
    return subprocess.run(["docker", "info"], capture_output=True).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(not docker_runs(), reason="no docker engine runs here")
def test_the_image_runs():
    subprocess.run(["docker", "build", "-q", "-t", "incerta-test", ROOT], check=True)
    done = subprocess.run(
        ["docker", "run", "--rm", "incerta-test", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"incerta {ic.__version__}\n"


def test_the_citations_agree():
    cff = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {ic.__version__}\n" in cff
    for title in re.findall(r'^ *title: "(.+)"$', cff, re.MULTILINE):
        assert title in " ".join(CITATION.split())
    for family in re.findall(r"family-names: (\w+)", cff):
        assert f"{family}, " in CITATION
    # Where the project lives is said in all three places or, as long as it has no
    # address, in none.
    address = PROJECT.get("urls", {}).get("Repository")
    told = re.findall(r"^repository-code: \"?(.+?)\"?$", cff, re.MULTILINE)
    assert told == ([] if address is None else [address])
    assert re.findall(r"url += \{(.+)\}", CITATION) == told


def test_licenses_of_all_that_is_brought():
    pytest.importorskip("packaging", reason="needs the package packaging")
    checked = subprocess.run(
        [sys.executable, ROOT / ".ci" / "licenses.py"], capture_output=True, text=True
    )
    if "PackageNotFoundError" in checked.stderr or "not installed" in checked.stdout:
        pytest.skip("not all extras are installed")
    assert checked.returncode == 0, checked.stdout


def test_actions_are_pinned():
    workflows = ROOT / ".github" / "workflows"
    if not workflows.is_dir():
        pytest.skip("not a clone")
    used = [
        line
        for path in workflows.iterdir()
        for line in path.read_text(encoding="utf-8").splitlines()
        if "uses:" in line
    ]
    assert used
    for line in used:
        assert re.search(r"uses: [\w/-]+@[0-9a-f]{40}  # v[0-9.]+$", line), line
