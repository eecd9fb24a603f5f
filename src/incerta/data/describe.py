"""How uncertain data are shown to people."""

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from incerta.data.meaning import MEANINGS, of_errors
from incerta.data.reliability import reliability

if TYPE_CHECKING:
    from incerta.data.container import UncertainData

SHOWN_FEATURES = 6


def facts(data: "UncertainData") -> dict[str, str]:
    """Return what to say about `data`, as pairs of a heading and a text."""
    told = {
        "objects": f"{data.n_objects:,}{_examples(data)}",
        "features": f"{data.n_features:,}: {_listed(data.feature_names)}",
        "kind": data.kind,
    }
    if not data.exact:
        told["meaning"] = f"{data.meaning}: {MEANINGS[data.meaning]}"
    counts = data.values_per_object()
    if counts is not None and not data.exact and len(counts):
        told["values per object"] = _range(counts)
    gaps = data.law.missing()
    if gaps is not None:
        told["missing"] = f"{gaps.sum():,} of {gaps.size:,} values"
    if data.n_objects:
        told.update(_uncertainty(data))
    if data.n_objects > 1 and of_errors(data):
        found = reliability(data)
        told["reliability"] = found.by_feature(data.feature_names)
        told["of objects"] = found.by_object()
    return told


def as_text(data: "UncertainData") -> str:
    """Describe `data` in a few lines of text."""
    lines = [f"  {heading:<18} {text}" for heading, text in facts(data).items()]
    return "\n".join(["UncertainData", *lines])


def as_html(data: "UncertainData") -> str:
    """Describe `data` as a small table for notebooks."""
    rows = "".join(
        f'<tr><th style="text-align:left">{escape(heading)}</th>'
        f'<td style="text-align:left">{escape(text)}</td></tr>'
        for heading, text in facts(data).items()
    )
    return f"<table><caption>UncertainData</caption><tbody>{rows}</tbody></table>"


def _examples(data: "UncertainData") -> str:
    if np.array_equal(data.ids, np.arange(data.n_objects)):
        return ""
    return f" ({_listed([str(name) for name in data.ids[: SHOWN_FEATURES + 1]], 3)})"


def _listed(names: "tuple[str, ...] | list[str]", most: int = SHOWN_FEATURES) -> str:
    shown = [name if len(name) <= 24 else name[:23] + "…" for name in names[:most]]
    return ", ".join(shown) + (", …" if len(names) > most else "")


def _range(counts: "np.ndarray[tuple[int], np.dtype[np.intp]]") -> str:
    low, high = counts.min(), counts.max()
    number = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"{number} ({counts.sum():,} in all)"


def _uncertainty(data: "UncertainData") -> dict[str, str]:
    if data.exact:
        return {"uncertainty": "none"}
    ratio = data.relative_uncertainty()
    told = {"uncertainty": f"{np.median(ratio):.2g} × the spread between objects"}
    if data.n_features > SHOWN_FEATURES:
        told["by feature"] = f"from {ratio.min():.2g} to {ratio.max():.2g}"
    elif data.n_features > 1:
        told["by feature"] = ", ".join(
            f"{name} {value:.2g}"
            for name, value in zip(data.feature_names, ratio, strict=True)
        )
    return told
