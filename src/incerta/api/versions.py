"""What a result was made with."""

import platform
from importlib.metadata import PackageNotFoundError, version

from incerta.version import __version__

BELOW = ("numpy", "scipy", "scikit-learn")


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that make the numbers."""
    return {
        "python": platform.python_version(),
        "incerta": __version__,
        **{name: _version(name) for name in BELOW},
    }


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:  # a copy of its files alone
        return "unknown"
