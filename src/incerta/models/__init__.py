"""Model files: what a fitted model is made of, written and read without any code."""

from incerta.models.files import load, save

__all__ = ["load", "save"]
