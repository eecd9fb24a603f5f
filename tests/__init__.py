# Examples of a test, where nothing else is said; `pytest --explore` takes more.
N_EXAMPLES = 30
