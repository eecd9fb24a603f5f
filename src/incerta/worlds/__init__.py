"""What could have been: possible worlds, one value per object."""

from incerta.worlds.sequence import Worlds

__all__ = ["Worlds"]
