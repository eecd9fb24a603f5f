"""Distance probabilities, neighbor counts, and density-based clusters."""
