"""Clusterings to report on, small and nasty."""

import dataclasses

import numpy as np

import incerta as ic
from incerta.api.answer import cluster
from incerta.number.choose import KChoice

HOSTILE = (
    "<script>window.hacked = 1; alert(1)</script>",
    "</script><script>window.hacked = 1</script>",
    "</title></style><!-- <img src=x onerror='window.hacked = 1'>",
    "\"'><svg onload=window.hacked=1>",
    '<a href="javascript:window.hacked=1">click</a> %{x} {{ 7 * 7 }} $x^2$ &lt;b&gt;',
    "\u202egnp.exe\u2066 left open",
    "\u2028line\u2029 and \x00\x1b[31m and \ud800",
    "x" * 10_000,
    "שלום עולם",
    "",
)
HOSTILE_FEATURES = ("<b>mass</b> & more", '"><img src=x onerror="window.hacked=1">')


def groups(n_each=12, n_features=2, seed=0, **settings):
    """Three groups of Gaussian objects, and some between them."""
    rng = np.random.default_rng(seed)
    centres = 4.0 * np.eye(3, n_features)
    means = np.concatenate(
        [rng.normal(centre, 0.5, (n_each, n_features)) for centre in centres]
        + [np.linspace(centres[0], centres[1], 6)[1:-1]]
    )
    std = rng.uniform(0.1, 0.8, means.shape)
    return ic.from_gaussian(means, std=std, **settings)


def hostile_objects():
    data = groups(feature_names=HOSTILE_FEATURES)
    ids = [*HOSTILE, *(f"star {i}" for i in range(len(data) - len(HOSTILE)))]
    return groups(feature_names=HOSTILE_FEATURES, ids=ids)


def by_rpc(data, **settings):
    return cluster(
        data, k=3, method=ic.RPC(n_worlds=20, n_representatives=5), **settings
    )


def with_choice(result):
    """The same, as if two clusters had been chosen of one to three."""
    choice = KChoice(
        k=2,
        ks=(1, 2, 3),
        weights=np.array([0.1, 0.6, 0.3]),
        scores=np.array([0.0, 0.9, 0.8]),
        null_scores=np.array([[0.0, 0.1, np.nan], [0.0, 0.3, 0.2]]),
        p_one=0.02,
        alpha=0.025,
        seed=0,
    )
    return dataclasses.replace(result, choice=choice)
