"""Settings of the documentation."""

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

from incerta import __version__

project = "incerta"
author = "The incerta developers"
project_copyright = "2026, the incerta developers"
version = release = __version__
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
    "filename_pattern": "/plot_",
    "download_all_examples": False,
    "show_memory": False,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
}
html_theme = "furo"
html_title = "incerta"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
autodoc_typehints = "none"  # the docstrings say it in words
exclude_patterns = ["_build", "gallery"]
html_math_renderer = "mathml"


def setup(app):
    """Write formulas as MathML: the pages need no network to be read."""

    def inline(translator, node):
        translator.body.append(tex2mathml(node.astext()))
        raise nodes.SkipNode

    def display(translator, node):
        translator.body.append(f"<p>{tex2mathml(node.astext(), as_block=True)}</p>")
        raise nodes.SkipNode

    app.add_html_math_renderer("mathml", (inline, None), (display, None))
