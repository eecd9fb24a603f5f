"""Selection of representative worlds (Eqs. 1 and 7)."""

from incerta.selection.keeping import Kept, keep_worlds, random_worlds, representatives

__all__ = ["Kept", "keep_worlds", "random_worlds", "representatives"]
