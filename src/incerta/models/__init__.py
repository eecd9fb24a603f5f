"""Model files: fitted models written and read as data, without executable code."""
