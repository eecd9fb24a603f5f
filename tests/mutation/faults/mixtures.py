"""Faults in mixtures, and in views and their judge."""

from functools import partial

from tests.mutation.fault import Fault

Em = partial(Fault, room="mixture/test_em.py")
Formula = partial(Fault, room="mixture/test_formulas.py")
Labelled = partial(Fault, room="mixture/test_labels.py")
Search = partial(Fault, room="mixture/test_search.py")
Views = partial(Fault, room="views/test_views.py")
Judge = partial(Fault, room="views/test_judge.py")
Names = partial(Fault, room="views/test_memberships.py")

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
        "mixture/under.py",
        "precision = self.roots.transpose(0, 2, 1) @ self.roots",
        "precision = self.roots @ self.roots.transpose(0, 2, 1)",
        "errors that are alike: an inverse from the wrong side of its root",
    ),
    Formula(
        "mixture/under.py",
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
        "mixture/under.py",
        "    if not (largest * precision).max() < MOST_SQUARED_DEVIATIONS:\n"
        "        return None\n",
        "",
        "squares of far values leave no digits",
    ),
    Em(
        "mixture/expectation.py",
        "    return mean + own @ fitted.pulls, left\n",
        "    return mean + fitted.pulls, left\n",
        "beliefs are pulled without the covariance",
    ),
    Em(
        "mixture/expectation.py",
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
        "mixture/maximisation.py",
        "within + each(part * (1.0 - part)) * squares",
        "within",
        "blended moments forget how far the means are apart",
    ),
    Formula(
        "mixture/maximisation.py",
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
        "mixture/expectation.py",
        "    known = known if order is None else known[order]\n",
        "",
        "known clusters are those of other objects",
    ),
    # views ----------------------------------------------------------------------------
    Views(
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
    Views(
        "views/truths.py",
        "worth = shares.multiply(shares).sum(axis=1)",
        "worth = shares.sum(axis=1)",
        "laws of many values are as doubtful as those of one",
    ),
    Views(
        "views/consensus.py",
        " + STABLE * np.array([stable[name] for name in found])",
        "",
        "stability counts for nothing",
    ),
    Names(
        "views/consensus.py",
        "        reference = one[labels].mean(axis=0)\n",
        "",
        "worlds are named after given data that show other clusters",
    ),
    Names(
        "views/consensus.py",
        "    others = np.roll(labels, -1, axis=0)\n",
        "    others = labels\n",
        "worlds are compared with themselves",
    ),
    Names(
        "views/consensus.py",
        "more = (lacks / (1.0 + lacks))[:, None]",
        "more = lacks[:, None]",
        "more of a label is mixed in than it takes",
    ),
    Judge(
        "views/judge.py",
        "there = np.flatnonzero(fold == number), np.flatnonzero(fold != number)",
        "there = np.flatnonzero(fold == number), np.arange(n)",
        "laws are asked about the objects they are fitted to",
    ),
    Judge(
        "views/judge.py",
        "max(most, WORTH)",
        "most",
        "a handful of outliers is worth as much as two halves",
    ),
    Judge(
        "views/judge.py",
        "        if found.bic - tried[0].bic > HOPELESS * price:\n",
        "        if found.bic > tried[0].bic:\n",
        "a ring is not tried with four Gaussians",
    ),
    Fault(
        "data/replicates.py",
        "squares.T @ (squares / np.maximum(each, 1.0)[:, None])",
        "np.outer(squares.sum(axis=0), squares.sum(axis=0)) / freedom",
        "unequal objects are taken for a correlation",
        room="data/test_replicates.py",
    ),
)
