"""Which parts a call of `cluster` has, and what each will cost."""

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from incerta.api.methods import asked, check_takes_number
from incerta.cost.model import Cost, Size, expected, measured, slowness
from incerta.cost.trial import Trial, cost_in_worlds, tried
from incerta.data.container import UncertainData
from incerta.data.laws import Values
from incerta.data.meaning import certain, of_errors
from incerta.estimators.named import IN_WORLDS, made

# Where the number of clusters is not known yet.
SOME_CLUSTERS = 4


class Forecast(NamedTuple):
    """What a clustering will cost on this machine."""

    seconds: dict[str, float]  # of each part, by name, in order
    bytes: float
    size: Size
    kind: str
    trial: Trial | None = None  # of a clusterer of scikit-learn


def forecast(
    data: UncertainData,
    k: int | str = "auto",
    method: str = "auto",
    params: Mapping[str, Any] | None = None,
) -> Forecast:
    """Say what ``cluster(data, k, method)`` will cost, without doing it.

    Parameters
    ----------
    data : UncertainData
        The objects.
    k : int or "auto", default="auto"
        As for `cluster`.
    method : str, default="auto"
        As for `cluster`.
    params : mapping of str, optional
        As for `cluster`; of these only the number of worlds counts, but all count for
        clusterers of scikit-learn.

    Returns
    -------
    Forecast
        Time is that of one core; start of the program and reading are not in it.

    Notes
    -----
    Takes a fraction of a second, for a small piece of work that tells how fast this
    machine is; a clusterer of scikit-learn is tried in one world of at most 500
    objects. Good to a factor of two for data like those of ``benchmarks/cost.py``;
    what depends on the data themselves (how many objects are near each other, how soon
    iterations end) is not seen.

    Examples
    --------
    >>> import incerta as ic
    >>> from incerta.cost.forecast import forecast
    >>> data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=1)
    >>> list(forecast(data, "auto").seconds)
    ['choose_k', 'ViewConsensus']
    """
    wanted = asked(method, params)
    name = wanted.name
    if isinstance(k, int):
        check_takes_number(wanted, k)
    kind = kind_of(data)
    n_clusters = k if isinstance(k, int) else SOME_CLUSTERS
    size = size_of(data, n_clusters, _n_worlds(wanted.estimator))
    costs: dict[str, Cost] = {}
    if k == "auto" and not wanted.finds_number:
        costs["choose_k"] = expected("choose_k", kind, size)
    in_worlds = name in IN_WORLDS
    costs[name] = (cost_in_worlds if in_worlds else partial(expected, name))(kind, size)
    seconds = {part: slowness() * cost.seconds for part, cost in costs.items()}
    trial = None
    if in_worlds:
        model = wanted.with_number(n_clusters) if wanted.numbers else wanted.estimator
        trial = tried(model, data)
        seconds[name] += size.n_worlds * trial.seconds_for(len(data))
    most = max(cost.bytes for cost in costs.values())
    return Forecast(seconds, most, size, kind, trial)


def start_seconds() -> float:
    """What it takes to load the library, on this machine."""
    return slowness() * float(measured()["start_seconds"])


def kind_of(data: UncertainData) -> str:
    """Which of the measured kinds data are, or are most like."""
    if certain(data):
        return "exact"
    # Other laws than values are drawn from, as errors are.
    many = isinstance(data.law, Values) or data.joint
    return "values" if many and not of_errors(data) else "errors"


def size_of(data: UncertainData, n_clusters: int, n_worlds: int) -> Size:
    """What the cost depends on."""
    n_values = 1.0
    if data.n_draws is not None:
        n_values = float(data.n_draws)
    elif isinstance(data.law, Values):
        n_values = float(np.mean(data.law.counts))
    return Size(len(data), data.n_features, n_values, n_clusters, n_worlds)


def worlds_of_method(name: str) -> int:
    """Number of worlds that a method draws by default; 1 if it draws none."""
    return _n_worlds(made(name))


def _n_worlds(model: Any) -> int:
    return int(model.get_params().get("n_worlds", 1))
