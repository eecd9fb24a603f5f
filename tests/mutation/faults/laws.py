"""Faults in laws: what a distribution is, and what happens to it."""

from functools import partial

from tests.mutation.fault import Fault

Law = partial(Fault, room="data/laws")
Standardizing = partial(Fault, room="data/test_standardize.py")

FAULTS = (
    Law(
        "data/laws.py",
        "below = np.where(scale < 0, self.above, self.below) * size",
        "below = self.below * size",
        "a negative factor does not swap the sides of an asymmetric error",
    ),
    Law(
        "data/laws.py",
        "self.mode + np.sqrt(2 / np.pi) * (self.above - self.below)",
        "self.mode",
        "the mean of an asymmetric law is its mode",
    ),
    Law(
        "data/laws.py",
        "off + self.below * self.above",
        "off + (self.below**2 + self.above**2) / 2",
        "the variance of an asymmetric law",
    ),
    Law(
        "data/laws.py",
        "left = u * total <= self.below",
        "left = u <= 0.5",
        "both sides of an asymmetric law are equally probable",
    ),
    Law(
        "data/laws.py",
        "        return self.draws.var(axis=0)\n",
        "        return self.draws.var(axis=0, ddof=1)\n",
        "variance of joint draws divides by n - 1",
    ),
    Law(
        "data/laws.py",
        "getattr(self, name)[(*before, index)]",
        "getattr(self, name)[(*before, np.sort(index))]",
        "taking objects of joint draws keeps their old order",
    ),
    Law(
        "data/laws.py",
        "if len(lengths) > 1:",
        "if False:",
        "joint draws of different numbers are joined",
    ),
    Law(
        "data/laws.py",
        "        edges = np.cumsum(self.shares, axis=1)[:, :-1]\n",
        "        edges = self.shares[:, :-1]\n",
        "parts of a mixture are drawn by wrong shares",
    ),
    Law(
        "data/laws.py",
        'return np.einsum("nk,nki->ni", self.shares, within + apart)',
        'return np.einsum("nk,nki->ni", self.shares, within)',
        "the variance of a mixture forgets how far its parts are apart",
    ),
    Law(
        "data/laws.py",
        "factors = self.factors * by",
        "factors = self.factors",
        "a mixture in other units keeps its widths",
    ),
    Law(
        "data/laws.py",
        "centres = self.centres @ matrix.T + offset",
        "centres = self.centres @ matrix + offset",
        "a mixture is mapped by the transposed matrix",
    ),
    Law(
        "data/laws.py",
        "return self.source.at(u) @ self.matrix.T + self.offset",
        "return self.source.at(u) @ self.matrix.T",
        "draws of a mapped law lack the offset",
    ),
    Law(
        "data/laws.py",
        "return self.matrix @ self.source.covariance() @ self.matrix.T",
        "return self.matrix.T @ self.source.covariance() @ self.matrix",
        "the covariance of a mapped law",
    ),
    Law(
        "data/laws.py",
        "self.source, scale[:, None] * self.matrix, scale * self.offset + offset",
        "self.source, scale[:, None] * self.matrix, self.offset + offset",
        "a mapped law in other units keeps its offset",
    ),
    Law(
        "data/laws.py",
        "None if gaps is None else gaps @ (self.matrix != 0.0).T",
        "gaps",
        "missing values of a mapped law are those of its source",
    ),
    Law(
        "data/laws.py",
        "            mine[:, self.row[where]] = u[:, where, : law.n_uniforms]\n",
        "            mine[:, : len(where)] = u[:, where, : law.n_uniforms]\n",
        "stacked laws get the numbers of other objects",
    ),
    Law(
        "data/laws.py",
        "new_part[where], new_row[where] = len(kept), np.arange(len(where))",
        "new_part[where], new_row[where] = number, np.arange(len(where))",
        "taking some of stacked laws leaves a hole in their numbers",
    ),
    Law(
        "data/laws.py",
        "        np.clip(rows, self.starts[:-1], self.starts[1:] - 1, out=rows)\n",
        "",
        "a number just below 1 gives the value of the next object",
    ),
    Law(
        "data/laws.py",
        "sums if self.weights is not None else sums / self.counts[objects, None]",
        "sums / self.counts[objects, None]",
        "means of weighted values are divided twice",
    ),
    Law(
        "data/laws.py",
        "        weights = None if self.weights is None else self.weights[rows]\n",
        "        weights = None\n",
        "taking objects loses the weights of their values",
    ),
    Law(
        "data/laws.py",
        "np.concatenate([self.probabilities(), other.probabilities()])",
        "np.concatenate([other.probabilities(), self.probabilities()])",
        "joined objects have each other's weights",
    ),
    Law(
        "data/laws.py",
        "        starts = self.starts[objects] - rows.start\n",
        "        starts = self.starts[objects]\n",
        "expectations of the second block of many values",
    ),
    Law(
        "data/laws.py",
        '"uniform": Family(lambda u: u, 0.5, 1 / 12)',
        '"uniform": Family(lambda u: u, 0.5, 1 / 3)',
        "the variance of an interval is that of one twice as wide",
    ),
    Law(
        "data/laws.py",
        "np.copysign(np.log(2.0 * tail), u - 0.5)",
        "np.copysign(np.log(2.0 * tail), 0.5 - u)",
        "quantiles of Laplace fall",
    ),
    Law(
        "data/laws.py",
        "self.loc * scale + offset, self.scale * scale)",
        "self.loc * scale + offset, self.scale * abs(scale))",
        "an interval that is scaled by a negative factor lies beside its place",
    ),
    Law(
        "data/laws.py",
        'if self.family != "gaussian":',
        "if False:",
        "linear maps of intervals are Gaussian",
    ),
    Law(
        "data/laws.py",
        "        roots = np.sqrt(np.clip(eigenvalues, 0.0, None))\n",
        "        roots = np.sqrt(np.abs(eigenvalues))\n",
        "negative eigenvalues by rounding count as positive",
    ),
    Law(
        "data/laws.py",
        "return np.where(np.isnan(self.centre), np.inf, squares)",
        "return squares",
        "a missing value of a correlated law has a finite variance",
    ),
    Standardizing(
        "data/standardize.py",
        "        self.scale_ = np.where(flat, 1.0, np.sqrt(variance))\n",
        "        self.scale_ = np.sqrt(np.where(variance > 0, variance, 1.0))\n",
        "a column that is constant but for rounding is blown up",
    ),
    Standardizing(
        "data/standardize.py",
        '        if self.spread == "total":\n',
        "        if True:\n",
        "spread='means' is ignored",
    ),
)
