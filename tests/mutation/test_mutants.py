import ast
from pathlib import Path

import pytest

from tests.mutation.__main__ import modules, own_tests
from tests.mutation.mutants import mutants
from tests.mutation.trial import ROOT, SOURCE


def wrongs(text):
    return [ast.unparse(ast.parse(each.applied(text))) for each in mutants(text)]


@pytest.mark.parametrize(
    ("right", "expected"),
    [
        ("a + b", ["a - b", "a"]),
        ("a ** 2", ["a * 2", "a ** 3"]),
        ("20 * a", ["20 / a", "40 * a"]),
        ("a < 0.5", ["a <= 0.5", "a < 1.0"]),
        ("a and not b", ["a or not b", "a and b"]),
        ("f(-x, min, np.any)", ["f(x, min, np.any)", "f(-x, max, np.any)"]),
        ("x = True", ["x = False"]),
        ("n: int = 3", ["n: int = 4"]),
    ],
)
def test_an_operator_a_constant_or_a_term(right, expected):
    assert set(wrongs(right)) >= {ast.unparse(ast.parse(each)) for each in expected}


def test_what_only_people_read_stays():
    types = "def f(a: 'b | c' = None) -> int | None:\n    raise ValueError(1 + 1)\n"
    assert wrongs('"1 + 1"\n' + types) == []


def test_letters_of_more_bytes_do_not_move_the_place():
    assert "é = 'ü' + a - b" not in wrongs("é = a + b")
    assert "é = a - b" in wrongs("é = a + b")


def test_modules_can_be_compiled_with_any_mistake():
    text = (Path(__file__).parents[2] / "src/incerta/lloyd.py").read_text()
    found = mutants(text)
    assert len(found) > 50
    for mutant in found:
        assert mutant.applied(text) != text
        ast.parse(mutant.applied(text))


def test_every_mistake_can_be_noticed_in_some_room():
    for file in modules([], None):
        places = [place.partition("::")[0] for place in own_tests(file)]
        if not all((ROOT / place).exists() for place in places):
            assert mutants((SOURCE / file).read_text(encoding="utf-8")) == [], file
