"""Faults in labels, in k-means of many starts, in keyed numbers and in measures."""

from functools import partial

from tests.mutation.fault import Fault

Labelled = partial(Fault, room="test_labels.py")
Lloyd = partial(Fault, room="test_lloyd.py")
Keyed = partial(Fault, room="backend/test_keyed.py")

FAULTS = (
    Labelled(
        "labels.py",
        "    first[-1] = n\n",
        "",
        "noise is numbered like a cluster",
    ),
    Labelled(
        "labels.py",
        "counts.reshape(n, n_clusters + 1)[:, 1:] / n_worlds",
        "counts.reshape(n, n_clusters + 1)[:, 1:] / (some >= 0).sum(axis=0)[:, None]",
        "worlds in which an object is noise do not count",
    ),
    Labelled(
        "labels.py",
        "best = with_noise(membership).argmax(axis=1)",
        "best = membership.argmax(axis=1)",
        "noise is never most probable",
    ),
    Labelled(
        "labels.py",
        "return np.where(gain > ROUNDING, best, labels)",
        "return np.where(gain > 0.0, best, labels)",
        "rounding decides between equally probable clusters",
    ),
    Labelled(
        "labels.py",
        "return np.where(likely & (best < chances.shape[1] - 1), best, -1)",
        "return np.where(best < chances.shape[1] - 1, best, -1)",
        "a cluster of probability 0 is second best",
    ),
    Labelled(
        "labels.py",
        "(sums < coverage - ROUNDING)",
        "(sums < coverage)",
        "rounding adds a cluster to a set of labels",
    ),
    Labelled(
        "labels.py",
        "np.concatenate([order, np.setdiff1d(np.arange(n_clusters), order)])",
        "np.arange(n_clusters)",
        "clusters keep their numbers, whichever appears first",
    ),
    # k-means of many starts -----------------------------------------------------------
    Lloyd(
        "lloyd.py",
        "            if costs[rest][first] < least:\n",
        "            if True:\n",
        "of several starts the slowest is taken",
    ),
    Lloyd(
        "lloyd.py",
        "    middle = values.mean(axis=0)\n",
        "    middle = np.zeros(values.shape[1])\n",
        "distances far from 0 lose their digits",
    ),
    Lloyd(
        "lloyd.py",
        "within = np.repeat(weights, s), columns",
        "within = np.full(n * s, 1.0 / n), columns",
        "centres do not know weights",
    ),
    Lloyd(
        "lloyd.py",
        "chosen = after.sum(axis=2).argmin(axis=1)",
        "chosen = np.zeros(n_starts, dtype=np.intp)",
        "seeds are the first that are tried, not the best",
    ),
    Lloyd(
        "lloyd.py",
        "    return (places @ centres.T - halves).argmax(axis=1)\n",
        "    return (places @ centres.T).argmax(axis=1)\n",
        "far centres count as near",
    ),
    Lloyd(
        "lloyd.py",
        "        rest |= number == MOST_ROUNDS - 1\n",
        "",
        "what never rests is thrown away",
    ),
    Lloyd(
        "lloyd.py",
        "np.concatenate([also[None] - middle, moving])",
        "np.concatenate([also[None], moving])",
        "given centres are somewhere else",
    ),
    Lloyd(
        "lloyd.py",
        "np.concatenate([also[None] - middle, moving])",
        "also[None] - middle",
        "given centres are the only start",
    ),
    # keyed numbers --------------------------------------------------------------------
    Keyed(
        "backend/keyed.py",
        "order = np.argpartition(mixed(keys + seed_key(seed)), most)",
        "order = np.argpartition(mixed(keys), most)",
        "the same objects are chosen whatever the seed",
    ),
    Keyed(
        "backend/keyed.py",
        "    return np.sort(order[:most])\n",
        "    return np.arange(most)\n",
        "objects are chosen by where they stand",
    ),
    Keyed(
        "backend/keyed.py",
        "mixed(_origin(seed, purpose) + numbers",
        "mixed(_origin(seed, 0) + numbers",
        "streams for all purposes are the same",
    ),
    Keyed(
        "backend/keyed.py",
        " & (np.abs(names) <= _WHOLE_FLOATS)",
        "",
        "very large numbers have keys in common",
    ),
    Keyed(
        "backend/keyed.py",
        "            out[some, part] += 2.0**-53\n",
        "",
        "a uniform number can be 0",
    ),
    Keyed(
        "backend/keyed.py",
        "np.add.outer(streams[some], flat[part])",
        "np.add.outer(streams[: len(streams[some])], flat[part])",
        "every block of streams has the numbers of the first",
    ),
    Keyed(
        "backend/keyed.py",
        "each = numbers[some].reshape",
        "each = numbers[: len(numbers[some])].reshape",
        "every block of streams is in the strata of the first",
    ),
    Keyed(
        "backend/keyed.py",
        "return np.clip(u, 2.0**-54, 1.0 - 2.0**-53, out=u)",
        "return u",
        "a number of the last stratum can be 1",
    ),
    Keyed(
        "backend/keyed.py",
        "outside[outside] = x >= length",
        "outside[outside] = x > length",
        "a permutation leaves its range",
    ),
    Keyed(
        "backend/keyed.py",
        "keys = np.where(j < n_letters, mixed(keys * GOLDEN + column), keys)",
        "keys = mixed(keys * GOLDEN + column)",
        "the key of a text depends on how long others are",
    ),
    # measures -------------------------------------------------------------------------
    Fault(
        "metrics/agreement.py",
        "    return float(matched / n_objects)\n",
        "    return float(matched / len(classes))\n",
        "noise is no error",
    ),
    Fault(
        "metrics/agreement.py",
        "clusters[noisy] = clusters.max() + 1 + np.arange(noisy.sum())",
        "clusters[noisy] = clusters.max() + np.arange(noisy.sum())",
        "the first object of noise joins the last cluster",
    ),
    Fault(
        "metrics/agreement.py",
        "return float(sizes @ best / sizes.sum())",
        "return float(best.mean())",
        "small classes count as much as large ones",
    ),
    Fault(
        "metrics/agreement.py",
        "average_method=average",
        'average_method="arithmetic"',
        "the average asked for is ignored",
    ),
)
