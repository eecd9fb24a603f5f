"""What ``incerta fit --dry-run`` says: time and memory, before anything is done."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from incerta.cli.summary import echo
from incerta.wording import counted

if TYPE_CHECKING:
    from incerta.cost.model import Size
    from incerta.cost.trial import Trial
    from incerta.data import UncertainData

# Of all methods the one that takes the most objects.
CHEAPEST = "UKMeans"
LONG = 600.0  # seconds
NOTHING = "Nothing was fitted or written."
KINDS = {
    "exact": "without uncertainty",
    "errors": "with errors",
    "values": "with {:.3g} values each",
}


def tell_cost(
    data: "UncertainData",
    k: int | str,
    method: str,
    reading: float,
    params: Mapping[str, Any],
) -> None:
    """Print what a fit would cost.

    Parameters
    ----------
    data : UncertainData
        The objects.
    k, method
        As for `incerta.cluster`.
    reading : float
        Seconds that it took to read them.
    params : mapping of str
        As for `incerta.cluster`.
    """
    from incerta.backend.memory import physical_bytes
    from incerta.cost.forecast import forecast, start_seconds

    found = forecast(data, k, method, params)
    before = start_seconds() + reading
    whole = before + sum(found.seconds.values())
    parts = [f"{name} {duration(each)}" for name, each in found.seconds.items()]
    kind = KINDS[found.kind].format(found.size.n_values)
    there = physical_bytes()
    for heading, text in {
        "objects": f"{len(data)}, {kind}, in {counted(data.n_features, 'feature')}",
        "method": ", then ".join(found.seconds),
        "time": f"about {duration(whole)} on one core: start and reading "
        f"{duration(before)}, {', '.join(parts)}",
        "memory": f"about {amount(found.bytes)}; this machine has {amount(there)}",
    }.items():
        echo(f"{heading:<10} {text}")
    if found.trial is None:
        echo(f"Good to a factor of two for most data. {NOTHING}")
        if set(params) - {"n_worlds"}:
            echo("Of the parameters only n_worlds is taken into account.")
    else:
        echo(_tried(found.trial, found.size, method))
        echo(NOTHING)
    if (whole > LONG or found.bytes > there) and method != CHEAPEST:
        other = forecast(data, k, CHEAPEST)
        seconds = before + sum(other.seconds.values())
        echo(
            f"--method {CHEAPEST} takes about {duration(seconds)} and "
            f"{amount(other.bytes)}."
        )


def _tried(trial: "Trial", size: "Size", method: str) -> str:
    """Where the time of a clusterer of scikit-learn comes from."""
    of = counted(trial.n_objects, "object")
    told = (
        f"One world of {of} took {method} {trial.seconds:.2g} s; there are "
        f"{counted(size.n_worlds, 'world')}."
    )
    if size.n_objects > trial.n_objects:
        told += (
            f"\nTime was seen to grow as n^{trial.power:.1f}; beyond {of} that is a "
            "guess."
        )
    return told


def duration(seconds: float) -> str:
    """A time in two digits, such as 4.5 s, 12 min or 3 h."""
    for unit, size in (("days", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= 1.5 * size:
            return f"{_two_digits(seconds / size)} {unit}"
    return f"{_two_digits(seconds)} s"


def amount(size: float) -> str:
    """An amount of memory in two digits, such as 150 MB or 2.1 GB."""
    if size >= 1e12:
        return f"{_two_digits(size / 1e12)} TB"
    return f"{_two_digits(size / 1e9)} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def _two_digits(number: float) -> str:
    return f"{number:.0f}" if number >= 10 else f"{number:.1f}"
