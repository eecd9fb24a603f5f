"""`compare`: several methods on the same data, beside two that ignore errors."""

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from incerta.api.answer import chosen_number, cluster, in_directions, scaled_by
from incerta.api.methods import Method, asked
from incerta.api.result import as_frame
from incerta.data.coerce import as_uncertain
from incerta.data.container import UncertainData
from incerta.estimators.named import COMPARED, CONTROLS, KMEANS
from incerta.labels import in_order_of_appearance
from incerta.metrics import clustering_accuracy
from incerta.mixture.deconvolver import located
from incerta.typing import Array, Ids, Indices, Seed
from incerta.worlds.streams import MOST_SEEDS, checked_seed


@dataclass(frozen=True)
class Answer:
    """The result of one method, and the time it took."""

    labels: Indices
    confidence: float  # mean over the objects; NaN without confidence
    seconds: float
    stability: float  # adjusted Rand index with a second run, with another seed


@dataclass(frozen=True, repr=False)
class Comparison:
    """The result of `compare`: clusterings of the same data by several methods.

    Attributes
    ----------
    answers : dict of str to Answer
        For each method and then each control: ``labels``, ``confidence`` (the mean),
        ``seconds``, and ``stability``, the agreement of two runs with different seeds.
    failed : dict of str to ValueError
        Methods and controls without a result, with the error.
    truth : ndarray of shape (n_objects,) or None
        Known classes, None where unknown.
    library : str or None
        The frame library that the data came from.

    Examples
    --------
    >>> import incerta as ic
    >>> data, classes = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=0)
    >>> compared = ic.compare(data, 3, ["UKMeans"], truth=classes)
    >>> compared.columns()["acc"]
    array([1., 1., 1.])
    """

    answers: dict[str, Answer]
    failed: dict[str, ValueError]
    truth: Ids | None = None
    library: str | None = None

    @property
    def agreement(self) -> Array:
        """Adjusted Rand index of each pair of methods: 1 is the same, 0 is chance."""
        labels = [each.labels for each in self.answers.values()]
        return np.array(
            [[adjusted_rand_score(one, other) for other in labels] for one in labels]
        )

    def columns(self) -> dict[str, Any]:
        """Return a row per method, with ``acc`` and ``nmi`` if classes are known."""
        labels = [each.labels for each in self.answers.values()]
        columns = {
            "method": np.array(list(self.answers)),
            "clusters": np.array([each.max() + 1 for each in labels]),
            "noise": np.array([(each < 0).sum() for each in labels]),
        }
        for name in ("confidence", "stability", "seconds"):
            cells = [getattr(each, name) for each in self.answers.values()]
            columns[name] = np.array(cells)
        if self.truth is not None:
            has_class = np.array([each is not None for each in self.truth])
            classes = self.truth[has_class].astype(str)
            for name, score in (
                ("acc", clustering_accuracy),
                ("nmi", normalized_mutual_info_score),
            ):
                columns[name] = np.array(
                    [score(classes, each[has_class]) for each in labels]
                )
        return columns

    def table(self) -> Any:
        """Return the same as a frame of the library that the data came from."""
        return as_frame(self.columns(), self.library)

    def __repr__(self) -> str:
        stable = (f"{n} ({each.stability:.2f})" for n, each in self.answers.items())
        return f"<Comparison, with stabilities: {', '.join(stable)}>"


def compare(
    data: Any,
    k: int | str = "auto",
    methods: Sequence[str] = COMPARED,
    random_state: Seed = 0,
    scale: bool = True,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    truth: Any = None,
) -> Comparison:
    """Cluster the same data with several methods, and measure their agreement.

    Two controls, k-means and HDBSCAN, treat the values as exact. A method that cannot
    be run, for example because there are too few objects, is listed in ``failed``.

    Parameters
    ----------
    data : UncertainData or anything `as_uncertain` takes
        The objects.
    k : int or "auto", default="auto"
        Number of clusters. "auto" chooses it once, for all methods that need one;
        density methods find the number themselves.
    methods : sequence of str, optional
        Names of methods; see `cluster`.
    random_state : int, RandomState, Generator or None, default=0
        Seed. Every method is run again with the next seed to measure its stability.
    scale : bool, default=True
        As for `cluster`.
    params : mapping of str to mapping of str, optional
        Parameters of the methods, such as ``{"FDBSCAN": {"eps": 0.3}}``.
    truth : array-like of shape (n_objects,), optional
        Known classes, None where a class is unknown.

    Examples
    --------
    >>> import incerta as ic
    >>> data, _ = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=0)
    >>> compared = ic.compare(data, k=3, methods=("UKMeans", "UKMedoids"))
    >>> list(compared.answers)
    ['UKMeans', 'UKMedoids', 'k-means on the values', 'HDBSCAN on the values']
    >>> float(compared.agreement[0, 1])
    1.0
    """
    objects, seed = as_uncertain(data), checked_seed(random_state)
    known = None
    if truth is not None:
        classes = [None if each is None or each != each else each for each in truth]
        if len(classes) != len(objects):
            msg = (
                f"truth has {len(classes)} classes, and there are {len(objects)} "
                "objects; give one for each, None where it is unknown."
            )
            raise ValueError(msg)
        if all(each is None for each in classes):
            msg = "truth has no known class; leave it out."
            raise ValueError(msg)
        known = np.array([*classes, None], dtype=object)[:-1]
    wanted = {name: asked(name, (params or {}).get(name)) for name in methods}
    numbers = _numbers(objects, k, wanted, seed, scale)
    answers: dict[str, Answer] = {}
    failed: dict[str, ValueError] = {}

    def keep(name: str, run: Callable[[int], tuple[Indices, float]]) -> None:
        """Run a method with two seeds in a row; keep the result or the error."""
        start = time.perf_counter()
        try:
            labels, confidence = run(seed)
            seconds = time.perf_counter() - start
            stability = adjusted_rand_score(labels, run((seed + 1) % MOST_SEEDS)[0])
        except ValueError as error:  # for example, too few objects
            failed[name] = error
        else:
            answers[name] = Answer(labels, confidence, seconds, stability)

    def by_method(name: str, seed: int) -> tuple[Indices, float]:
        some = None if params is None else params.get(name)
        result = cluster(objects, numbers[name], name, seed, scale, some)
        return result.labels, float(result.confidence.mean())

    def by_control(name: str, seed: int) -> tuple[Indices, float]:
        return on_values(name, values, number, seed), float("nan")

    for name in wanted:
        keep(name, partial(by_method, name))
    if answers:
        first = int(next(iter(answers.values())).labels.max()) + 1
        fixed = (n for n in (k, *numbers.values()) if not isinstance(n, str))
        number = next(fixed, max(first, 1))
        values = filled_means(scaled_by(objects, scale)[1])
        for name in CONTROLS:
            keep(name, partial(by_control, name))
    return Comparison(answers, failed, known, objects.library)


def _numbers(
    data: UncertainData,
    k: int | str,
    methods: Mapping[str, Method],
    seed: int,
    scale: bool,
) -> dict[str, int | str]:
    """Return the number of clusters for each method; it is chosen at most once."""
    if k != "auto":
        return {name: k if each.numbers else "auto" for name, each in methods.items()}
    chosen = None
    if not all(each.finds_number for each in methods.values()):
        there = in_directions(scaled_by(data, scale)[1], "auto", seed)[1]
        chosen = chosen_number(there, seed, "auto")
    number: int | str = "auto" if chosen is None else chosen.k
    return {n: "auto" if each.finds_number else number for n, each in methods.items()}


def filled_means(data: UncertainData) -> Array:
    """Return the means of the objects, with gaps filled by the mean of the feature."""
    values = located(data).mean()
    gaps = np.isnan(values)
    return np.where(gaps, np.nanmean(values, axis=0), values) if gaps.any() else values


def on_values(control: str, values: Array, k: int, seed: int) -> Indices:
    """Return labels by one of `CONTROLS`, from scaled values without gaps."""
    from sklearn import cluster as clusterers

    clusterer = clusterers.HDBSCAN(copy=True)
    if control == KMEANS:
        clusterer = clusterers.KMeans(k, n_init=10, random_state=seed)
    with warnings.catch_warnings():
        # Equal values may give fewer clusters than requested.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = clusterer.fit_predict(values)
    return in_order_of_appearance(np.asarray(labels, dtype=np.intp))[0]
