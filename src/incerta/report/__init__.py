"""One page that tells what was found: `summarize` in, HTML out."""

from incerta.report.render import render, write
from incerta.report.summarize import summarize

__all__ = ["render", "summarize", "write"]
