"""Rows of ``incerta watch`` go in, lines about them come out."""

import time
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from incerta.cli.rows import Bad, Reader, Row
from incerta.cli.summary import noted, shown
from incerta.cli.terminal import echo
from incerta.cli.watched import cut, status, told
from incerta.cli.watching import MOST_BAD, Watcher
from incerta.exceptions import DataError

AT_ONCE = 500  # rows that are taken together
MOST_WARNINGS = 10


class Every(NamedTuple):
    """How often to look: after so many rows, or so many seconds."""

    rows: int | None
    seconds: float | None


class Task:
    """Rows go in, lines about them come out."""

    def __init__(
        self, watcher: Watcher, reader: Reader, every: Every, strict: bool, quiet: bool
    ) -> None:
        self.watcher, self.reader, self.every = watcher, reader, every
        self.strict, self.quiet = strict, quiet
        self.warned: dict[str, None] = {}
        self._waiting: list[Row | Bad] = []
        self._came = 0  # rows since the last look, good or bad
        self._looked = 0  # good ones at the last look
        self._when = time.monotonic()

    def run(self, rows: Iterable[Row | Bad | None]) -> Iterator[str]:
        """Take rows to their end; lines about what happened, as it does."""
        for row in rows:
            if row is not None:
                self._waiting.append(row)
                self._came += 1
            if self._due():
                self._take()
                yield from self._look()
            elif len(self._waiting) >= AT_ONCE:
                self._take()
        self._take()
        if self.watcher.n_seen > self._looked or not self.watcher.clusters:
            yield from self._look(last=True)

    def _due(self) -> bool:
        rows, seconds = self.every
        if rows is not None:
            return self._came >= rows
        return self._came > 0 and time.monotonic() - self._when >= (seconds or 0.0)

    def _take(self) -> None:
        bad = [row for row in self._waiting if isinstance(row, Bad)]
        rows = [row for row in self._waiting if isinstance(row, Row)]
        self._waiting, data = [], None
        if rows:
            with noted() as warned:
                data, others = self.reader.objects(rows)
            self._keep(warned)
            bad = sorted([*bad, *others])
        for one in bad:
            self._leave_out(one)
        if data is not None:
            self.watcher.take(data)

    def _keep(self, warned: Iterable[str]) -> None:
        """Keep what readers warn of, each once, to be said at the end."""
        for text in warned:
            if len(self.warned) < MOST_WARNINGS:
                self.warned[text] = None

    def _look(self, *, last: bool = False) -> Iterator[str]:
        self._looked, self._when = self.watcher.n_seen, time.monotonic()
        self._came = 0
        if not self.watcher.n_seen:
            return
        events = self.watcher.look(last=last)
        yield status(self.watcher)
        for event in events:
            yield told(event, self.watcher.n_seen, self.watcher.names)

    def _leave_out(self, bad: Bad) -> None:
        name = f" ({shown(bad.name)})" if bad.name else ""
        text = f"line {bad.number}{name}: {bad.why}"
        if self.strict:
            msg = f"{text}. Without --strict such rows are left out."
            raise DataError(msg)
        self.watcher.leave_out(bad.number, bad.why)
        n = self.watcher.counts["bad"]
        if self.quiet or n > MOST_BAD:
            return
        echo(cut(f"Left out, {text}"), err=True)
        if n == MOST_BAD:
            echo("Further rows that are left out are only counted.", err=True)
