"""Every law holds for every estimator, or is listed with the reason and does not."""

import numpy as np
import pytest

import incerta as ic
from tests.metamorphic.registry import LAWS, LISTED, limit, listed
from tests.metamorphic.subjects import NAMES
from tests.metamorphic.table import PAGE, table

pytestmark = pytest.mark.filterwarnings("ignore")
# What a mistake breaks first; the other laws are slow tests.
QUICK = ("rows", "alone", "×1000")


def cases():
    for name in NAMES:
        for law in LAWS:
            if name in law.about:
                marks = [] if law.name in QUICK else [pytest.mark.slow]
                yield pytest.param(law, name, id=f"{name}-{law.name}", marks=marks)


@pytest.mark.parametrize(("law", "name"), list(cases()))
def test_laws(law, name):
    found, reason = law.difference(name), listed(law, name)
    if reason is None:
        assert found <= limit(law, name), law.says
    else:
        assert found > limit(law, name), "it holds: take it off the list"


def test_what_is_listed_is_there():
    known = {law.name for law in LAWS}
    for each in LISTED:
        assert set(each.laws) <= known
        assert set(each.names) <= set(NAMES)


def test_the_table_in_the_docs():
    assert PAGE.read_text(encoding="utf-8") == table(), (
        "run python -m tests.metamorphic table"
    )


def routes():
    """The same values of the same objects, on several ways into the library."""
    cube = np.random.default_rng(0).normal(size=(12, 4, 2))
    values, ids = cube.reshape(-1, 2), np.repeat(np.arange(12), 4)
    turned = np.arange(48).reshape(12, 4)[:, ::-1].ravel()
    columns = {"id": ids, "x0": values[:, 0], "x1": values[:, 1]}
    halves = [ic.from_samples(values[i], ids[i]) for i in (ids < 5, ids >= 5)]
    return {
        "samples": ic.from_samples(values, ids),
        "in another order": ic.from_samples(values[turned], ids),
        "equal weights": ic.from_samples(values, ids, np.full(48, 0.3)),
        "a table": ic.from_frame(columns, id="id", values=["x0", "x1"]),
        "in two parts": ic.concat(halves),
        "an array": ic.from_array(cube),
    }


def test_all_ways_into_the_library_give_the_same_worlds():
    ways = routes()
    worlds = {name: data.worlds(9, 0).stack() for name, data in ways.items()}
    expected = worlds.pop("samples")
    # Values of an array stay where they are, so that worlds take others of them.
    array = worlds.pop("an array")
    assert not np.array_equal(array, expected)
    np.testing.assert_allclose(ways["an array"].mean(), ways["samples"].mean())
    for name, found in worlds.items():
        np.testing.assert_array_equal(found, expected, name)
