"""What ``incerta watch`` keeps of a stream, which does not grow."""

from collections import Counter, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from incerta.data import UncertainData
    from incerta.streams.following import Cluster, Event
    from incerta.streams.sketch import Sketch
    from incerta.typing import Array

# What is kept does not grow: of more looks every second is forgotten.
MOST_LOOKS = 400
MOST_EVENTS = 500
MOST_GONE = 100
MOST_BAD = 20
# Share of the first rows between which a feature has its usual spread.
USUAL = (0.05, 0.95)
USUAL_WIDTH = 3.29  # of a Gaussian, in standard deviations


@dataclass
class History:
    """Centres at looks: all of them, or every second, fourth, ... if there are many."""

    rows: list[int] = field(default_factory=list)
    centres: "list[dict[int, Array]]" = field(default_factory=list)
    _step: int = 1
    _n: int = 0

    def add(self, n_seen: int, clusters: "Sequence[Cluster]") -> None:
        """Take what one look found."""
        if self._n % self._step == 0:
            self.rows.append(n_seen)
            self.centres.append({one.number: one.centre for one in clusters})
        self._n += 1
        if len(self.rows) > MOST_LOOKS:
            self.rows, self.centres = self.rows[::2], self.centres[::2]
            self._step *= 2


class Watcher:
    """Clusters of a stream, look by look.

    Parameters
    ----------
    k : int or "auto"
        Number of clusters.
    half_life : float, optional
        Rows after which a row counts for half.
    n_micro : int
        Largest number of micro-clusters.
    seed : int
        Of everything random.
    scale : bool
        Bring features to one scale, that of the first rows.
    """

    def __init__(
        self,
        k: int | str = "auto",
        half_life: float | None = None,
        n_micro: int = 100,
        seed: int = 0,
        scale: bool = True,
    ) -> None:
        from incerta.streams import UMicro
        from incerta.streams.following import Follower

        self.k, self.half_life, self.seed, self.scale = k, half_life, seed, scale
        self.model = UMicro(
            3 if isinstance(k, str) else k,
            n_micro_clusters=n_micro,
            half_life=half_life,
            random_state=seed,
        )
        self.follower = Follower()
        self.names: tuple[str, ...] = ()
        self.history = History()
        self.counts: Counter[str] = Counter()  # of events, and rows that were left out
        self.events: deque[tuple[int, Event]] = deque(maxlen=MOST_EVENTS)
        self.gone: deque[tuple[int, Cluster]] = deque(maxlen=MOST_GONE)
        self.bad: list[tuple[int, str]] = []
        self._number: int | None = None
        self._pending = False

    @property
    def n_seen(self) -> int:
        """Number of rows that were taken."""
        return getattr(self.model, "n_seen_", 0)

    @property
    def clusters(self) -> "list[Cluster]":
        """Clusters of the last look."""
        return self.follower.clusters

    def take(self, data: "UncertainData") -> None:
        """Take the next objects."""
        import numpy as np

        if not self.names:
            self.names = data.feature_names
            values = data.mean()
            self._middle = np.zeros(values.shape[1])
            self._unit = np.ones(values.shape[1])
            if self.scale:
                self._middle = np.median(values, axis=0)
                self._unit = _usual_spread(values)
        self.model.partial_fit(
            data.affine(1.0 / self._unit, -self._middle / self._unit)
        )

    def look(self, *, last: bool = False) -> "list[Event]":
        """What happened since the last look.

        A number of clusters that differs from that of before must be found twice;
        until then nothing is said to have happened.
        """
        from incerta.streams.following import heavy
        from incerta.streams.macro import asked_labels
        from incerta.streams.sketch import grouped

        since = -float("inf")
        if self.half_life is not None:
            since = self.model.time_ - self.half_life
        sketch = heavy(self.model.micro_clusters_, since)
        k = self._k(sketch, last)
        if k is None:
            return []
        labels = asked_labels(sketch, k, self.model.method, self.seed)
        parts = grouped(sketch, labels, int(labels.max()) + 1)
        events = self.follower.look(self._in_units(parts), self.n_seen)
        self.history.add(self.n_seen, self.clusters)
        for event in events:
            self.counts[event.kind] += 1
            self.events.append((self.n_seen, event))
            if event.kind == "gone":
                self.gone.append((self.n_seen, event.cluster))
        return events

    def leave_out(self, number: int, why: str) -> None:
        """Count a row that is no object."""
        self.counts["bad"] += 1
        if len(self.bad) < MOST_BAD:
            self.bad.append((number, why))

    def _k(self, sketch: "Sketch", last: bool) -> int | None:
        """Number of clusters of this look; None if another look is to decide."""
        if not isinstance(self.k, str):
            return self.k
        from incerta.streams.number import number_of_clusters

        found = number_of_clusters(sketch, self.seed)
        if self._number not in (None, found) and not self._pending:
            self._pending = True
            return self._number if last else None
        self._number, self._pending = found, False
        return found

    def _in_units(self, parts: "Sketch") -> "Sketch":
        """Clusters in the units of the data."""
        return parts._replace(
            mean=parts.mean * self._unit + self._middle,
            scatter=parts.scatter * self._unit**2,
            error=parts.error * self._unit**2,
        )


def _usual_spread(values: "Array") -> "Array":
    """Spread of each feature that a few odd rows do not change; 1 if there is none."""
    import numpy as np

    low, high = np.quantile(values, USUAL, axis=0)
    usual = (high - low) / USUAL_WIDTH
    usual = np.where(usual > 0.0, usual, values.std(axis=0))
    return np.where(usual > 0.0, usual, 1.0)
