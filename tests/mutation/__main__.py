import argparse
import csv
import sys
from pathlib import Path

from tests.mutation.faults import FAULTS, WIDER
from tests.mutation.trial import copied, import_slow, passes

HEAD = ("file", "why", "own room", "in the end")


def read(record):
    """What an earlier run found, by file and fault."""
    if record is None or not record.exists():
        return {}
    with record.open(newline="", encoding="utf-8") as lines:
        return {(row["file"], row["why"]): row for row in csv.DictReader(lines)}


def tried(fault, log):
    """Whether the tests of its room notice a fault, and whether any does."""
    with copied() as source, fault.inside(source):
        own = not passes(source, [f"tests/{fault.tests}"], log)
        wider = [f"tests/{room}" for room in WIDER.get(fault.tests, ())]
        end = own or (bool(wider) and not passes(source, wider, log))
    return dict(zip(HEAD, (fault.file, fault.why, int(own), int(end)), strict=True))


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("rooms", nargs="*", help="folders of src/incerta; all if none")
    parser.add_argument("--record", type=Path, help="csv of results; what it has stays")
    parser.add_argument("--again", action="store_true", help="try survivors once more")
    parser.add_argument("--log", type=Path, default=Path("mutation.log"))
    given = parser.parse_args()
    import_slow()
    found = read(given.record)
    for fault in FAULTS:
        if given.rooms and fault.file.partition("/")[0] not in given.rooms:
            continue
        before = found.get((fault.file, fault.why))
        if before and not (given.again and before["own room"] == "0"):
            continue
        row = found[fault.file, fault.why] = tried(fault, given.log)
        told = (
            "killed" if row["own room"] else "LATER" if row["in the end"] else "LIVES"
        )
        print(f"{told:7} {fault.name}", flush=True)
        if given.record:
            write(given.record, found)
    summarise(found)


def write(record, found):
    listed = {(fault.file, fault.why) for fault in FAULTS}
    with record.open("w", newline="", encoding="utf-8") as out:
        rows = csv.DictWriter(out, HEAD, lineterminator="\n")
        rows.writeheader()
        rows.writerows(row for key, row in sorted(found.items()) if key in listed)


def summarise(found):
    rooms = sorted({file.partition("/")[0] for file, _ in found})
    print(f"\n{'room':16}{'faults':>8}{'own room':>10}{'in the end':>12}")
    for room in [*rooms, ""]:
        rows = [row for (file, _), row in found.items() if file.startswith(room)]
        own, end = (sum(int(row[part]) for row in rows) for part in HEAD[2:])
        print(f"{room or 'all':16}{len(rows):8}{own:10}{end:12}")
    sys.exit(any(row["in the end"] in ("0", 0) for row in found.values()))


if __name__ == "__main__":
    main()
