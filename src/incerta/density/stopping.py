"""When the rest of a sum can no longer change it."""

# Steps between two looks at whether the rest can still change anything.
STRIDE = 32
# What is added to a number at least this many times as large is lost in rounding.
NEGLIGIBLE = 1e-17
