"""What ``incerta watch`` tells: lines, a summary, a table."""

from typing import TYPE_CHECKING, Any

from incerta.cli.summary import WIDTH, shown
from incerta.wording import counted, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from incerta.cli.watching import Watcher
    from incerta.streams.following import Cluster, Event


def status(watcher: "Watcher") -> str:
    """How many clusters there are, in one line."""
    shares = ", ".join(f"{c.number}: {percent_of(c.share)}" for c in watcher.clusters)
    n = counted(len(watcher.clusters), "cluster")
    return cut(f"{counted(watcher.n_seen, 'row')}: {n} ({shares})")


def told(event: "Event", n_seen: int, names: "Sequence[str]") -> str:
    """One line about something that happened."""
    one = event.cluster
    begin = f"{counted(n_seen, 'row')}: "
    if event.kind == "moved" and event.before is not None:
        text = f"{begin}cluster {one.number} moved, "
        end = f" ({event.ratio:.0f} × its uncertainty)"
        room = WIDTH - len(text) - len(end)
        return text + places(one, names, room, event.before) + end
    text = f"{begin}new cluster {one.number} ({percent_of(one.share)}) at "
    if event.kind == "gone":
        text = f"{begin}cluster {one.number} is gone; it was at "
    return text + places(one, names, WIDTH - len(text))


def cut(text: str) -> str:
    """Text that fits into a line, without control characters."""
    text = printable(text)
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def places(
    one: "Cluster",
    names: "Sequence[str]",
    width: int,
    before: "Cluster | None" = None,
) -> str:
    """Centres by feature, as many as fit; those that moved most first."""
    import numpy as np

    from incerta.report.plain import measured

    order = np.arange(len(names))
    if before is not None:
        order = np.argsort(-np.abs(one.centre - before.centre) / one.error)
    out = ""
    for j in order.tolist():
        place = measured(float(one.centre[j]), float(one.error[j]))
        if before is not None:
            was = measured(float(before.centre[j]), float(before.error[j]))
            place = f"{was.partition(' ')[0]} → {place}"
        more = f"{', ' if out else ''}{shown(names[j])} {place}"
        if len(out) + len(more) > width - 3 * (j != order[-1]):
            return f"{out}, …" if out else printable(more)[: max(width - 1, 1)] + "…"
        out += more
    return out


def percent_of(share: float) -> str:
    """A share in words."""
    from incerta.report.plain import percent

    return percent(share)


def facts(watcher: "Watcher") -> dict[str, Any]:
    """What was found, for the summary and the page."""
    from incerta.report.plain import numbers, text

    def described(one: "Cluster") -> dict[str, Any]:
        return {
            "cluster": one.number,
            "share": one.share,
            "rows": one.rows,
            "since": one.since,
            "centre": numbers(one.centre),
            "error": numbers(one.error),
            "spread": numbers(one.spread),
        }

    return {
        "rows": watcher.n_seen,
        "left_out": watcher.counts["bad"],
        "bad_rows": [{"line": n, "why": text(why, 200)} for n, why in watcher.bad],
        "features": [text(name, 200) for name in watcher.names],
        "clusters": [described(one) for one in watcher.clusters],
        "gone": [{**described(one), "until": n} for n, one in watcher.gone],
        "counts": {kind: watcher.counts[kind] for kind in ("new", "moved", "gone")},
        "events": [
            {
                "rows": n,
                "kind": event.kind,
                "cluster": event.cluster.number,
                "told": told(event, n, watcher.names),
            }
            for n, event in watcher.events
        ],
        "history": {
            "rows": watcher.history.rows,
            "centres": [
                {str(c): numbers(centre) for c, centre in one.items()}
                for one in watcher.history.centres
            ],
        },
    }


def table_of(watcher: "Watcher") -> dict[str, Any]:
    """Clusters by columns: those that are there, then those that are gone."""
    import numpy as np

    there = [(watcher.n_seen, one, "there") for one in watcher.clusters]
    every = [*there, *((n, one, "gone") for n, one in watcher.gone)]
    columns: dict[str, Any] = {
        "cluster": np.array([one.number for _, one, _ in every], dtype=np.int64),
        "state": np.array([state for _, _, state in every], dtype=str),
        "share": np.array([one.share for _, one, _ in every], dtype=np.float64),
        "since_row": np.array([one.since for _, one, _ in every], dtype=np.int64),
        "until_row": np.array([n for n, _, _ in every], dtype=np.int64),
    }
    for j, name in enumerate(watcher.names):
        for what in ("centre", "error", "spread"):
            cells = [getattr(one, what)[j] for _, one, _ in every]
            columns[f"{name}_{what}"] = np.array(cells, dtype=np.float64)
    return columns
