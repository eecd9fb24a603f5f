"""Steps ahead: where they lead, and where there are none."""

import numpy as np
import pytest

from incerta.mixture.maximization import ahead, coordinates
from incerta.mixture.model import Components

SCALE = np.array([1.0, 10.0])


def components(mean, variance, weight=0.5, kind="diag"):
    shape = np.full((2, 2), variance) * SCALE**2
    if kind == "full":
        shape = shape[:, :, None] * np.eye(2)
    means = np.array([[mean, 0.0], [0.0, mean]]) * SCALE
    return Components(np.array([weight, 1.0 - weight]), means, shape)


@pytest.mark.parametrize("kind", ["diag", "full"])
def test_a_geometric_way_is_gone_to_its_end(kind):
    # 1, 1/2, 1/4, … comes to 0.
    way = tuple(components(m, 1.0, kind=kind) for m in (1.0, 0.5, 0.25))
    guess, step = ahead(way, SCALE, 100.0)
    assert step == pytest.approx(2.0)
    np.testing.assert_allclose(guess.means, 0.0, atol=1e-12)
    np.testing.assert_allclose(guess.weights, 0.5)
    np.testing.assert_allclose(guess.covariances, way[0].covariances)
    assert ahead(way, SCALE, 1.5)[1] == 1.5


def test_nothing_to_gain():
    still = (components(1.0, 1.0),) * 3
    assert ahead(still, SCALE, 100.0) == (None, 1.0)
    slowing = tuple(components(m, 1.0) for m in (1.0, 0.5, 0.5))
    assert ahead(slowing, SCALE, 100.0) == (None, 1.0)


def test_covariances_that_would_not_be_positive():
    way = tuple(components(0.0, v, kind="full") for v in (1.0, 0.6, 0.2 + 1e-3))
    guess, step = ahead(way, SCALE, 100.0)
    assert guess is None
    assert step == 100.0


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_weights_stay_weights(noise):
    def mixed(weight):
        found = components(0.0, 1.0, weight)
        ranges = np.ones(2) if noise else None
        return found._replace(weights=found.weights * (1 - noise), ranges=ranges)

    guess, _ = ahead(tuple(mixed(w) for w in (0.5, 0.4, 0.35)), SCALE, 50.0)
    assert (guess.weights >= 0.0).all()
    assert guess.weights.sum() + guess.noise_weight == pytest.approx(1.0)
    assert len(coordinates(guess, SCALE)) == 3 + 4 + 4
