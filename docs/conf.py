"""Settings of the documentation."""

import runpy
import sys
from pathlib import Path

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
default_role = "py:obj"  # names in prose lead to the reference
html_math_renderer = "mathml"
html_extra_path = ["../paper/results/table2.html"]
html_static_path = ["static"]
html_css_files = ["tables.css"]

# The experiments are in the clone, not in the package.
sys.path.insert(0, str(Path(__file__).parents[1]))
runpy.run_path(str(Path(__file__).with_name("paper_tables.py")), run_name="__main__")


def in_the_package(app, env, node, text):
    """Look for `UKMeans` under the name that the reference has, incerta.UKMeans."""
    if node.get("refdomain") != "py":
        return None
    domain, page = env.get_domain("py"), node["refdoc"]
    name = f"incerta.{node['reftarget']}"
    return domain.resolve_xref(env, page, app.builder, "obj", name, node, text)


def setup(app):
    """Write formulas as MathML: the pages need no network to be read."""
    app.connect("missing-reference", in_the_package)

    def inline(translator, node):
        translator.body.append(tex2mathml(node.astext()))
        raise nodes.SkipNode

    def display(translator, node):
        translator.body.append(f"<p>{tex2mathml(node.astext(), as_block=True)}</p>")
        raise nodes.SkipNode

    app.add_html_math_renderer("mathml", (inline, None), (display, None))
