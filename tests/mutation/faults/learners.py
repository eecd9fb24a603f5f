"""Faults in classifiers and in clusterers of streams."""

from functools import partial

from tests.mutation.fault import Fault

Whole = partial(Fault, room="classifiers/test_classifiers.py")
Formula = partial(Fault, room="classifiers/test_formulas.py")
Following = partial(Fault, room="streams/test_following.py")
Micro = partial(Fault, room="streams/test_umicro.py")
Sliding = partial(Fault, room="streams/test_sliding.py")
Small = partial(Fault, room="streams/test_formulas.py")
Worlds = partial(Fault, room="streams/test_stream_rpc.py")

FAULTS = (
    # classifiers ----------------------------------------------------------------------
    Whole(
        "classifiers/_base.py",
        "            data, codes = data[order], codes[order]\n",
        "            data = data[order]\n",
        "classes stay in the order of the rows while objects are sorted",
    ),
    Formula(
        "classifiers/_base.py",
        'Deconvolver().fit(data) if data.meaning == "error" else None',
        "None",
        "worlds are drawn around measured values, which adds a second error",
    ),
    Whole(
        "classifiers/_discriminant.py",
        "        self.weights_ = shares * self.priors_[self.class_of_component_]\n",
        "        self.weights_ = shares / len(each)\n",
        "all classes are equally frequent, whatever the priors",
    ),
    Whole(
        "classifiers/_discriminant.py",
        "return full if off.any() else full.as_kind",
        "return full.as_kind",
        "correlations are dropped in predictions",
    ),
    Formula(
        "classifiers/_discriminant.py",
        "        return given / total\n",
        "        return given\n",
        "given priors do not add up to 1",
    ),
    Formula(
        "classifiers/_naive_bayes.py",
        "            inside = np.zeros_like(inside)\n",
        "",
        "a Gaussian of measured values is as wide as truth and errors together",
    ),
    Formula(
        "classifiers/_naive_bayes.py",
        "values, own = centre + kept * (values - centre), kept * own",
        "values = centre + kept * (values - centre)",
        "kernels of measured values keep the whole error",
    ),
    Formula(
        "classifiers/_naive_bayes.py",
        "total = own[:, j, None] + self.variances_[:, j]",
        "total = 0.0 * own[:, j, None] + self.variances_[:, j]",
        "errors of new objects do not count",
    ),
    Formula(
        "classifiers/_naive_bayes.py",
        "softmax(logs + np.log(self.priors_), axis=1)",
        "softmax(logs, axis=1)",
        "rare classes are as probable as frequent ones",
    ),
    Formula(
        "classifiers/_support.py",
        "self.width_of_level_2_ = float(np.sqrt(middle))",
        "self.width_of_level_2_ = float(middle)",
        "the width of the second level is a square",
    ),
    Formula(
        "classifiers/_support.py",
        "own[:, None] + self._sizes - 2.0 * expected",
        "own[:, None] + own[:, None] - 2.0 * expected",
        "distances of laws forget the size of the other",
    ),
    Whole(
        "classifiers/_vote.py",
        "self.estimators_[j] for j in pairs.positions",
        "self.estimators_[0] for j in pairs.positions",
        "all worlds are judged by the classifier of the first",
    ),
    Formula(
        "classifiers/_vote.py",
        "base = clone(base).set_params(random_state=self.seed_)",
        "base = clone(base)",
        "a classifier without a seed is not repeatable",
    ),
    Formula(
        "classifiers/judged.py",
        "        probable[np.ix_(test, columns)] = learned.predict_proba(X[test])\n",
        "        probable[test, : len(columns)] = learned.predict_proba(X[test])\n",
        "a class that a fold lacks moves the others by a column",
    ),
    # streams: micro-clusters ----------------------------------------------------------
    Micro(
        "streams/absorbing.py",
        "        if sketch.n == 1:\n            return 0.0\n",
        "        if sketch.n == 1:\n            return float(np.inf)\n",
        "a lonely micro-cluster takes whatever comes",
    ),
    Micro(
        "streams/sketch.py",
        "now.scatter - old.scatter - between",
        "now.scatter - old.scatter",
        "what came since is as wide as if it had the old mean",
    ),
    Micro(
        "streams/sketch.py",
        "        while id not in place and id in became:\n",
        "        while False:\n",
        "of micro-clusters that were joined, the past is not taken off",
    ),
    Small(
        "streams/_base.py",
        "there.older(self._left(self.time_ - self._origin))",
        "there",
        "weights are as of the last ageing, not of the last object",
    ),
    Small(
        "streams/_umicro.py",
        "early.sketch.older(self._left(time - early.time))",
        "early.sketch",
        "an earlier state is taken off with its former weight",
    ),
    Small(
        "streams/absorbing.py",
        "(0.0 if last is None else last + 1.0)",
        "(0.0 if last is None else last)",
        "the first object of a piece comes together with the last before it",
    ),
    Small(
        "streams/absorbing.py",
        "MOST_HALVINGS = 400.0",
        "MOST_HALVINGS = 4000.0",
        "weights grow until they overflow",
    ),
    Small(
        "streams/_umicro.py",
        "order = (one.tick & -one.tick).bit_length()",
        "order = one.tick.bit_length()",
        "snapshots of late are few, and those of long ago stay for ever",
    ),
    Small(
        "streams/_umicro.py",
        "[one for one in snapshots if one.time <= time]",
        "[one for one in snapshots if one.time < time]",
        "the state at the very time that is asked for is not found",
    ),
    Small(
        "streams/macro.py",
        "lloyd(sketch.mean, n_clusters, N_STARTS, rng, sketch.weight).labels",
        "lloyd(sketch.mean, n_clusters, N_STARTS, rng).labels",
        "a micro-cluster of one object counts like one of a thousand",
    ),
    # streams: windows, worlds, names --------------------------------------------------
    Sliding(
        "streams/_sliding.py",
        "block.number > number - self.n_blocks",
        "block.number >= number - self.n_blocks",
        "the window is a block too long",
    ),
    Small(
        "streams/absorbing.py",
        "        while now in became:\n",
        "        if now in became:\n",
        "micro-clusters that were joined twice are lost",
    ),
    Small(
        "streams/_sliding.py",
        "sure = (there == 1.0).all() and self._all_exist()",
        "sure = (there == 1.0).all()",
        "a sure piece after an unsure one does not look for the surest",
    ),
    Small(
        "streams/_stream_rpc.py",
        "            data = replace(data, ids=data.ids + self.n_seen_)\n",
        "            pass\n",
        "every piece of numbered objects has the same random numbers",
    ),
    Small(
        "streams/_stream_rpc.py",
        "labels, cut_at = cut(rows, k, N_STARTS, self.seed_, weights)",
        "labels, cut_at = cut(rows, k, N_STARTS, self.seed_)",
        "k-means of the embedding forgets the weights",
    ),
    Small(
        "streams/_stream_rpc.py",
        "            seed=self.seed_,\n            weights=weights,\n",
        "            seed=self.seed_,\n",
        "worlds are compared as if all micro-clusters weighed alike",
    ),
    Worlds(
        "streams/_stream_rpc.py",
        "        add(flat[lost], weights[lost], current_ids(ids[lost], done))\n",
        "        pass\n",
        "a joined micro-cluster takes its values out of the worlds",
    ),
    Following(
        "streams/following.py",
        "linear_sum_assignment(capped)",
        "linear_sum_assignment(apart)",
        "clusters that cannot be partners decide who is",
    ),
    Following(
        "streams/following.py",
        "replace(one, number=old[p].number, since=old[p].since)",
        "replace(one, number=old[p].number)",
        "a cluster is as new as the last look",
    ),
    Following(
        "streams/following.py",
        "errors > STANDARD_ERRORS and spreads > PART_OF_SPREAD",
        "errors > STANDARD_ERRORS",
        "a move that is sure but tiny is told",
    ),
)
