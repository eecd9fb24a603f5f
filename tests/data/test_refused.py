"""Values that methods cannot compute with are named, with the way out."""

import numpy as np
import pytest

import incerta as ic
from incerta.data.refused import LARGEST, SMALLEST, refuse_extremes
from incerta.exceptions import DataError


def kinds(values, std):
    """The same places as laws of several kinds."""
    values = np.asarray(values, dtype=float)
    return {
        "exact": ic.as_uncertain(values),
        "gaussian": ic.from_gaussian(values, std=std),
        "values": ic.from_array(values[:, None] + std * np.array([[-1.0], [1.0]])),
        "worlds": ic.from_worlds(values + std * np.array([-1.0, 1.0])[:, None, None]),
    }


@pytest.mark.parametrize("kind", ["exact", "gaussian", "values", "worlds"])
def test_the_feature_and_its_size_are_named(kind):
    refuse_extremes(kinds([[0.0, -0.9 * LARGEST], [1.0, 0.0]], 1.0)[kind])
    for far in (-1.1 * LARGEST, 1.1 * LARGEST):
        data = kinds([[0.0, far], [1.0, 0.0]], 1.0)[kind]
        said = (
            rf"feature 'x1' has values of up to {1.1 * LARGEST:.2g}, too large".replace(
                "+", r"\+"
            )
        )
        with pytest.raises(DataError, match=said):
            refuse_extremes(data)
    close = np.array([[0.0, 0.0], [1.0, 0.5 * SMALLEST]])
    data = kinds(close, 0.0)[kind]
    with pytest.raises(DataError, match=r"feature 'x1' .*differ by at most .*multiply"):
        refuse_extremes(data)
    refuse_extremes(data, spread=False)
    refuse_extremes(kinds(np.ones((2, 2)), 0.0)[kind])  # all are the same


def test_errors_count_and_what_is_missing_does_not():
    with pytest.raises(DataError, match="'x0' has values of up to"):
        refuse_extremes(ic.from_gaussian([[0.0], [1.0]], std=2.0 * LARGEST))
    gaps = [[np.nan, 1.0], [2.0, np.nan], [3.0, 5.0]]
    refuse_extremes(ic.from_gaussian(gaps, std=0.1, missing="infinite"))
    with pytest.raises(
        DataError, match=r"'x0' has values of up to inf.*another unit\.$"
    ):
        refuse_extremes(ic.from_gaussian([[0.0], [1.0]], std=1e200))
