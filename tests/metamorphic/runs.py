"""Laws about runs: the same again, and on several cores."""

from joblib import parallel_config

from tests.metamorphic.law import Law
from tests.metamorphic.subjects import NAMES, answer, apart, fitted, made, task, usual


def again(name, kind):
    some = task(kind)
    return apart(usual(name, kind)[1], answer(name, fitted(name, some), some))


def on_two(name, kind):
    some = task(kind)
    with parallel_config("threading"):  # no processes to start
        model = fitted(name, some, n_jobs=2)
        return apart(usual(name, kind)[1], answer(name, model, some))


LAWS = (
    Law(
        "again",
        "A second fit has the same seed.",
        ("errors",),
        compared=again,
        exact=True,
    ),
    Law(
        "n_jobs",
        "Two cores work instead of one.",
        ("errors",),
        compared=on_two,
        exact=True,
        about=frozenset(n for n in NAMES if "n_jobs" in made(n).get_params()),
    ),
)
