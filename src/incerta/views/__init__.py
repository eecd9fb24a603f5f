"""Several unlike ways to look at one set of values, and what they agree on."""
