"""`render` and `write`: a summary as one page that opens without a network."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from incerta.backend.optional import pages_of, part_of_page
from incerta.backend.writing import replacing
from incerta.exceptions import FileError
from incerta.plot.style import MARKERS, NOISE, NOISE_MARKER, PALETTE
from incerta.report.plain import cut, measured, percent
from incerta.report.summarize import MOST_UNSURE, picture, summarize
from incerta.wording import counted, share

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering

# The scripts of the page, in this order: each uses what those before it define.
SCRIPTS = ("words.js", "chart.js", "figures.js", "picture.js", "table.js")
# The markers of our plots as signs in a text, and by their names in chart.js.
SIGNS = {
    "o": ("●", "circle"),
    "s": ("■", "square"),
    "D": ("◆", "diamond"),
    "^": ("▲", "triangle-up"),
    "v": ("▼", "triangle-down"),
    "P": ("✚", "cross"),
    "p": ("⬟", "pentagon"),
    "X": ("✖", "x"),
}
# Inside of a script "<" could begin a tag; all that is not ASCII is escaped anyway.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def render(summary: dict[str, Any], scatter: dict[str, Any]) -> str:
    """Make the page from `summarize` and `picture`.

    One HTML text holds all it needs. Only its own script can run in it: the policy in
    its head identifies it by a checksum. Texts from the data are escaped, or JSON.
    """
    environment = pages_of("incerta.report", "a report")
    filters = (counted, cut, percent, share)
    environment.filters |= {each.__name__: each for each in filters}
    environment.globals |= {"measured": measured}
    script = "\n".join(part_of_page("incerta.report", name) for name in SCRIPTS)
    digest = hashlib.sha256(script.encode()).digest()
    looks = {
        "colors": PALETTE,
        "signs": [SIGNS[marker] for marker in MARKERS],
        "noise_color": NOISE,
        "noise_sign": SIGNS[NOISE_MARKER],
    }
    page: str = environment.get_template("report.html.j2").render(
        summary=summary,
        scatter=scatter,
        looks=looks,
        most_unsure=MOST_UNSURE,
        style=part_of_page("incerta.report", "report.css"),
        script=script,
        checksum=f"sha256-{base64.b64encode(digest).decode()}",
        json=as_json({"summary": summary, "scatter": scatter, "looks": looks}),
    )
    return page


def write(
    result: Clustering,
    path: str | os.PathLike[str],
    summary: dict[str, Any] | None = None,
) -> Path:
    """Write the report of a clustering.

    Parameters
    ----------
    result : Clustering
        What `incerta.cluster` returned.
    path : str or path-like
        Where to; an existing file is replaced when the new one is complete.
    summary : dict, optional
        What `summarize` returns, if that is there already.

    Examples
    --------
    >>> import tempfile
    >>> import incerta as ic
    >>> from incerta.report import write
    >>> data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=0)
    >>> result = ic.cluster(data, k=3, method="UKMeans")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(result, f"{folder}/report.html").name
    'report.html'
    """
    return write_page(render(summary or summarize(result), picture(result)), path)


def write_page(page: str, path: str | os.PathLike[str]) -> Path:
    """Write a page; an existing file is replaced when the new one is complete."""
    target = Path(path).resolve()
    if not target.parent.is_dir():
        msg = f"there is no folder {target.parent} to write {target.name} into."
        raise FileError(msg)
    if target.is_dir():
        msg = f"{target} is a folder; name a file in it."
        raise FileError(msg)
    try:
        with replacing(target) as beside:
            beside.write_text(page, encoding="utf-8", newline="\n")
    except OSError as error:
        msg = f"cannot write {target}: {error.strerror or error}."
        raise FileError(msg) from error
    return Path(path)


def as_json(values: Any) -> str:
    """JSON for a script element: nothing in it can end the element."""
    return json.dumps(values, allow_nan=False, separators=(",", ":")).translate(
        _ESCAPES
    )
