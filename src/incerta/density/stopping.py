"""When the rest of a sum cannot change it any more."""

# Steps between checks whether the rest can change anything.
STRIDE = 32
# Adding to a number at least this many times as large has no effect in floats.
NEGLIGIBLE = 1e-17
