"""Map positions on a sphere to a plane around the middle of the field."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from incerta.mixture.model import Measured
from incerta.models.registry import stored
from incerta.typing import Array


@stored(center="f 2")
class Sky(NamedTuple):
    """Two features in degrees, of longitude and latitude, around a center.

    Lambert's equal-area projection keeps a uniform field uniform. Near the center the
    plane is the tangent plane.
    """

    longitude: int  # number of the feature
    latitude: int
    center: Array  # (2,), in degrees

    def flat(self, some: Measured) -> Measured:
        """Map positions and their errors to the plane."""
        pair = [self.longitude, self.latitude]
        values, errors = some.values.copy(), some.errors
        values[pair], turns = self._plane(*some.values[pair])
        if errors.ndim == 2:
            # The axes of the plane are rotated against the meridians.
            errors = errors[None] * np.eye(len(errors))[:, :, None]
        errors = errors.repeat(some.n_objects // errors.shape[-1], axis=-1)
        errors[pair] = np.einsum("ijn,jkn->ikn", turns, errors[pair])
        errors[:, pair] = np.einsum("ijn,kjn->kin", turns, errors[:, pair])
        return Measured(values, errors, some.known)

    def _plane(self, longitude: Array, latitude: Array) -> tuple[Array, Array]:
        """Return positions (2, n) in degrees, and their derivatives (2, 2, n)."""
        (a0, d0), scale = np.radians(self.center), 180.0 / np.pi
        a, d = np.radians(longitude) - a0, np.radians(latitude)
        sin, cos = np.sin(d), np.cos(d)
        near = np.sin(d0) * sin + np.cos(d0) * cos * np.cos(a)
        both = np.array(
            [cos * np.sin(a), np.cos(d0) * sin - np.sin(d0) * cos * np.cos(a)]
        )
        k = np.sqrt(2.0 / np.maximum(1.0 + near, 1e-12))
        turns = np.array(
            [
                [cos * np.cos(a), -sin * np.sin(a)],
                [
                    np.sin(d0) * cos * np.sin(a),
                    np.cos(d0) * cos + np.sin(d0) * sin * np.cos(a),
                ],
            ]
        )
        nearer = np.array(
            [
                -np.cos(d0) * cos * np.sin(a),
                np.sin(d0) * cos - np.cos(d0) * sin * np.cos(a),
            ]
        )
        turns = k * (turns - both[:, None] * nearer * (0.25 * k**2))
        return k * both * scale, turns

    def back(self, place: Array) -> tuple[Array, Array]:
        """Map a position (2,) back, with the matrix (2, 2) that maps its errors.

        Errors are in degrees of arc: those of the longitude times cos(latitude).
        """
        (a0, d0), (x, y) = np.radians(self.center), np.radians(place)
        far = np.hypot(x, y)
        angle = 2.0 * np.arcsin(min(far / 2.0, 1.0))
        sin, cos = np.sin(angle), np.cos(angle)
        up = y * sin / far if far > 0.0 else 0.0
        latitude = np.arcsin(np.clip(cos * np.sin(d0) + up * np.cos(d0), -1.0, 1.0))
        longitude = a0
        if far > 0.0:
            longitude += np.arctan2(
                x * sin, far * np.cos(d0) * cos - y * np.sin(d0) * sin
            )
        there = np.degrees([longitude, latitude])
        turn = self._plane(there[:1], there[1:])[1][:, :, 0]
        arc = np.diag([np.cos(latitude), 1.0])
        return np.array([there[0] % 360.0, there[1]]), arc @ np.linalg.inv(turn)


def around(some: Measured, longitude: int, latitude: int) -> Sky:
    """Choose the plane around the mean direction of all objects."""
    a, d = np.radians(some.values[[longitude, latitude]])
    x, y = (np.cos(d) * np.cos(a)).mean(), (np.cos(d) * np.sin(a)).mean()
    center = np.degrees(
        [np.arctan2(y, x), np.arctan2(np.sin(d).mean(), np.hypot(x, y))]
    )
    return Sky(longitude, latitude, center)
