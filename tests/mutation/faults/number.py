"""Faults in the choice of how many clusters there are."""

from functools import partial

from tests.mutation.fault import Fault

Reference = partial(Fault, room="number/test_references.py")

FAULTS = (
    Reference(
        "number/references.py",
        "cluster.drawn_like(seen, search.seed + number)",
        "cluster.drawn_like(seen, search.seed)",
        "all references are the same",
    ),
    Reference(
        "number/references.py",
        "            p = 1.0 / number\n",
        "            p = 1.0 / (n_null + 1)\n",
        "a reference as clustered as the data says nothing",
    ),
    Reference(
        "number/references.py",
        "(1.0 + 1.0 / len(gains))",
        "(1.0)",
        "the mean of a few references is taken for exact",
    ),
    Reference(
        "number/references.py",
        "        if gains[-1] >= own:\n",
        "        if np.mean(gains) >= own:\n",
        "data are compared with the mean of references",
    ),
    Reference(
        "number/references.py",
        "(bic[0] - bic) / (2 * self.n_objects)",
        "(bic[0] - bic) / 2",
        "gains grow with the number of objects",
    ),
    Reference(
        "number/references.py",
        "            if k not in best or mixture.bic < best[k].bic:\n",
        "            if True:\n",
        "of mixtures of one number the last is kept",
    ),
    Reference(
        "number/references.py",
        "    levels = np.cumsum(laws[heights.argmax()])\n",
        "    levels = np.cumsum(density)\n",
        "references have as many peaks as the data",
    ),
    Reference(
        "number/references.py",
        "(1.0 - RIDGE) * np.corrcoef(scores.T) + RIDGE * np.eye(d)",
        "np.eye(d)",
        "features of references are independent",
    ),
    Reference(
        "number/references.py",
        "return np.sqrt(errors) * rng.standard_normal(errors.shape)",
        "return errors * rng.standard_normal(errors.shape)",
        "references have variances for errors",
    ),
    Reference(
        "number/choose.py",
        "        j = j if p_one <= alpha else 0\n",
        "        j = j if p_one < alpha else 0\n",
        "a p-value of alpha does not refute one cluster",
    ),
    Reference(
        "number/choose.py",
        "    groups = merged(components, seed)\n",
        "    groups = np.arange(components.n_components)\n",
        "Gaussians that overlap are clusters",
    ),
    Reference(
        "number/choose.py",
        "    return int((sizes >= fewest).sum())\n",
        "    return len(sizes)\n",
        "a few objects are a cluster",
    ),
    Reference(
        "number/choose.py",
        "        weight = np.exp(-0.5 * TEMPER * (mixture.bic - least))\n",
        "        weight = 1.0\n",
        "the number of Gaussians has no price",
    ),
)
