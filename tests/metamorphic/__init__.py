"""Laws that relate two runs: what changes nothing about the data changes no answer."""
