"""Settings of all tests.

Examples are the same for everybody, every time: what turns red has its cause in the
change. `pytest --explore 20` looks further: random examples, twenty times as many, of
the tests that take examples. What it finds is kept as an `@example`.
"""

import re
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import none

from tests import N_EXAMPLES

# What is tested is imported below, where it is needed: the process that hands tests out
# to others needs none of it, and would keep them waiting for two seconds.


def pytest_addoption(parser):
    parser.addoption(
        "--explore",
        type=int,
        metavar="FACTOR",
        help="only tests with examples: random ones, FACTOR times as many",
    )


def pytest_configure(config):
    factor = config.getoption("--explore")
    settings.register_profile(
        "incerta",
        # Not the profile in force: hypothesis has another one where CI is set.
        settings.get_profile("default"),
        # Machines are shared: how long an example takes says nothing.
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        max_examples=N_EXAMPLES * (factor or 1),
        derandomize=factor is None,
        print_blob=True,
    )
    settings.load_profile("incerta")


@pytest.hookimpl(trylast=True)  # hypothesis has marked its tests
def pytest_collection_modifyitems(config, items):
    # Older versions of hypothesis look for who holds their generator when a test takes
    # examples for the first time, and find nobody among what is frozen by then.
    given(none())(lambda nothing: None)()

    if config.getoption("--explore") is None:
        return
    chosen = [item for item in items if item.get_closest_marker("hypothesis")]
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


def pytest_terminal_summary(terminalreporter, config):
    if config.getoption("--explore") is None:
        return
    told = "".join(
        report.__dict__.get("_hypothesis_stats", "")
        for reports in terminalreporter.stats.values()
        for report in reports
    )
    tried = sum(map(int, re.findall(r"(\d+) (?:passing|failing)", told)))
    terminalreporter.write_line(f"{tried:,} examples tried")


@pytest.fixture
def strict(monkeypatch):
    """A device whose arrays have what the standard says, and nothing else."""
    from incerta.backend import device
    from incerta.estimators import _base

    given = pytest.importorskip("array_api_strict", reason="needs the extra test")
    put = device.put

    def to_strict(array, device):
        return given.asarray(array) if device == "strict" else array

    for name, module in list(sys.modules.items()):
        if name.startswith("incerta.") and vars(module).get("put") is put:
            monkeypatch.setattr(module, "put", to_strict)
    monkeypatch.setattr(_base, "check_device", lambda device: None)
    return "strict"


@pytest.fixture
def no_pyarrow(monkeypatch):
    """Read text as where pyarrow is not installed."""
    monkeypatch.setattr("incerta.data.files.text.has_pyarrow", lambda: False)


@pytest.fixture(params=["pyarrow", "csv"])
def library(request):
    """What reads text: pyarrow, or the standard library."""
    if request.param == "pyarrow":
        pytest.importorskip("pyarrow", reason="needs the extra io")
    else:
        request.getfixturevalue("no_pyarrow")
    return request.param


@pytest.fixture
def torch():
    pytest.importorskip("torch", reason="needs the extra gpu")
    return "cpu:0"  # torch's arrays, on the CPU


@pytest.fixture(params=["strict", "torch", pytest.param("cuda", marks=pytest.mark.gpu)])
def where(request):
    """Devices other than the CPU."""
    if request.param == "cuda":
        return "cuda"
    return request.getfixturevalue(request.param)
