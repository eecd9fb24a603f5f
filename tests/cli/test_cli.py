import subprocess
import sys

import pytest

import incerta as ic

IMPORTS = "import sys; import incerta.cli; print(*sys.modules)"


def run(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-c", "from incerta.cli import main; main()", *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**__import__("os").environ, "COLUMNS": "80", **environment},
    )


def test_version():
    done = run("--version")
    assert done.stdout == f"incerta {ic.__version__}\n"
    assert (done.returncode, done.stderr) == (0, "")


def test_cite_names_us_and_the_paper():
    done = run("--cite")
    assert "incerta: clustering data" in done.stdout
    assert "Representative Possible Worlds" in done.stdout
    assert done.returncode == 0


def test_demo():
    done = run("demo")
    assert (done.returncode, done.stderr) == (0, "")
    assert "values per object" in done.stdout
    assert "ACC 0." in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert done.stdout == run("demo").stdout


@pytest.mark.parametrize("arguments", [("nonsense",), ("demo", "--sede", "3")])
def test_wrong_calls_exit_with_2(arguments):
    done = run(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""


def test_help_is_light():
    loaded = subprocess.run(
        [sys.executable, "-c", IMPORTS], capture_output=True, text=True, check=True
    ).stdout.split()
    heavy = {"numpy", "scipy", "sklearn", "pandas", "narwhals", "joblib"}
    assert not {name.partition(".")[0] for name in loaded} & heavy
