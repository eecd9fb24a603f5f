"""What belongs to no command: help, version, errors, and how little is imported."""

import shutil
import subprocess
import sys
import sysconfig
from importlib import import_module

import pytest
import typer

import incerta as ic
from incerta.cli.app import app
from tests.cli.conftest import MAIN, QUICK, WIDE, environment

COMMANDS = ("fit", "predict", "compare", "demo", "info")
HEAVY = {"numpy", "scipy", "sklearn", "pandas", "narwhals", "joblib", "rich"}
LOADED = """
import sys
import typer
theirs = set(sys.modules)  # older ones bring rich
from incerta.cli import main
try:
    main()
except SystemExit:
    print(*(sys.modules.keys() - theirs), file=sys.stderr)
"""


def test_version(run):
    done = run("--version")
    assert done.stdout == f"incerta {ic.__version__}\n"
    assert (done.returncode, done.stderr) == (0, "")


def test_cite_names_us_and_the_paper(call):
    cited = call("--cite").stdout
    assert "incerta: clustering data" in cited
    assert "Representative Possible Worlds" in cited


@pytest.mark.parametrize("arguments", [("--help",), ("fit", "-h"), ("--version",)])
def test_help_is_light(arguments):
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *arguments], capture_output=True, text=True
    )
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "incerta" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize("command", [None, *COMMANDS])
@pytest.mark.parametrize("width", [80, 200])
def test_help_wraps_in_80_columns_and_cuts_no_word(call, command, width):
    wide = {"COLUMNS": str(width), "TERMINAL_WIDTH": str(width)}
    told = call(*([] if command is None else [command]), "--help", **wide).stdout
    assert max(map(len, told.splitlines())) <= 80
    flat = " ".join(told.split())
    group = typer.main.get_command(app)
    chosen = group if command is None else group.commands[command]
    for parameter in chosen.params:
        if getattr(parameter, "help", None):
            assert " ".join(parameter.help.split()) in flat, parameter.name
    assert " ".join(chosen.help.split("\f")[0].split()) in flat
    if command is None:
        assert "...\n" not in told.partition("Commands:")[2]


def test_help_documents_the_exit_codes(call):
    told = call("--help").stdout
    for code in (" 0 ", " 1 ", " 2 ", " 130 "):
        assert code in told.partition("Exit codes:")[2]


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("demo", "--sede", "3"),
        ("fit",),
        ("fit", "x.csv", "--values", "a", "-k", "0"),
        ("fit", "x.csv", "--values", "a", "-k", "some"),
        ("fit", "x.csv", "--values", "a", "--method", "magic"),
        ("fit", "x.csv", "--values", "a", "--kind", "guess"),
        ("fit", "x.csv", "--values", "a", "--missing", "hide"),
        ("fit", "x.csv", "--values", "a", "--format", "xls"),
        ("fit", "x.csv", "--values", "a", "--seed", "-1"),
        ("fit", "x.csv", "--values", "a", "--report"),
        ("fit", "x.csv", "--values", "a", "--sample", "b"),
        ("compare", "x.csv", "--values", "a", "--methods", "RPC,magic"),
        ("predict", "model.incerta"),
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_with_2(call, arguments):
    done = call(*arguments, code=2)
    assert done.stdout == ""
    assert "Usage: " in done.stderr


@pytest.mark.parametrize(
    ("table", "arguments", "said"),
    [
        ("a,b\n1,2\n", ("--values", "c"), "values: there is no column 'c'"),
        ("a\n1\nx\n", ("--values", "a"), "column 'a' must hold numbers; line 3: 'x'"),
        ("a\n1\n\n", ("--values", "a", "-k", "3"), "k=3 exceeds"),
        ("a,b\n1,\n2,3\n", ("--values", "a,b"), "missing"),
        ("", ("--values", "a"), "stdin is empty"),
        ("a;b\n1;2\n", ("--values", "a", "--sep", ","), "There are: 'a;b'"),
        (
            "a,b\n1,2\n3,x\n",
            ("--values", "a,b"),
            "column 'b' must hold numbers; line 3",
        ),
        ("a,b\n1,2\n3,x\n", ("--values", "a,b"), "pass --na x."),
        ("a;b\n1,234;2\n", ("--values", "a"), "Pass --decimal , for 1.234"),
    ],
)
def test_bad_data_exit_with_1_and_one_line(call, table, arguments, said):
    done = call("fit", "-", "-k", "2", *arguments, input=table, code=1)
    assert done.stdout == ""
    assert done.stderr.startswith("Error: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert "/tmp" not in done.stderr


def test_a_file_that_is_not_there(call, tmp_path):
    done = call("fit", tmp_path / "none.csv", "--values", "a", code=1)
    assert done.stderr == f"Error: there is no file {tmp_path / 'none.csv'}.\n"


@pytest.mark.slow
def test_debug_shows_where(program, tmp_path):
    command = program(MAIN, "--debug", "fit", tmp_path / "none.csv", "--values", "a")
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "there is no file" in done.stderr


def test_a_mistake_of_ours_is_called_one(call, wide, monkeypatch):
    def broken(*_, **__):
        raise AttributeError("no such thing")

    monkeypatch.setattr(import_module("incerta.api.answer"), "cluster", broken)
    done = call("fit", wide, *WIDE, code=1)
    assert "AttributeError: no such thing" in done.stderr
    assert "--debug" in done.stderr
    assert done.stderr.count("\n") == 1


def test_too_little_memory(call, wide, monkeypatch):
    def hungry(*_, **__):
        raise MemoryError

    monkeypatch.setattr(import_module("incerta.api.answer"), "cluster", hungry)
    done = call("fit", wide, *WIDE, code=1)
    assert done.stderr == "Error: there is not enough memory.\n"


def test_a_missing_extra_is_named_before_the_work(call, wide, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    out = tmp_path / "out"
    done = call("fit", wide, *QUICK, "-o", out, "--report", code=1)
    assert 'pip install "incerta[report]"' in done.stderr
    done = call("fit", wide, *QUICK, "-o", out, "--format", "parquet", code=1)
    assert 'pip install "incerta[io]"' in done.stderr
    assert not out.exists()


def test_completion_knows_methods():
    program = shutil.which("incerta", path=sysconfig.get_path("scripts"))
    if program is None:
        pytest.skip("the program incerta is not installed beside this Python")
    asked = {
        "_INCERTA_COMPLETE": "complete_bash",
        "COMP_WORDS": "incerta fit x.csv --method UK",
        "COMP_CWORD": "4",
    }
    done = subprocess.run(
        [program], env=environment(**asked), capture_output=True, text=True
    )
    assert done.stdout.split() == ["UKMeans", "UKMedoids"]
