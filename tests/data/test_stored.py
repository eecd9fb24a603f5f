"""Data in model files: they come back, and parts that do not fit are refused."""

import json

import numpy as np
import pytest

import incerta as ic
from incerta.models import registry
from incerta.models.values import Decoder, Encoder
from tests.data.laws.test_every_law import LAWS, same
from tests.models.make_models import UNLIMITED


def there_and_back(thing):
    encoder = Encoder()
    text = json.dumps(encoder.encode(thing), allow_nan=False)
    return Decoder(encoder.arrays, UNLIMITED).decode(json.loads(text))


@pytest.mark.parametrize("kind", LAWS)
def test_laws_come_back(kind):
    again = there_and_back(LAWS[kind])
    assert type(again) is type(LAWS[kind])
    same(again, LAWS[kind])


def test_data_come_back():
    data = ic.from_gaussian(
        [[1.0, 2.0], [3.0, 4.0]], std=0.5, ids=["x", "y"], feature_names=["p", "q"]
    )
    again = there_and_back(data.with_meaning("spread"))
    assert (again.ids.tolist(), again.feature_names) == (["x", "y"], ("p", "q"))
    assert again.meaning == "spread"


# parts that do not fit ---------------------------------------------------------------

GOOD = {
    "Values": {"values": np.zeros((3, 2)), "starts": np.array([0, 1, 3])},
    "Independent": {
        "family": "gaussian",
        "loc": np.zeros((3, 2)),
        "scale": np.ones((3, 2)),
    },
    "Rates": {
        "family": "gaussian",
        "loc": np.zeros((3, 2)),
        "scale": np.ones((3, 2)),
        "counts": np.ones((3, 2)),
        "exposure": np.ones(3),
        "repeats": np.ones(3),
        "shape": np.ones(2),
        "rate": np.ones(2),
        "overdispersion": 0.0,
        "believed": False,
    },
    "Gaussian": {"center": np.zeros((3, 2)), "factor": np.ones((3, 2, 2))},
    "Joint": {"draws": np.zeros((4, 3, 2))},
    "Cells": {
        "groups": (
            registry.recipe_for("FrozenGroup").make(
                {"name": "norm", "parameters": (np.zeros(4), np.ones(4))}
            ),
        ),
        "group": np.zeros(4, int),
        "member": np.arange(4),
        "width": 2,
    },
    "FrozenGroup": {"name": "gamma", "parameters": (np.ones(2),) * 3},
    "ObjectGroup": {
        "name": "Normal",
        "parameters": {"mu": np.ones(2), "sigma": np.ones(2)},
        "size": 2,
    },
    "gaussian_kde": {
        "dataset": np.array([[1.0, 2.0, 4.0]]),
        "factor": 0.5,
        "weights": np.full(3, 1 / 3),
        "covariance": np.ones((1, 1)),
    },
}
GOOD["Mapped"] = {
    "source": ic.data.laws.Joint(np.zeros((4, 3, 2))),
    "matrix": np.ones((5, 2)),
    "offset": np.ones(5),
}
GOOD["Stacked"] = {
    "parts": (GOOD["Mapped"]["source"],),
    "part": np.zeros(3, int),
    "row": np.arange(3),
}
GOOD["Kernels"] = {
    "points": ic.data.laws.Values(**GOOD["Values"]),
    "factor": np.ones((2, 2, 2)),
}
GOOD["UncertainData"] = {
    "law": GOOD["Mapped"]["source"],
    "ids": np.arange(3),
    "feature_names": ("a", "b"),
}


@pytest.mark.parametrize("name", GOOD)
def test_parts_that_fit(name):
    registry.recipe_for(name).make(GOOD[name])


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("Values", {"starts": np.array([0, 1, 4])}),
        ("Values", {"starts": np.array([0, 5, 3])}),
        ("Values", {"starts": np.array([-9, 1, 3])}),
        ("Values", {"starts": np.array([0.0, 1.0, 3.0])}),
        ("Values", {"values": np.zeros(3)}),
        ("Values", {"values": np.zeros((3, 2), np.float32)}),
        ("Values", {"weights": np.ones(2)}),
        ("Independent", {"family": "cauchy"}),
        ("Independent", {"scale": np.ones((3, 1))}),
        ("Independent", {"extra": 1}),
        ("Rates", {"family": "uniform"}),
        ("Rates", {"counts": np.ones((3, 1))}),
        ("Rates", {"exposure": np.zeros(3)}),
        ("Rates", {"shape": np.full(2, np.nan)}),
        ("Rates", {"rate": np.ones(3)}),
        ("Rates", {"overdispersion": -1.0}),
        ("Rates", {"overdispersion": "nan"}),
        ("Rates", {"believed": 1}),
        ("Gaussian", {"factor": np.ones((3, 1, 2))}),
        ("Joint", {"draws": np.zeros((0, 3, 2))}),
        ("Mapped", {"matrix": np.ones((5, 3))}),
        ("Mapped", {"source": "law"}),
        ("Stacked", {"row": np.array([0, 1, 3])}),
        ("Stacked", {"part": np.array([0, 0, 1])}),
        ("Stacked", {"parts": ()}),
        ("Kernels", {"factor": np.ones((2, 1, 2))}),
        ("Kernels", {"points": "x"}),
        ("Cells", {"member": np.array([0, 1, 2, 4])}),
        ("Cells", {"group": np.array([0, 0, 0, -1])}),
        ("Cells", {"width": 3}),
        ("Cells", {"width": 0}),
        ("FrozenGroup", {"name": "os"}),
        ("FrozenGroup", {"name": "test"}),
        ("FrozenGroup", {"name": "rv_continuous"}),
        ("FrozenGroup", {"parameters": (np.ones(2), np.ones(3), np.ones(2))}),
        ("FrozenGroup", {"parameters": (np.ones(2), np.ones(2))}),
        ("ObjectGroup", {"name": "gaussian_kde"}),
        ("ObjectGroup", {"parameters": {"file": np.ones(2)}}),
        ("ObjectGroup", {"size": 3}),
        ("gaussian_kde", {"weights": np.ones(2)}),
        ("UncertainData", {"ids": np.arange(2)}),
        ("UncertainData", {"feature_names": ("a", 1)}),
        ("UncertainData", {"feature_names": ("a",)}),
        ("UncertainData", {"library": "os"}),
    ],
)
def test_parts_that_do_not_fit(name, part):
    with pytest.raises((ValueError, TypeError)):
        registry.recipe_for(name).make(GOOD[name] | part)
