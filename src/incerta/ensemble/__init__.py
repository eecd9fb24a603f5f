"""Many clusterings, one per world: run them, compare them, make one of them."""
