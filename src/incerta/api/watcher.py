"""`Watcher`: follow the clusters of a stream in constant memory."""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from incerta.data.coerce import as_uncertain
from incerta.streams import UMicro
from incerta.streams.following import Cluster, Event, Follower, heavy
from incerta.streams.macro import macro_labels, number_of_clusters
from incerta.streams.sketch import Sketch, grouped
from incerta.typing import Array

# Most entries kept: if there are more, every second look is dropped, or the oldest
# event.
MOST_LOOKS = 400
MOST_EVENTS = 500
MOST_GONE = 100
MOST_BAD = 20
# Quantiles of the first rows between which the spread of a feature is measured.
USUAL = (0.05, 0.95)
USUAL_WIDTH = 3.29  # distance of these quantiles for a Gaussian, in standard deviations


@dataclass
class History:
    """Centers at each look, or at every second, fourth, ... look if there are many."""

    rows: list[int] = field(default_factory=list)
    centers: list[dict[int, Array]] = field(default_factory=list)
    _step: int = 1
    _n: int = 0

    def add(self, n_seen: int, clusters: list[Cluster]) -> None:
        """Add the clusters of one look."""
        if self._n % self._step == 0:
            self.rows.append(n_seen)
            self.centers.append({each.number: each.center for each in clusters})
        self._n += 1
        if len(self.rows) > MOST_LOOKS:
            self.rows, self.centers = self.rows[::2], self.centers[::2]
            self._step *= 2


class Watcher:
    """Follow the clusters of a stream: which are new, have moved, or are gone.

    Parameters
    ----------
    k : int or "auto", default="auto"
        Number of clusters. "auto" finds the number at every look; a changed number must
        be found twice in a row.
    half_life : float, optional
        Number of objects after which an object has half its weight; None keeps all
        weights. A cluster without a new object for this long is gone.
    n_micro : int, default=100
        Largest number of micro-clusters.
    random_state : int, default=0
        Seed.
    scale : bool, default=True
        Whether to scale the features, by the spread of the first objects.

    Attributes
    ----------
    clusters : list of Cluster
        Clusters at the last look: ``number``, which never changes, ``share``,
        ``center``, ``error`` of the center, ``spread``, ``since`` and so on.
    events : deque of (int, Event)
        The latest events, each with the number of objects received by then.
    gone : deque of (int, Cluster)
        The latest clusters that are gone.
    counts : Counter
        Number of events ``"new"``, ``"moved"`` and ``"gone"``, and of ``"bad"`` rows.
    history : History
        Centers at earlier looks.
    n_seen : int
        Number of objects received.
    names : tuple of str
        Names of the features.

    Notes
    -----
    Memory does not grow with the stream. ``incerta watch`` does the same for the lines
    of a file or a pipe.

    Examples
    --------
    >>> import numpy as np
    >>> import incerta as ic
    >>> rng, watcher = np.random.default_rng(0), ic.Watcher(half_life=200.0)
    >>> for shift in (0.0, 0.0, 5.0):
    ...     centers = rng.choice([0.0, 30.0 + shift], size=(1000, 1))
    ...     values = centers + rng.normal(size=(1000, 1))
    ...     watcher.take(ic.from_gaussian(values, std=0.3))
    ...     print([event.kind for event in watcher.look()])
    ['new', 'new']
    []
    ['new', 'gone']
    """

    def __init__(
        self,
        k: int | str = "auto",
        half_life: float | None = None,
        n_micro: int = 100,
        random_state: int = 0,
        scale: bool = True,
    ) -> None:
        if isinstance(k, str) and k != "auto":
            msg = f"k={k!r} must be a whole number or 'auto'."
            raise ValueError(msg)
        self.k, self.half_life, self.seed, self.scale = (
            k,
            half_life,
            random_state,
            scale,
        )
        self.model = UMicro(
            3 if isinstance(k, str) else k,
            n_micro_clusters=n_micro,
            half_life=half_life,
            random_state=random_state,
        )
        self.names: tuple[str, ...] = ()
        self.history = History()
        self.counts: Counter[str] = Counter()
        self.events: deque[tuple[int, Event]] = deque(maxlen=MOST_EVENTS)
        self.gone: deque[tuple[int, Cluster]] = deque(maxlen=MOST_GONE)
        self.bad: list[tuple[int, str]] = []
        self._follower = Follower()
        self._number: int | None = None
        self._pending = False

    @property
    def n_seen(self) -> int:
        """Number of objects received."""
        return getattr(self.model, "n_seen_", 0)

    @property
    def clusters(self) -> list[Cluster]:
        """Clusters at the last look."""
        return self._follower.clusters

    def take(self, X: Any) -> None:
        """Add the next objects of the stream.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
        """
        data = as_uncertain(X)
        if not self.names:
            self.names = data.feature_names
            values = data.mean()
            self._middle = np.zeros(values.shape[1])
            self._unit = np.ones(values.shape[1])
            if self.scale:
                self._middle = np.median(values, axis=0)
                # A robust spread, which a few odd rows do not change; 1 if it is 0.
                low, high = np.quantile(values, USUAL, axis=0)
                usual = (high - low) / USUAL_WIDTH
                usual = np.where(usual > 0.0, usual, values.std(axis=0))
                self._unit = np.where(usual > 0.0, usual, 1.0)
        self.model.partial_fit(
            data.affine(1.0 / self._unit, -self._middle / self._unit)
        )

    def look(self, *, last: bool = False) -> list[Event]:
        """Return the events since the last look: new, then moved, then gone clusters.

        Parameters
        ----------
        last : bool, default=False
            Whether this is the last look, so that nothing waits for the next one.
        """
        if not self.n_seen:
            return []
        since = -float("inf")
        if self.half_life is not None:
            since = self.model.time_ - self.half_life
        sketch = heavy(self.model.micro_clusters_, since)
        k = self._k(sketch, last)
        if k is None:
            return []
        labels = macro_labels(sketch, k, self.model.method, self.seed)
        parts = grouped(sketch, labels, int(labels.max()) + 1)
        parts = parts._replace(  # in the units of the data
            mean=parts.mean * self._unit + self._middle,
            scatter=parts.scatter * self._unit**2,
            error=parts.error * self._unit**2,
        )
        events = self._follower.look(parts, self.n_seen)
        self.history.add(self.n_seen, self.clusters)
        for event in events:
            self.counts[event.kind] += 1
            self.events.append((self.n_seen, event))
            if event.kind == "gone":
                self.gone.append((self.n_seen, event.cluster))
        return events

    def leave_out(self, number: int, why: str) -> None:
        """Count a row that cannot be read."""
        self.counts["bad"] += 1
        if len(self.bad) < MOST_BAD:
            self.bad.append((number, why))

    def columns(self) -> dict[str, Any]:
        """Return the clusters by columns: present ones, then those that are gone."""
        there = [(self.n_seen, each, "there") for each in self.clusters]
        rows = [*there, *((n, each, "gone") for n, each in self.gone)]
        columns: dict[str, Any] = {
            "cluster": np.array([each.number for _, each, _ in rows], dtype=np.int64),
            "state": np.array([state for _, _, state in rows], dtype=str),
            "share": np.array([each.share for _, each, _ in rows], dtype=np.float64),
            "since_row": np.array([each.since for _, each, _ in rows], dtype=np.int64),
            "until_row": np.array([n for n, _, _ in rows], dtype=np.int64),
        }
        for j, name in enumerate(self.names):
            for what in ("center", "error", "spread"):
                cells = [getattr(each, what)[j] for _, each, _ in rows]
                columns[f"{name}_{what}"] = np.array(cells, dtype=np.float64)
        return columns

    def _k(self, sketch: Sketch, last: bool) -> int | None:
        """Return the number of clusters now; None if the next look is to decide."""
        if not isinstance(self.k, str):
            return self.k
        number = number_of_clusters(sketch, self.seed)
        if self._number not in (None, number) and not self._pending:
            self._pending = True
            return self._number if last else None
        self._number, self._pending = number, False
        return number
