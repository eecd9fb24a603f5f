"""Which worlds speak for the rest (Eqs. 1 and 7)."""

from incerta.selection.choosing import random_worlds, representatives

__all__ = ["random_worlds", "representatives"]
