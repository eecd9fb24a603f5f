"""`render` and `write`: a result as one self-contained page."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import Any

from incerta.api.assess import Assessment
from incerta.api.clustering import Clustering
from incerta.backend.optional import part_of_page
from incerta.backend.writing import replacing
from incerta.exceptions import FileError
from incerta.plot.style import MARKERS, NOISE, NOISE_MARKER, PALETTE
from incerta.report.assessed import facts, page_of_assessment
from incerta.report.plain import page_from
from incerta.report.summarize import MOST_UNSURE, picture, summarize

# The scripts of the page, in order: each uses definitions of those before it.
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
# Inside a script, "<" could begin a tag. json escapes all that is not ASCII.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def render(summary: dict[str, Any], scatter: dict[str, Any]) -> str:
    """Render the page from the output of `summarize` and `picture`.

    The page is self-contained. Only its own script can run: the policy in its head
    identifies it by a checksum. Texts from the data are escaped, or JSON.
    """
    script = "\n".join(part_of_page("incerta.report", name) for name in SCRIPTS)
    digest = hashlib.sha256(script.encode()).digest()
    looks = {
        "colors": PALETTE,
        "signs": [SIGNS[marker] for marker in MARKERS],
        "noise_color": NOISE,
        "noise_sign": SIGNS[NOISE_MARKER],
    }
    return page_from(
        "report.html.j2",
        summary=summary,
        scatter=scatter,
        looks=looks,
        most_unsure=MOST_UNSURE,
        script=script,
        checksum=f"sha256-{base64.b64encode(digest).decode()}",
        json=as_json({"summary": summary, "scatter": scatter, "looks": looks}),
    )


def write(
    result: Clustering | Assessment,
    path: str | os.PathLike[str],
    summary: dict[str, Any] | None = None,
) -> Path:
    """Write the report of a result.

    Parameters
    ----------
    result : Clustering or Assessment
        The result of `incerta.cluster` or `incerta.assess`.
    path : str or path-like
        File to write. An existing file is replaced when the new one is complete.
    summary : dict, optional
        The output of `summarize`, if it exists already.

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
    if isinstance(result, Clustering):
        page = render(summary or summarize(result), picture(result))
    else:
        page = page_of_assessment(facts(result))
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
    """Return JSON for a script element: nothing in it can end the element."""
    return json.dumps(values, allow_nan=False, separators=(",", ":")).translate(
        _ESCAPES
    )
