"""Possible worlds of uncertain data, each with one value per object."""

from incerta.worlds.sequence import Worlds, as_worlds

__all__ = ["Worlds", "as_worlds"]
