"""Several ways to cluster one set of values, and their consensus."""
