"""Places on a sphere in a plane, and back."""

import numpy as np
import pytest

from incerta.groups.sky import Sky, around
from incerta.mixture.model import Measured


def places(center, reach, n=50, seed=0):
    """Places within so many degrees, at any side of 0 degrees, as they are written."""
    rng = np.random.default_rng(seed)
    dec = np.clip(center[1] + rng.uniform(-reach, reach, n), -89.9, 89.9)
    ra = center[0] + rng.uniform(-reach, reach, n) / np.cos(np.radians(center[1]))
    return np.array([ra % 360.0, dec])


def without_errors(values):
    return Measured(values, np.zeros_like(values))


def arc(a, b):
    """Degrees between places on the sphere."""
    (a1, d1), (a2, d2) = np.radians(a), np.radians(b)
    x = np.sin((d1 - d2) / 2) ** 2
    x += np.cos(d1) * np.cos(d2) * np.sin((a1 - a2) / 2) ** 2
    return np.degrees(2 * np.arcsin(np.sqrt(x)))


@pytest.mark.parametrize("center", [(0.2, 10.0), (359.9, -60.0), (120.0, 85.0)])
def test_distances_from_the_center_are_those_of_the_sphere(center):
    values = places(center, 2.0)
    sky = Sky(0, 1, np.array(center))
    flat = sky.flat(without_errors(values)).values
    far = arc(values, np.array(center)[:, None])
    # Equal areas: 2 sin(angle / 2) instead of the angle.
    chord = np.degrees(2 * np.sin(np.radians(far) / 2))
    np.testing.assert_allclose(np.hypot(*flat), chord, rtol=1e-9)


@pytest.mark.parametrize("center", [(0.2, 10.0), (300.0, -70.0)])
def test_back_is_where_it_came_from(center):
    values = places(center, 20.0)
    sky = Sky(0, 1, np.array(center))
    flat = sky.flat(without_errors(values)).values
    for place, there in zip(flat.T, values.T):
        np.testing.assert_allclose(sky.back(place)[0], there, atol=1e-9)
    np.testing.assert_allclose(sky.back(np.zeros(2))[0], center)


def test_errors_are_turned_and_cosines_count():
    rng = np.random.default_rng(0)
    values = np.vstack([places((10.0, 60.0), 5.0, 6), rng.normal(size=6)])
    roots = 1e-3 * rng.normal(size=(6, 3, 3))
    errors = np.moveaxis(roots @ roots.transpose(0, 2, 1), 0, -1)
    sky = Sky(0, 1, np.array([10.0, 60.0]))
    seen = sky.flat(Measured(values, errors))
    step = 1e-5
    for i in range(6):
        slopes = []
        for j in range(3):
            moved = np.repeat(values[:, i : i + 1], 2, axis=1)
            moved[j] += [step, -step]
            up, down = sky.flat(without_errors(moved)).values.T
            slopes.append((up - down) / (2 * step))
        slope = np.array(slopes).T
        expected = slope @ errors[..., i] @ slope.T
        np.testing.assert_allclose(seen.errors[..., i], expected, rtol=1e-6, atol=1e-12)


def test_independent_errors_and_equal_ones():
    values = places((10.0, 60.0), 5.0, 4)
    sky = Sky(0, 1, np.array([10.0, 60.0]))
    each = np.full((2, 4), 1e-4)
    once = np.broadcast_to(np.full((2, 1), 1e-4), (2, 4))
    full = np.eye(2)[:, :, None] * each
    found = [sky.flat(Measured(values, e)).errors for e in (each, once, full)]
    np.testing.assert_allclose(found[0], found[2])
    np.testing.assert_allclose(found[1], found[2])


def test_what_turns_errors_back_gives_degrees_of_arc():
    sky = Sky(0, 1, np.array([10.0, 60.0]))
    place = np.array([1.0, 2.0])
    (ra, dec), turn = sky.back(place)
    for j in range(2):
        step = 1e-4 * np.eye(2)[j]
        (ra_up, dec_up), _ = sky.back(place + step)
        moved = [(ra_up - ra) * np.cos(np.radians(dec)), dec_up - dec]
        np.testing.assert_allclose(turn @ step, moved, rtol=1e-4, atol=1e-9)


def test_the_mean_direction_is_between_both_sides_of_zero():
    values = np.array([[359.0, 1.0, 0.0], [20.0, 20.0, 20.0]])
    sky = around(without_errors(values), 0, 1)
    assert sky.center[0] == pytest.approx(0.0, abs=1e-9)
    assert sky.center[1] == pytest.approx(20.0, abs=0.01)
