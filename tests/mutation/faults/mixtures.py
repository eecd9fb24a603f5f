"""Faults in mixtures, and in views and what they agree on."""

from functools import partial

from tests.mutation.fault import Fault

Em = partial(Fault, room="mixture/test_em.py")
Formula = partial(Fault, room="mixture/test_formulas.py")
Labelled = partial(Fault, room="mixture/test_labels.py")
View = partial(Fault, room="views/test_formulas.py")
Search = partial(Fault, room="mixture/test_search.py")
Views = partial(Fault, room="views/test_views.py")
Naming = partial(Fault, room="views/test_naming.py")

FAULTS = (
    # mixture --------------------------------------------------------------------------
    Formula(
        "mixture/maximisation.py",
        "        spreads = own + own**2 * found.gains / shares[:, None] - moves**2\n",
        "        spreads = own + own**2 * found.gains / shares[:, None]\n",
        "variances are about the old means",
    ),
    Formula(
        "mixture/maximisation.py",
        "        / (counts + prior.weight),\n",
        "        / counts,\n",
        "the prior widens covariances instead of drawing them",
    ),
    Formula(
        "mixture/maximisation.py",
        "-0.5 * self.weight * (logs + ratios)",
        "-0.5 * self.weight * logs",
        "the prior's part of the objective lacks a term",
    ),
    Formula(
        "mixture/maximisation.py",
        "guess is not None and tried.objective >= states[-1].objective",
        "guess is not None",
        "a step ahead is taken though it is worse",
    ),
    Em(
        "mixture/maximisation.py",
        "asked[number] = ways[number].send(state)",
        "asked[number] = ways[-1 - number].send(state)",
        "rounds of one start are given to another",
    ),
    Formula(
        "mixture/under.py",
        "        n_known = xp.sum(known, axis=0)\n    pulls = gap * precision\n",
        "    pulls = gap * precision\n",
        "missing values count in the constant of a diagonal density",
    ),
    Em(
        "mixture/under.py",
        "        total *= measured.known[:, None, :]\n",
        "",
        "rows of missing values stay in the matrices",
    ),
    Em(
        "mixture/under.py",
        "below *= (known[j:] * known[j])[:, None]",
        "below *= known[j:, None]",
        "columns of missing values stay in the matrices",
    ),
    Em(
        "mixture/under.py",
        "            below += errors[j:, j, None]\n",
        "            below[0] += errors[j, j]\n",
        "correlations of errors are forgotten",
    ),
    Em(
        "mixture/under.py",
        "np.multiply(turned, np.sqrt(shares)[:, None, None], out=weighted)",
        "np.multiply(turned, shares[:, None, None], out=weighted)",
        "shares count twice in what is gained",
    ),
    Em(
        "mixture/expectation.py",
        "        covariances = np.repeat(covariances, k, axis=0)\n",
        "        covariances = np.tile(covariances, (k, 1, 1))\n",
        "of several mixtures one has the covariance of another",
    ),
    Formula(
        "mixture/alike.py",
        "precision = self.roots.transpose(0, 2, 1) @ self.roots",
        "precision = self.roots @ self.roots.transpose(0, 2, 1)",
        "errors that are alike: an inverse from the wrong side of its root",
    ),
    Formula(
        "mixture/alike.py",
        "put_beside(d * LOG_2PI + self.log_determinants, self.gaps)",
        "put_beside(d * LOG_2PI + 0.0 * self.log_determinants, self.gaps)",
        "errors that are alike: densities without their determinants",
    ),
    Formula(
        "mixture/expectation.py",
        "rest = np.array([[each.noise_weight] for each in several])",
        "rest = np.array([[0.0] for each in several])",
        "noise has no weight",
    ),
    Formula(
        "mixture/expectation.py",
        "    return put_beside(logs, measured.known) @ measured.known\n",
        "    return put_beside(np.full(measured.n_objects, logs.sum()), "
        "measured.values)\n",
        "noise of objects with gaps fills the whole box",
    ),
    Em(
        "mixture/alike.py",
        "    if not (largest * precision).max() < MOST_SQUARED_DEVIATIONS:\n"
        "        return None\n",
        "",
        "squares of far values leave no digits",
    ),
    Em(
        "mixture/belief.py",
        "    return mean + own @ fitted.pulls, left\n",
        "    return mean + fitted.pulls, left\n",
        "beliefs are pulled without the covariance",
    ),
    Em(
        "mixture/belief.py",
        "            np.copyto(centre, some.values, where=exact)\n",
        "",
        "exact values come back rounded",
    ),
    Search(
        "mixture/fitting.py",
        "HOPELESS = {15: 0.25, 35: 0.5}",
        "HOPELESS = {5: 0.25, 35: 0.5}",
        "clusters that cross are given up before they can be found",
    ),
    Search(
        "mixture/fitting.py",
        "each = 1.0 + (share * price - 1.0) * n_few / n_objects",
        "each = share * price",
        "what some objects show is not more with all",
    ),
    Search(
        "mixture/fitting.py",
        '                since[kind] = since["diag"]\n',
        "",
        "correlations are tried when there is nothing to compare them with",
    ),
    Formula(
        "mixture/fitting.py",
        '        "tied": d * (d + 1) // 2,\n',
        '        "tied": k * d * (d + 1) // 2,\n',
        "a shared covariance is counted once per component",
    ),
    Em(
        "mixture/model.py",
        "Measured(values, self.errors[..., : len(chosen)], labels=labels)",
        "Measured(values, self.errors[..., chosen], labels=labels)",
        "errors that are alike are copied for a trial",
    ),
    Formula(
        "mixture/running.py",
        "within + each(part * (1.0 - part)) * squares",
        "within",
        "blended moments forget how far the means are apart",
    ),
    Formula(
        "mixture/running.py",
        "moments=blended(self.moments, new, share**FORGETTING)",
        "moments=blended(self.moments, new, share)",
        "what was said with worse components counts in full",
    ),
    Labelled(
        "mixture/expectation.py",
        "other = (labels >= 0) & (labels != np.arange(n_rows)[:, None])",
        "other = labels != np.arange(n_rows)[:, None]",
        "objects without a label are of no component",
    ),
    Labelled(
        "mixture/merging.py",
        "        open_parts[:n_named, :n_named] = 0.0\n",
        "",
        "clusters that are known to be different are joined",
    ),
    Formula(
        "mixture/merging.py",
        "        groups[groups > b] -= 1\n",
        "",
        "numbers of merged clusters have holes",
    ),
    Formula(
        "mixture/clusters.py",
        "    known = known if order is None else known[order]\n",
        "",
        "known clusters are those of other objects",
    ),
    # views ----------------------------------------------------------------------------
    View(
        "views/fusion.py",
        "weights = votes * agreement(shared)",
        "weights = votes",
        "a view that agrees with none counts in full",
    ),
    View(
        "views/fusion.py",
        "np.sqrt(weights[:, None] / np.maximum(counts, 1))",
        "np.sqrt(weights[:, None] / np.maximum(counts.max(axis=1)[:, None], 1))",
        "small clusters hardly count in the projections",
    ),
    View(
        "views/fusion.py",
        "    if shared_information(own_tables).sum() >= others[best]:\n",
        "    if True:\n",
        "a mean that is like no view is kept",
    ),
    View(
        "views/fusion.py",
        "        halves = 0.5 * np.square(self.centres).sum(axis=1)\n",
        "        halves = 0.0\n",
        "the nearest centre is the longest one",
    ),
    Views(
        "views/look.py",
        "        first = counts.argmax(axis=2)[..., None]\n",
        "        first = np.zeros_like(counts[..., :1])\n",
        "the nearest neighbour alone decides",
    ),
    View(
        "views/look.py",
        "    stays = (one < 0) | (other < 0)\n",
        "    stays = np.ones_like(one, dtype=bool)\n",
        "objects of different labels stay neighbours",
    ),
    Views(
        "views/truths.py",
        "own * -np.log(uniforms(streams, keys)[0])",
        "own * uniforms(streams, keys)[0]",
        "weights of the bootstrap are uniform",
    ),
    View(
        "views/truths.py",
        "    return Look(seen, values, 1.0 / total, means)\n",
        "    return Look(seen, values, total, means)\n",
        "badly measured objects weigh most",
    ),
    Views(
        "views/truths.py",
        "        by_turns = Measurements((*self.priors, best.components))\n",
        "        by_turns = alone\n",
        "worlds are never drawn as if all were of one Gaussian",
    ),
    Naming(
        "views/truths.py",
        "as_many.aic - best.aic > CLEARLY",
        "as_many.aic - best.aic > 100.0 * CLEARLY",
        "priors that are at odds are mixed, whatever speaks for one of them",
    ),
    Naming(
        "views/naming.py",
        "    between = alike[::2, 1::2].mean()\n",
        "    between = alike[::2, ::2].mean()\n",
        "worlds of a prior are compared with those of the same",
    ),
    Naming(
        "views/naming.py",
        "    if min(one, other) < LEAST_ALIKE:\n        return False\n",
        "",
        "worlds without clusters in common are at odds with others",
    ),
    Naming(
        "views/naming.py",
        "    means: Array = (alike.sum(axis=1) - 1.0) / (len(alike) - 1)\n",
        "    means: Array = alike.mean(axis=1)\n",
        "worlds are like others because they are like themselves",
    ),
    Naming(
        "views/naming.py",
        "    if number:\n",
        "    if False:\n",
        "worlds are named after given data that show other clusters",
    ),
    Naming(
        "views/naming.py",
        "    return 1 + int(likeness.argmax())\n",
        "    return 1 + int(likeness.argmin())\n",
        "worlds are named after the one that is least like them",
    ),
    View(
        "views/partition.py",
        "    votes[2 : 2 + graphs] = 1.0 / graphs\n",
        "",
        "two graphs that are alike have two votes",
    ),
    Fault(
        "views/partition.py",
        "votes * stable**STABLE_POWER",
        "votes",
        "views that find something else each time count in full",
        room="views/test_stability.py",
    ),
    Fault(
        "views/stability.py",
        "    others = [*labels[2:], *labels[:2]]\n",
        "    others = labels\n",
        "worlds are compared with themselves",
        room="views/test_stability.py",
    ),
    Fault(
        "data/replicates.py",
        "squares.T @ (squares / np.maximum(each, 1.0)[:, None])",
        "np.outer(squares.sum(axis=0), squares.sum(axis=0)) / freedom",
        "unequal objects are taken for a correlation",
        room="data/test_replicates.py",
    ),
)
