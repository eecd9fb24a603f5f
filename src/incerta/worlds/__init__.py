"""What could have been: possible worlds, one value per object."""

from incerta.worlds.sequence import Worlds, as_worlds

__all__ = ["Worlds", "as_worlds"]
