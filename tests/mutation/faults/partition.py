"""Faults in the k-means and k-medoids families."""

from functools import partial

from tests.mutation.fault import Fault

Moved = partial(Fault, room="partition/test_relocate.py")
Medoids = partial(Fault, room="partition/test_medoids.py")
Shares = partial(Fault, room="partition/test_shares.py")
Resampled = partial(Fault, room="partition/test_resampled.py")

FAULTS = (
    Moved(
        "partition/relocate.py",
        "self.scatter[cluster] -= c / (c - 1.0) * (apart @ apart)",
        "self.scatter[cluster] -= apart @ apart",
        "a member takes too little scatter with it",
    ),
    Moved(
        "partition/relocate.py",
        "return scatter + variances * (1.0 + 1.0 / sizes)",
        "return scatter + variances",
        "UCPC is the objective of UK-means",
    ),
    Moved(
        "partition/relocate.py",
        "    leaving[c == 1.0] = np.inf\n",
        "",
        "the last member of a cluster may leave it",
    ),
    Moved(
        "partition/relocate.py",
        "        clusters.add(target, means[i], variances[i])\n",
        "        clusters.add(target, means[i], 0.0)\n",
        "a moved object leaves its variance behind",
    ),
    Moved(
        "partition/relocate.py",
        "if not best or history[-1].objective < best[-1].objective:",
        "if not best or history[-1].objective > best[-1].objective:",
        "the worst start is taken",
    ),
    Moved(
        "partition/relocate.py",
        "        if sizes[labels[i]] > 1:\n",
        "        if True:\n",
        "filling an empty cluster empties another",
    ),
    Moved(
        "partition/relocate.py",
        "    labels[first] = np.arange(n_clusters)\n",
        "",
        "a random start may have empty clusters",
    ),
    Medoids(
        "partition/medoids.py",
        "    labels[medoids] = np.arange(len(medoids))\n",
        "",
        "a medoid on top of another has no cluster",
    ),
    Medoids(
        "partition/medoids.py",
        "lost = np.minimum(np.maximum(gap, 0.0), nearest.loss)",
        "lost = nearest.loss",
        "who loses its medoid cannot go to the newcomer",
    ),
    Medoids(
        "partition/medoids.py",
        "            odds[chosen] = 0.0\n",
        "",
        "where all others coincide with a medoid, one is drawn again",
    ),
    Shares(
        "partition/shares.py",
        'in zip(followed(worlds, "confidence"), cycle(sets), strict=False):',
        'in zip(followed(worlds, "confidence"), cycle(sets[:1]), strict=False):',
        "all worlds have the first set of centres",
    ),
    Shares(
        "partition/shares.py",
        "return counts.reshape(n, k) / len(sets)",
        "return counts.reshape(n, k)",
        "shares over several sets of centres are sums",
    ),
    Shares(
        "partition/shares.py",
        "    fixed = np.square(centred).sum(axis=1) + offsets\n",
        "    fixed = np.square(centred).sum(axis=1)\n",
        "what a centre costs in addition is ignored",
    ),
    Resampled(
        "partition/shares.py",
        "stream = stream_keys(seed, _WEIGHTS, np.array([number]))",
        "stream = stream_keys(seed, _WEIGHTS, np.array([0]))",
        "objects weigh the same in all worlds",
    ),
    Resampled(
        "partition/shares.py",
        "found.append(own[_named(values, own, centres)])",
        "found.append(own)",
        "clusters of a world keep their own numbers",
    ),
    Resampled(
        "partition/shares.py",
        "KMEANS_STARTS, rng, weights, also=start)",
        "KMEANS_STARTS, rng, also=start)",
        "objects are not weighted",
    ),
)
