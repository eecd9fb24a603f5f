"""Run the cases of a target and count what came of them."""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from itertools import count, islice
from pathlib import Path

from tests.fuzz.children import ENVIRONMENT, Outcome, limit_memory, run

MOST_TOLD = 40  # findings that are written out, one of each sort


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("target", help="a module of this package: tables")
    parser.add_argument("--n", type=int, default=1000, help="cases; 0: without end")
    parser.add_argument("--first", type=int, default=0, help="number of the first")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, help="begin no more after these")
    parser.add_argument("--children", type=int, default=2)
    parser.add_argument("--memory", type=int, default=1024, help="MiB of a child")
    parser.add_argument("--seconds", type=float, default=10.0, help="of a case")
    parser.add_argument("--keep", type=Path, help="folder for the files of findings")
    parser.add_argument("--kinds", nargs="+", help="of files; all by default")
    parser.add_argument(
        "--replay", action="store_true", help="only the files that once made trouble"
    )
    chosen = parser.parse_args()
    if chosen.replay:
        return _replay(chosen.target, chosen.memory * 2**20)
    numbers = _numbers(chosen.target, chosen.seed, chosen.first, chosen.kinds)
    numbers = islice(numbers, chosen.n or None)
    begin = time.time()
    counts: Counter[tuple[str, str]] = Counter()
    findings: list[Outcome] = []
    said = begin
    for outcome in run(
        chosen.target,
        chosen.seed,
        numbers,
        n_children=chosen.children,
        memory=chosen.memory * 2**20,
        seconds=chosen.seconds,
        until=begin + 60 * chosen.minutes if chosen.minutes else None,
    ):
        counts[outcome.kind, outcome.word] += 1
        if outcome.is_finding:
            findings.append(outcome)
        if time.time() - said > 10:
            said = time.time()
            told = f"{counts.total():,} cases, {len(findings):,} findings"
            print(f"{said - begin:6.0f} s: {told}", file=sys.stderr)
    if chosen.keep:
        _keep(chosen.target, chosen.seed, findings, chosen.keep)
    print(f"target {chosen.target}, seed {chosen.seed}, first case {chosen.first}")
    print(table(counts))
    print(f"{len(findings):,} findings, {time.time() - begin:.0f} s")
    sorts: dict[tuple[str, ...], list[Outcome]] = {}
    for found in findings:
        sort = (found.kind, found.word, found.detail.partition("(")[2] or found.detail)
        sorts.setdefault(sort, []).append(found)
    for same in islice(sorts.values(), MOST_TOLD):
        first = min(same)
        print(f"  {len(same)} of {first.kind}, case {first.number}: {first.word}")
        print(f"    {first.detail}")
    return 1 if findings else 0


def _replay(target: str, memory: int) -> int:
    """Read the files of the corpus, in this process; the last one said may kill it."""
    if ENVIRONMENT.items() - os.environ.items():  # read when a process begins
        os.environ.update(ENVIRONMENT)
        os.execv(sys.executable, [sys.executable, "-m", "tests.fuzz", *sys.argv[1:]])
    module = import_module(f"tests.fuzz.{target}")
    limit_memory(memory)
    for path in sorted((Path(__file__).parent / "corpus" / target).iterdir()):
        print(path.name, end=" ", flush=True)
        print(module.replay(path), flush=True)
    return 0


def _numbers(
    target: str, seed: int, first: int, kinds: list[str] | None
) -> Iterator[int]:
    """Of all cases, or of those of some kinds."""
    make = import_module(f"tests.fuzz.{target}").make
    for number in count(first):
        if not kinds or make(seed, number).kind in kinds:
            yield number


def table(counts: Counter[tuple[str, str]]) -> str:
    """Counts by kind of file and outcome."""
    kinds = sorted({kind for kind, _ in counts})
    words = sorted({word for _, word in counts})
    rows = [["", *words, "all"]]
    for kind in kinds:
        each = [counts[kind, word] for word in words]
        rows.append([kind, *(f"{n:,}" for n in each), f"{sum(each):,}"])
    each = [sum(counts[kind, word] for kind in kinds) for word in words]
    rows.append(["all", *(f"{n:,}" for n in each), f"{sum(each):,}"])
    return "\n".join(
        f"{row[0]:<16}" + "".join(f"{cell:>12}" for cell in row[1:]) for row in rows
    )


def _keep(target: str, seed: int, findings: list[Outcome], folder: Path) -> None:
    make = import_module(f"tests.fuzz.{target}").make
    folder.mkdir(parents=True, exist_ok=True)
    for found in findings:
        case = make(seed, found.number)
        (folder / f"{seed}-{found.number}-{case.name}").write_bytes(case.content)


if __name__ == "__main__":
    sys.exit(main())
