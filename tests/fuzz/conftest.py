"""Modules here are run by a command, and tested by tests/test_fuzz.py."""

collect_ignore_glob = ["*.py"]
