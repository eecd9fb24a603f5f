"""Run in a clone of the repository: ``python -m paper --help``."""

from paper.commands import paper

paper(prog_name="python -m paper")
