"""What runs the loops that numpy is slow at: numba, if it is installed."""

from importlib.util import find_spec

ENGINES = ("auto", "numpy", "numba")


def engine_for(asked: str) -> str:
    """Turn "auto" into "numba", where the extra ``fast`` is installed, or "numpy"."""
    if asked not in ENGINES:
        msg = f"engine={asked!r} must be 'auto', 'numpy' or 'numba'."
        raise ValueError(msg)
    if asked != "auto":
        return asked
    return "numba" if find_spec("numba") else "numpy"
