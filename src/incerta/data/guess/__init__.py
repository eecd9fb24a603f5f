"""Guesses of the meaning of a table, from names, types and cells."""
