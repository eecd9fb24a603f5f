import argparse
import csv
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.mutation.mutants import mutants
from tests.mutation.trial import ROOT, SOURCE, copied, mistaken, passes

KEY = ("file", "line", "wrong")
EQUIVALENT = Path(__file__).with_name("equivalent.csv")
# Modules without a room of that name among the tests.
HOMES = {
    "published.py": ("tests/estimators", "tests/paper"),
    "convergence.py": ("tests/estimators",),
    "exceptions.py": ("tests/api",),
    "lazy.py": ("tests/test_imports.py",),
    "metrics.py": ("tests/metrics",),
    "settings.py": ("tests/number", "tests/views"),
}
# They run on a GPU, with ``pytest -m gpu``.
ELSEWHERE = {"divergence/torch_kernel.py", "divergence/triton_kernel.py"}


def own_tests(file):
    """Where the tests of a module are; what has its name is run first."""
    room, name = file.parts[0], file.stem.strip("_")
    if room in HOMES:
        return HOMES[room]
    if len(file.parts) == 1:
        return (f"tests/test_{name}.py",)
    first = [*ROOT.glob(f"tests/{room}/**/test_{name}.py")]
    stated = f"tests/test_documented.py::test_defaults[{room}]"
    return (*(str(path.relative_to(ROOT)) for path in first), stated, f"tests/{room}")


def modules(rooms, since):
    """Modules of some rooms, or all; of these the ones changed since a commit."""
    found = [path.relative_to(SOURCE) for path in sorted(SOURCE.rglob("*.py"))]
    found = [file for file in found if file.as_posix() not in ELSEWHERE]
    if since:
        asked = ["git", "diff", "--name-only", "--relative", since, "--", "."]
        diff = subprocess.run(asked, cwd=SOURCE, capture_output=True, text=True)
        found = [file for file in found if str(file) in diff.stdout.split()]
    return [file for file in found if not rooms or file.parts[0] in rooms]


def chosen(files, n, seed):
    """Mutants of modules, all or `n` of them, without those known to change nothing."""
    with EQUIVALENT.open(newline="", encoding="utf-8") as lines:
        same = {
            (row["file"], row["line"], row["wrong"]) for row in csv.DictReader(lines)
        }
    every = []
    for file in files:
        text = (SOURCE / file).read_text(encoding="utf-8")
        lines = [line.strip() for line in text.splitlines()]
        for mutant in mutants(text):
            if (str(file), lines[mutant.line - 1], mutant.wrong) not in same:
                every.append((file, mutant))
    return every if n is None else random.Random(seed).sample(every, min(n, len(every)))


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("rooms", nargs="*", help="in src/incerta; all if none")
    parser.add_argument("--random", type=int, metavar="N", help="so many mistakes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--changed", nargs="?", const="HEAD", metavar="COMMIT")
    parser.add_argument("--own", action="store_true", help="ask the own room only")
    parser.add_argument("--log", type=Path, default=Path("mutation.log"))
    given = parser.parse_args()
    todo = chosen(modules(given.rooms, given.changed), given.random, given.seed)
    made, own, end, right = Counter(), Counter(), Counter(), {}
    with copied() as source:
        for file, mutant in todo:
            tests, room = own_tests(file), file.parts[0]
            whole = tests[-1]
            if whole not in right:
                right[whole] = passes(source, tests, given.log)
            if not right[whole]:
                sys.exit(f"{whole} fails without a mistake; see {given.log}.")
            with mistaken(source / file, mutant):
                killed = not passes(source, tests, given.log)
                asked = not killed and not given.own
                later = asked and not passes(source, ["tests"], given.log)
            made[room] += 1
            own[room] += killed
            end[room] += killed or later
            told = "killed" if killed else "later" if later else "LIVES"
            what = f"{mutant.right} -> {mutant.wrong}"
            print(f"{told:7}{file}:{mutant.line}: {what}", flush=True)
    print(f"\n{'room':16}{'mistakes':>9}{'own room':>10}{'in the end':>12}")
    for room in sorted(made):
        print(f"{room:16}{made[room]:9}{own[room]:10}{end[room]:12}")
    print(f"{'all':16}{made.total():9}{own.total():10}{end.total():12}")


if __name__ == "__main__":
    main()
