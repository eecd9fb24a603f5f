"""Expected distances and affinities between uncertain objects."""
