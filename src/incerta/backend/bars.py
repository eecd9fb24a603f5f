"""Which kinds of work are under way, and which of them deserve a bar."""

from typing import NamedTuple

LASTING = 1.0  # seconds: what is quicker, within other work, would only flicker


class Bar(NamedTuple):
    """Work that is under way."""

    start: float
    done: int
    total: int


class Bars:
    """All that is under way, the outermost first."""

    def __init__(self) -> None:
        self.under_way: dict[str, Bar] = {}

    def report(self, name: str, done: int, total: int, now: float) -> None:
        """Take note of a report to the hook."""
        if done >= total:
            self.under_way.pop(name, None)
            return
        begun = done > 0 and name in self.under_way
        start = self.under_way[name].start if begun else now
        self.under_way[name] = Bar(start, done, total)

    def shown(self, now: float) -> dict[str, Bar]:
        """The outermost work, and within it what has lasted for a second."""
        outermost = next(iter(self.under_way), None)
        return {
            name: bar
            for name, bar in self.under_way.items()
            if name == outermost or now - bar.start > LASTING
        }
