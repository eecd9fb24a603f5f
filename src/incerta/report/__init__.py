"""Reports: results as HTML pages."""

from incerta.report.render import render, write
from incerta.report.summarize import summarize

__all__ = ["render", "summarize", "write"]
