"""Faults in distance probabilities, densities and what grows from them."""

from functools import partial

from tests.mutation.fault import Fault

Counted = partial(Fault, room="density/test_counts.py")
Within = partial(Fault, room="density/test_within.py")
Single = partial(Fault, room="density/test_single.py")
Quadratic = partial(Fault, room="density/test_quadratic.py")
Probable = partial(Fault, room="density/test_probabilities.py")
Ordered = partial(Fault, room="density/test_ordering.py")
Lasting = partial(Fault, room="density/test_persistence.py")

FAULTS = (
    # how many events happen -----------------------------------------------------------
    Counted(
        "density/counts.py",
        "if lengths.max(initial=0) < m:",
        "if lengths.max(initial=0) <= m:",
        "a row of just enough events counts as one of too few",
    ),
    Counted(
        "density/counts.py",
        "    _fold(after, chances[seen:])\n",
        "",
        "events after those that are certainly enough are forgotten",
    ),
    Counted(
        "density/stopping.py",
        "NEGLIGIBLE = 1e-17",
        "NEGLIGIBLE = 1e-7",
        "counting stops while the rest still matters",
    ),
    # who can be close -----------------------------------------------------------------
    Within(
        "density/within.py",
        "        kept = (found > 0.0) & (found >= least)\n",
        "        kept = found >= least\n",
        "pairs that are never close are stored as zeros",
    ),
    Within(
        "density/within.py",
        "            spread = spread_a[i[some]] + spread_b[j[some]]\n",
        "            spread = np.maximum(spread_a[i[some]], spread_b[j[some]])\n",
        "the variance of a difference is the larger of the two",
    ),
    Within(
        "density/value_pairs.py",
        "out[some] = (np.square(gaps).sum(axis=2) <= eps * eps).mean(axis=0)",
        "out[some] = np.square(gaps).sum(axis=2).mean(axis=0) <= eps * eps",
        "joint draws are close if they are so on average",
    ),
    Within(
        "density/value_pairs.py",
        "return lambda i, j: sums(i, j) / (a.counts[i] * b.counts[j])",
        "return lambda i, j: sums(i, j) / (a.counts[i] * a.counts[j])",
        "shares of pairs are of other pairs",
    ),
    Within(
        "density/within.py",
        "farthest[part] += np.square(np.minimum(below, above))",
        "farthest[part] += np.square(np.maximum(below, above))",
        "pairs are called certain by their nearest corners",
    ),
    Within(
        "data/laws.py",
        "REACH = 7.0",
        "REACH = 3.0",
        "Gaussians end after three deviations",
    ),
    Single(
        "density/single.py",
        "    close = squares <= (limits - band).astype(np.float32)\n",
        "    close = squares <= limits.astype(np.float32)\n",
        "single precision decides what it cannot",
    ),
    Single(
        "density/single.py",
        "for first in range(0, len(close), 255):",
        "for first in range(0, len(close), 256):",
        "a byte counts to 256",
    ),
    # Gaussian differences -------------------------------------------------------------
    Quadratic(
        "density/quadratic.py",
        "        turned = (gap[rows, None, :] @ axes)[:, 0]\n",
        "        turned = (axes @ gap[rows, :, None])[:, :, 0]\n",
        "correlated differences are turned the wrong way",
    ),
    Quadratic(
        "density/quadratic.py",
        "2.0 * np.pi * (turns + below)",
        "2.0 * np.pi * below",
        "whole turns of a phase are lost",
    ),
    Quadratic(
        "density/quadratic.py",
        "return ndtr((1.0 - gap) / sd) - ndtr((-1.0 - gap) / sd)",
        "return 2.0 * ndtr((1.0 - gap) / sd) - 1.0",
        "one feature is taken for centred",
    ),
    # core and reached -----------------------------------------------------------------
    Probable(
        "density/probabilities.py",
        "    others = at_least_without(table, m - 1, wanted)\n",
        "    others = at_least_without(table, m, wanted)\n",
        "an object that is reached does not help to make the other core",
    ),
    Probable(
        "density/probabilities.py",
        "wanted = (table.data >= least) & (core >= least)[rows]",
        "wanted = table.data >= least",
        "reachability is computed from objects that are hardly ever core",
    ),
    Probable(
        "density/probabilities.py",
        "_some(table, rows, every, core[rows] * table.data)",
        "_some(table, rows, every, core[table.indices] * table.data)",
        "of products, the object that is reached must be core",
    ),
    Probable(
        "density/probabilities.py",
        "    wanted = close & core[rows]\n",
        "    wanted = close\n",
        "objects that are not core reach others",
    ),
    Probable(
        "density/probabilities.py",
        "    itself = table.indices == own[rows]\n",
        "    itself = table.indices < 0\n",
        "an object may be away from itself, and is counted twice",
    ),
    Probable(
        "density/probabilities.py",
        "kept = (probability >= noise_below) & (probability > 0.0)",
        "kept = probability >= noise_below",
        "what is reached with probability 0 is in the cluster",
    ),
    Probable(
        "density/probabilities.py",
        "far = (reached.data >= threshold) & (reached.indices != rows)",
        "far = reached.data >= threshold",
        "an object that reaches itself counts as reaching another",
    ),
    Probable(
        "density/probabilities.py",
        'connected_components(inner, connection="weak")[1]',
        'connected_components(inner, connection="strong")[1]',
        "core objects must reach each other both ways",
    ),
    Probable(
        "density/probabilities.py",
        "order = np.lexsort((rows[entries], -data, columns))",
        "order = np.lexsort((-rows[entries], -data, columns))",
        "of equally probable core objects the last is taken",
    ),
    Probable(
        "density/in_worlds.py",
        "            gaps[core[places] == np.arange(len(labels))[:, None]] = np.inf\n",
        "",
        "an object is a witness of its own cluster",
    ),
    Probable(
        "density/in_worlds.py",
        "row[stray] = _own_first(world, stray, core, labels, levels, row)",
        "",
        "an object within reach of its own cluster goes to a nearer one",
    ),
    Probable(
        "density/in_worlds.py",
        "row[:] = np.where(gaps[:, 0] <= levels[nearest], nearest, -1)",
        "row[:] = np.where(gaps[:, 0] <= levels.max(), nearest, -1)",
        "new objects are judged by the radius of another cluster",
    ),
    Probable(
        "density/persistence.py",
        "k=[min(min_samples, len(world))]",
        "k=[min(min_samples + 1, len(world))]",
        "core distances do not count the object itself",
    ),
    Probable(
        "density/persistence.py",
        "distances[len(below) - 1 - int(below[::-1].argmax())]",
        "distances[int(below.argmax())]",
        "a straight curve bends at its beginning",
    ),
    # order ----------------------------------------------------------------------------
    Ordered(
        "density/reachability.py",
        "np.asarray(tree.query(points, k=[m], distance_upper_bound=bound)[1])",
        "np.asarray(tree.query(points, k=[m + 1], distance_upper_bound=bound)[1])",
        "core distances are those of one neighbour more",
    ),
    Ordered(
        "density/reachability.py",
        "        core += np.where(is_core, radius, max_eps)\n",
        "        core += np.where(is_core, radius, 0.0)\n",
        "a world in which an object is not core counts as distance 0",
    ),
    Ordered(
        "density/reachability.py",
        "bound = np.nextafter(within_eps, np.inf)",
        "bound = within_eps",
        "a neighbour at exactly the cap is none",
    ),
    Ordered(
        "density/reachability.py",
        "        weight = (following - last) / 2\n",
        "        weight = following - here\n",
        "the integral over radii is a sum of left ends",
    ),
    Ordered(
        "density/ordering.py",
        "better = np.flatnonzero((from_here < reachability[first]) & is_open)",
        "better = np.flatnonzero(from_here < reachability[first])",
        "objects that are in order already are reached again",
    ),
    Ordered(
        "density/ordering.py",
        "best = np.lexsort([noise, -counts, np.abs(counts - n_clusters)])[0]",
        "best = np.lexsort([noise, counts, np.abs(counts - n_clusters)])[0]",
        "of two numbers as near the smaller is taken",
    ),
    Ordered(
        "density/ordering.py",
        "windows = np.minimum(core, reach) if size == 1",
        "windows = core if size == 1",
        "an object that is joined must be core to be a cluster",
    ),
    # what lasts -----------------------------------------------------------------------
    Lasting(
        "density/persistence.py",
        "    here = np.column_stack([places, np.zeros(n)])\n",
        "    here = others\n",
        "the nearest are those of like variance",
    ),
    Lasting(
        "density/persistence.py",
        "np.maximum(1.0 - ratio / 9.0, 0.0) ** 3",
        "np.maximum(1.0 - ratio / 9.0, 0.0)",
        "the median of a chi-square without its cube",
    ),
    Lasting(
        "density/persistence.py",
        "joined = np.maximum(apart.ravel(), np.maximum(core[rows], core[columns]))",
        "joined = np.maximum(apart.ravel(), core[rows])",
        "only one of two joined objects must be core",
    ),
    Lasting(
        "density/persistence.py",
        "    return float(np.sqrt(smallest * largest))\n",
        "    return float(largest)\n",
        "the radius is the largest that keeps clusters apart",
    ),
    Lasting(
        "density/persistence.py",
        "        row[inside] = np.where(alone, origin, new)[piece]\n",
        "        row[inside] = new[piece]\n",
        "a cluster is another one at every radius",
    ),
)
