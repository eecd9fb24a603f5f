"""Find the few directions in which objects differ by more than errors and noise."""

from incerta.directions.transformer import Directions

__all__ = ["Directions"]
