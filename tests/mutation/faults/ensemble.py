"""Faults in what is made of many clusterings."""

from functools import partial

from tests.mutation.fault import Fault

Agreed = partial(Fault, room="ensemble/test_consensus.py")
Choice = partial(Fault, room="ensemble/test_alternatives.py")
Run = partial(Fault, room="ensemble/test_runs.py")
Consistent = partial(Fault, room="estimators/test_pwc.py")

FAULTS = (
    Agreed(
        "ensemble/consensus.py",
        "    kept = counts > found.n_worlds / 2\n",
        "    kept = counts > 0\n",
        "a group that one world supports is a cluster",
    ),
    Agreed(
        "ensemble/consensus.py",
        'kept[np.argsort(-counts, kind="stable")[:n_least]] = True',
        "kept[:n_least] = True",
        "where no group has a majority, any will do",
    ),
    Agreed(
        "ensemble/consensus.py",
        "np.bincount([number for number in numbers if number]).argmax()",
        "np.bincount(numbers).argmax()",
        "worlds of noise alone vote for no cluster",
    ),
    Agreed(
        "ensemble/consensus.py",
        "        noisy |= 1.0 - share <= threshold + 1e-9\n",
        "        pass\n",
        "objects that are too seldom with others are clusters alone",
    ),
    Agreed(
        "ensemble/consensus.py",
        "_renumbered(labels[possible[likeness.argmax()]])",
        "_renumbered(labels[possible[likeness.argmin()]])",
        "the oddest world is the reference of a vote",
    ),
    Agreed(
        "ensemble/linkage.py",
        "mean = weight[kept] * distances[kept] + weight[gone] * distances[gone]",
        "mean = both * (distances[kept] + distances[gone]) / 2",
        "groups count alike, whatever their size",
    ),
    Agreed(
        "ensemble/linkage.py",
        "merges = merges[heights < 1.0 - threshold - 1e-9]",
        "merges = merges[heights <= 1.0 - threshold]",
        "groups at exactly the threshold are merged",
    ),
    Agreed(
        "ensemble/consensus.py",
        "targets = np.where(overlap.max(axis=1) > 0, overlap.argmax(axis=1), -1)",
        "targets = np.full(len(overlap), -1)",
        "clusters that are left over are noise",
    ),
    Agreed(
        "ensemble/consensus.py",
        "    real = overlap[rows, columns] > 0\n",
        "    real = overlap[rows, columns] >= 0\n",
        "clusters without common objects are matched",
    ),
    Agreed(
        "ensemble/runs.py",
        "return float((table.sum() - np.trace(table)) / (m * (m - 1)))",
        "return float(table.mean())",
        "clusterings agree with themselves",
    ),
    Agreed(
        "ensemble/runs.py",
        "total = float(table[~together].mean())",
        "total = float(table.mean())",
        "runs of one world count as disagreement of worlds",
    ),
    Choice(
        "ensemble/alternatives.py",
        'keys = (mean, largest) if criterion == "center" else (largest, mean)',
        "keys = (mean, largest)",
        "criterion='medoid' is ignored",
    ),
    Choice(
        "ensemble/alternatives.py",
        "order = np.lexsort((picks, radii, -sizes))",
        "order = np.lexsort((picks, radii, sizes))",
        "the smallest group comes first",
    ),
    Choice(
        "ensemble/alternatives.py",
        "np.where(left, inside @ left.astype(np.intp), 0)",
        "np.where(left, inside.sum(axis=1), 0)",
        "later balls count what earlier ones hold",
    ),
    Choice(
        "ensemble/alternatives.py",
        "bound = beta.ppf(1.0 - level, np.maximum(support, 1), n - support + 1)",
        "bound = beta.ppf((1.0 - level) / 2, np.maximum(support, 1), n - support + 1)",
        "the exact bound is two-sided",
    ),
    Choice(
        "ensemble/alternatives.py",
        "    chosen = np.delete(np.arange(m), held)\n",
        "    chosen = np.arange(m)\n",
        "what is held out is chosen from",
    ),
    Run(
        "ensemble/runs.py",
        "states = np.random.SeedSequence([seed, world])",
        "states = np.random.SeedSequence([seed])",
        "a clusterer is as random in all worlds",
    ),
    Run(
        "ensemble/runs.py",
        "failures[int(worlds.indices[j])] = answer.problem",
        "failures[j] = answer.problem",
        "failures have the numbers of other worlds",
    ),
    Run(
        "ensemble/runs.py",
        "return np.maximum(found.astype(np.intp), -1)",
        "return found.astype(np.intp)",
        "other kinds of noise are clusters",
    ),
    Consistent(
        "ensemble/consensus_affinity.py",
        "gaps = squares[:, -1:] - squares[:, :-1]",
        "gaps = distances[:, -1:] - distances[:, :-1]",
        "affinities fall with the distance, not with its square",
    ),
    Consistent(
        "ensemble/consensus_affinity.py",
        "projected(support.data - 0.5 * strength * pull, support.indptr)",
        "projected(support.data - strength * pull, support.indptr)",
        "the pull towards components is twice as strong",
    ),
    Consistent(
        "estimators/_pwc.py",
        "                found[np.arange(len(found)), self._model.labels] += 1e-12\n",
        "                pass\n",
        "an object leaves its cluster for one that is no better",
    ),
)
