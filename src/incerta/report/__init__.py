"""One page that tells what was found: `summarise` in, HTML out."""

from incerta.report.render import render, write
from incerta.report.summarise import summarise

__all__ = ["render", "summarise", "write"]
