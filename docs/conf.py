"""Settings of the documentation."""

from incerta import __version__

project = "incerta"
author = "The incerta developers"
project_copyright = "2026, the incerta developers"
version = release = __version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "sphinx.ext.mathjax",
    "numpydoc",
]
html_theme = "furo"
html_title = "incerta"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autodoc_typehints = "none"  # the docstrings say it in words
exclude_patterns = ["_build"]
