"""Faults in drawing, comparing and choosing worlds."""

from functools import partial

from tests.mutation.fault import Fault

Paired = partial(Fault, room="worlds/test_pairing.py")
Drawn = partial(Fault, room="worlds/test_worlds.py")
Chosen = partial(Fault, room="selection/test_choosing.py")
Kept = partial(Fault, room="selection/test_keeping.py")
Width = partial(Fault, room="divergence/test_bandwidth.py")

FAULTS = (
    # worlds ---------------------------------------------------------------------------
    Paired(
        "worlds/sequence.py",
        "    seed = fitted.seed + 1\n",
        "    seed = fitted.seed\n",
        "new objects are drawn with the numbers of those of the fit",
    ),
    Paired(
        "worlds/sequence.py",
        "numbers = numbers % data.n_draws",
        "numbers = np.zeros_like(numbers)",
        "only the first joint draw of new objects is used",
    ),
    Paired(
        "worlds/sequence.py",
        "new = worlds_of(data, n_worlds, fitted.seed + 1)",
        "new = worlds_of(data, 1, fitted.seed + 1)",
        "a fit of exact data sees one world of new objects",
    ),
    Drawn(
        "worlds/sequence.py",
        "strata = int(n_worlds) if quasi and not data.joint else None",
        "strata = None",
        "quasi is ignored",
    ),
    Drawn(
        "worlds/sequence.py",
        "return replace(self, data=self.data[objects])",
        "return replace(self, data=self.data[objects], seed=self.seed + 1)",
        "some of the objects have other worlds than all of them",
    ),
    Drawn(
        "worlds/sequence.py",
        "            first += len(batch)\n",
        "            first = len(batch)\n",
        "a stack of more than two batches is overwritten",
    ),
    Drawn(
        "worlds/sequence.py",
        "spaced = np.linspace(0, n_draws - 1, min(n_worlds, n_draws))",
        "spaced = np.arange(min(n_worlds, n_draws))",
        "of many joint draws the first are taken",
    ),
    Drawn(
        "worlds/streams.py",
        "keyed.mixed(keys + stream_keys(seed, _STRATA, np.zeros(1, np.intp)))",
        "keyed.mixed(keys + stream_keys(0, _STRATA, np.zeros(1, np.intp)))",
        "strata are in the same order for every seed",
    ),
    Drawn(
        "worlds/streams.py",
        "    streams = stream_keys(seed, _VALUES, worlds)\n    return keyed.s",
        "    streams = stream_keys(0, _VALUES, worlds * 0)\n    return keyed.s",
        "within strata nothing is random",
    ),
    Drawn(
        "worlds/streams.py",
        "return int(random_state.integers(2**32))",
        "return 0",
        "a Generator is ignored",
    ),
    Drawn(
        "worlds/streams.py",
        "_VALUES, _STRATA = 0, 1",
        "_VALUES, _STRATA = 0, 0",
        "strata and values come from one stream",
    ),
    # selection ------------------------------------------------------------------------
    Chosen(
        "selection/keeping.py",
        "rng = np.random.default_rng([as_seed(random_state), 2])",
        "rng = np.random.default_rng([0, 2])",
        "random selection ignores the seed",
    ),
    Chosen(
        "selection/keeping.py",
        "return rng.choice(n_worlds, n, replace=False)",
        "return rng.choice(n_worlds, n)",
        "a world is chosen twice",
    ),
    Chosen(
        "selection/keeping.py",
        "        loss[chosen] = np.inf\n",
        "",
        "greedy takes a world again where nothing is left to win",
    ),
    Chosen(
        "selection/keeping.py",
        "        nearest = np.minimum(nearest, table[pick])\n",
        "        nearest = table[pick]\n",
        "greedy forgets all but the last world",
    ),
    Chosen(
        "selection/keeping.py",
        "np.minimum.accumulate(table[chosen], axis=0).sum(axis=1)",
        "table[chosen].sum(axis=1)",
        "the loss counts one representative",
    ),
    Chosen(
        "selection/keeping.py",
        "return np.round(sums / size, 12) if size > 0 else sums",
        "return sums",
        "rounding decides between equal worlds",
    ),
    Kept(
        "selection/keeping.py",
        "return Kept(drawn, random_worlds(len(drawn), n_kept, seed))",
        "return Kept(drawn, np.arange(n_kept))",
        "random selection takes the first worlds",
    ),
    Kept(
        "selection/keeping.py",
        "representatives(divergences, n_kept, selection, return_loss=True)",
        'representatives(divergences, n_kept, "greedy", return_loss=True)',
        "selection='central' is ignored",
    ),
    Kept(
        "selection/keeping.py",
        "compared = drawn.only(some)",
        "compared = drawn",
        "many objects are compared one by one",
    ),
    Kept(
        "selection/keeping.py",
        "between_clusterings, n_clusters=n_clusters, random_state=seed",
        "between_clusterings, n_clusters=3, random_state=seed",
        "clusterings are compared with three clusters",
    ),
    # divergence -----------------------------------------------------------------------
    Width(
        "divergence/bandwidth.py",
        "return sigma * n_objects ** (-1 / (d + 4))",
        "return sigma * n_objects ** (-1 / (d + 5))",
        "Scott's exponent",
    ),
    Width(
        "divergence/bandwidth.py",
        "return 1.06 * sigma * n_objects ** (-1 / 5)",
        "return 1.06 * sigma * n_objects ** (-1 / 4)",
        "Silverman's exponent",
    ),
    Width(
        "divergence/bandwidth.py",
        "    pooled[pooled <= (1e-12 * size) ** 2] = 0.0\n",
        "",
        "a constant column has a spread by rounding",
    ),
    Width(
        "divergence/bandwidth.py",
        "np.maximum(spread.each, FLOOR * spread.pooled)",
        "spread.each",
        "a feature that is flat in one world has no width",
    ),
    Width(
        "divergence/bandwidth.py",
        "(n_objects / max(n_objects - 1, 1))",
        "1.0",
        "standard deviations divide by n",
    ),
)
