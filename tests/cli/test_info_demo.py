"""``incerta info`` and ``incerta demo``."""

from importlib import import_module

import pytest

import incerta as ic
from tests.cli.conftest import QUICK, WIDE
from tests.extras import needs


def test_what_is_installed(call):
    told = call("info").stdout
    for word in (ic.__version__, "numpy", "threads", "extra fast", "extra report"):
        assert word in told


@needs("jinja2", "report")
def test_an_extra_that_is_not_there(monkeypatch):
    from importlib import metadata

    from incerta.cli.info import _extra

    truly = metadata.version

    def without(name):
        if name == "jinja2":
            raise metadata.PackageNotFoundError(name)
        return truly(name)

    monkeypatch.setattr(metadata, "version", without)
    assert _extra("report") == 'jinja2 is missing; pip install "incerta[report]"'


def test_a_copy_without_its_metadata(monkeypatch):
    from importlib import metadata

    from incerta.cli.info import _extra

    def nothing(name):
        raise metadata.PackageNotFoundError(name)

    module = import_module("incerta.api.result")
    monkeypatch.setattr(module, "version", nothing)
    monkeypatch.setattr(metadata, "requires", nothing)
    told = module.versions()
    assert (told["incerta"], told["numpy"]) == (ic.__version__, "unknown")
    assert "not installed by pip" in _extra("report")


def test_what_is_in_a_table(call, wide):
    data = ic.read_table(wide, id="star", values=["mass", "radius"], errors="{}_error")
    assert call("info", wide, *WIDE).stdout == f"{data!r}\n"


def test_what_is_in_a_model(call, wide, tmp_path):
    from incerta.models.files import save

    call("fit", wide, *QUICK, "-o", tmp_path / "out")
    bare = tmp_path / "bare.incerta"
    data = ic.read_table(wide, id="star", values=["mass", "radius"], errors="{}_error")
    save(ic.UKMeans(3, random_state=0).fit(data), bare)
    told = call("info", tmp_path / "out" / "model.incerta", bare).stdout
    assert "30 objects in 3 clusters by UKMeans" in told
    assert "incerta fit " in told
    assert "--seed 0" in told
    assert "UKMeans(random_state=0)" in told


def test_files_that_are_not_what_they_say(call, tmp_path):
    bad = tmp_path / "bad.incerta"
    bad.write_text("nothing")
    odd = tmp_path / "odd.xyz"
    odd.write_text("nothing")
    gone = tmp_path / "gone.csv"
    for path in (bad, odd, gone):
        done = call("info", path, code=1)
        assert done.stderr.startswith("Error: ")
        assert done.stderr.count("\n") == 1
        assert path.name in done.stderr


@pytest.fixture(scope="module")
def found():
    """What the demo has clustered so far: once is enough for all tests."""
    return {}


@pytest.fixture
def here(tmp_path, monkeypatch, found):
    home = import_module("incerta.api.answer")
    truly = home.cluster

    def remembering(data, k, method, seed):
        if len(data) not in found:
            found[len(data)] = truly(data, k, method, seed)
        return found[len(data)]

    monkeypatch.setattr(home, "cluster", remembering)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def test_demo(call, here):
    done = call("demo", "--no-report")
    assert done.stderr == ""
    assert "values per object" in done.stdout
    assert done.stdout.count("% right") == 4
    assert done.stdout.count("ACC 0.") == 1
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert list(here.iterdir()) == []


def test_demo_ends_in_a_report(call, here):
    pytest.importorskip("jinja2", reason="a report needs the extra report")
    done = call("demo")
    assert done.stdout.endswith("\n\nReport: incerta-demo.html\n")
    assert "incerta demo --seed 0" in (here / "incerta-demo.html").read_text()
    elsewhere = call("demo", "--report", "[other].html").stdout
    assert elsewhere == done.stdout.replace("incerta-demo", "[other]")
    assert (here / "[other].html").is_file()


def test_demo_without_what_a_report_needs(call, here, monkeypatch):
    monkeypatch.setattr("incerta.backend.optional.installed", lambda name: False)
    done = call("demo")
    assert done.stdout.endswith('pip install "incerta[report]"\n')
    assert list(here.iterdir()) == []
