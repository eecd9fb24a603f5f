"""Faults in expected distances and affinities."""

from functools import partial

from tests.mutation.fault import Fault

Affine = partial(Fault, room="distances/test_affinity.py")
Expected = partial(Fault, room="distances/test_expected.py")

FAULTS = (
    Affine(
        "distances/affinity.py",
        "grown = 1.0 + 2.0 * t * (s1**2 + s2**2)",
        "grown = 1.0 + 2.0 * t * (s1 + s2) ** 2",
        "deviations are added instead of variances",
    ),
    Affine(
        "distances/affinity.py",
        "    a1, a2 = a1 + np.minimum(w1, 0.0), a2 + np.minimum(w2, 0.0)\n",
        "",
        "the affinity of a mirrored interval is that of one beside it",
    ),
    Affine(
        "distances/affinity.py",
        'left = law.family == "exponential" and bool((law.scale < 0).any())',
        "left = False",
        "a tail to the left is taken for one to the right",
    ),
    Affine(
        "distances/affinity.py",
        "        starts = a.starts[first:last] - a.starts[first]\n",
        "        starts = a.starts[first:last]\n",
        "the second block of many values",
    ),
    Affine(
        "distances/affinity.py",
        "one, two = with_closed_form(a, seed + 1, keys), with_closed_form(b, seed)",
        "one, two = with_closed_form(a, seed, keys), with_closed_form(b, seed)",
        "values of two sets of objects come from the same numbers",
    ),
    Affine(
        "distances/affinity.py",
        "short = (at_centre + narrow**2 / 24 * bend) / np.where(wide, wide, 1)",
        "short = at_centre / np.where(wide, wide, 1)",
        "a short interval is its centre",
    ),
    Expected(
        "distances/expected.py",
        "    np.fill_diagonal(out, 0.0)\n",
        "",
        "an object is away from itself",
    ),
    Expected(
        "distances/expected.py",
        "if other is not run:\n",
        "if True:\n",
        "tiles on the diagonal count twice",
    ),
    Expected(
        "distances/expected.py",
        "REACH = 14.0",
        "REACH = 5.0",
        "the integral ends where it is no power yet",
    ),
    Expected(
        "distances/expected.py",
        "return expected_squared_distances(point_law, point_law, device) / m",
        "return expected_squared_distances(point_law, point_law, device)",
        "squared distances of joint draws are sums",
    ),
    Expected(
        "distances/expected.py",
        "    a1, a2 = a1 + np.minimum(w1, 0.0), a2 + np.minimum(w2, 0.0)\n",
        "",
        "the distance of a mirrored interval is that of one beside it",
    ),
    Expected(
        "distances/expected.py",
        "    below = np.where(narrow > MUCH_SHORTER * wide, both, centre)\n",
        "    below = np.where(narrow > 0.0, both, centre)\n",
        "a much shorter interval loses its digits",
    ),
    Expected(
        "distances/expected.py",
        "    turned = gap + b1 - b2 < 0\n",
        "    turned = gap < 0\n",
        "exponentials are turned by where they begin, not by their means",
    ),
)
