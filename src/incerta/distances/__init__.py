"""How far apart uncertain objects are, in expectation."""
