"""Settings of the documentation."""

import os
import runpy
import sys
from pathlib import Path

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml
from numpydoc.xref import DEFAULT_LINKS

import incerta

project = "incerta"
author = "The incerta developers"
project_copyright = "2026, the incerta developers"
version = release = incerta.__version__
extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.doctest",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
sphinx_gallery_conf = {
    "examples_dirs": "gallery",
    "gallery_dirs": "auto_gallery",
    # One example needs data that cannot be redistributed; without them it is not run.
    "filename_pattern": "/plot_" if "INCERTA_DATA" in os.environ else "/plot_(?!nba)",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
}
# `UKMeans` is a link to the reference, in pages and docstrings. Names that are not in
# the reference, such as parameters, are set as code.
default_role = "py:obj"
rst_prolog = ".. currentmodule:: incerta\n"
numpydoc_xref_param_type = True
numpydoc_xref_ignore = "all"
numpydoc_xref_aliases = {n: f"incerta.{n}" for n in incerta.__all__ if n[0].isupper()}
DEFAULT_LINKS.clear()  # those to the pages of Python and numpy need the network
html_theme = "furo"
html_title = "incerta"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autodoc_typehints = "none"  # the docstrings say it in words
exclude_patterns = ["_build", "gallery", "templates"]
html_math_renderer = "mathml"
html_extra_path = ["../paper/results/table2.html"]
templates_path = ["templates"]
html_sidebars = {
    "**": [
        "sidebar/brand.html",
        "versions.html",
        "sidebar/search.html",
        "sidebar/scroll-start.html",
        "sidebar/navigation.html",
        "sidebar/scroll-end.html",
    ]
}
html_static_path = ["static"]
html_css_files = ["tables.css", "versions.css"]

# The experiments are in the clone, not in the package.
sys.path.insert(0, str(Path(__file__).parents[1]))
runpy.run_path(str(Path(__file__).with_name("paper_tables.py")), run_name="__main__")


def setup(app):
    """Write formulas as MathML: the pages need no network to be read."""

    def inline(translator, node):
        translator.body.append(tex2mathml(node.astext()))
        raise nodes.SkipNode

    def display(translator, node):
        translator.body.append(f"<p>{tex2mathml(node.astext(), as_block=True)}</p>")
        raise nodes.SkipNode

    app.add_html_math_renderer("mathml", (inline, None), (display, None))
