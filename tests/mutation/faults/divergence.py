"""Faults in how far apart worlds are."""

from functools import partial

from tests.mutation.fault import Fault

Jensen = partial(Fault, room="divergence/test_jensen_shannon.py")
Other = partial(Fault, room="divergence/test_others.py")

FAULTS = (
    Jensen(
        "divergence/cpu_kernel.py",
        "log_norm[block, None] - log_norm[q]",
        "log_norm[q] - log_norm[block, None]",
        "densities are divided by the widths of the other world",
    ),
    Jensen(
        "divergence/cpu_kernel.py",
        "    left_out = (n_objects - n_points) / max(n_objects - 1, 1)\n",
        "    left_out = 1.0\n",
        "the error of a subsample does not fall to 0 with all values",
    ),
    Jensen(
        "divergence/jensen_shannon.py",
        "return divergences, np.sqrt(errors**2 + errors.T**2) / 2",
        "return divergences, (errors + errors.T) / 2",
        "errors of both directions are averaged",
    ),
    Jensen(
        "divergence/jensen_shannon.py",
        "    rng = np.random.default_rng([random_state, 1])\n",
        "    rng = np.random.default_rng([0, 1])\n",
        "the seed of a subsample is ignored",
    ),
    Jensen(
        "divergence/jensen_shannon.py",
        "chosen = [rng.choice(n, n_points, replace=False) for _",
        "chosen = [rng.choice(n, n_points) for _",
        "a value is chosen twice",
    ),
    Jensen(
        "divergence/jensen_shannon.py",
        "return total / max(len(features), 1)",
        "return total / all_objects.shape[2]",
        "constant features lower the mean over features",
    ),
    Jensen(
        "divergence/jensen_shannon.py",
        "    return widths[..., features]\n",
        "    return widths[..., : len(features)]\n",
        "features after a constant one have the width of another",
    ),
    Jensen(
        "divergence/jensen_shannon.py",
        "    return spread / np.sqrt(N_PARTS)\n",
        "    return spread\n",
        "the error of a mean is that of a part",
    ),
    Other(
        "divergence/clusterings.py",
        "expected = np.outer(own, own) / max(n * (n - 1), 1)",
        "expected = np.outer(own, own) / (n * n)",
        "chance is counted with pairs of an object and itself",
    ),
    Other(
        "divergence/clusterings.py",
        "low = 0 if alone else int(labels.min(initial=0))",
        "low = int(labels.min(initial=0))",
        "noise as singletons is a cluster",
    ),
    Other(
        "divergence/energy.py",
        "    varying = spread.pooled > 0\n",
        "    varying = spread.pooled >= 0\n",
        "energy divides by the spread of a constant column",
    ),
)
