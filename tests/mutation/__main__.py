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
        rows = list(csv.DictReader(lines))
    return {
        (row["file"], row["why"]): row | {part: int(row[part]) for part in HEAD[2:]}
        for row in rows
    }


def tried(fault, source, log, *, own_only):
    """Whether the tests of its room notice a fault, and whether any does."""
    with fault.inside(source):
        own = not passes(source, [f"tests/{fault.tests}"], log)
        wider = [f"tests/{room}" for room in WIDER.get(fault.tests, ())]
        asked = bool(wider) and not own and not own_only
        end = own or (asked and not passes(source, wider, log))
    return dict(zip(HEAD, (fault.file, fault.why, int(own), int(end)), strict=True))


def check_without(rooms, source, log):
    """End if tests fail without any fault: then nothing would be learnt."""
    for room in sorted(rooms):
        if not passes(source, [f"tests/{room}"], log):
            sys.exit(f"tests/{room} fail without a fault; see {log}.")


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.mutation")
    parser.add_argument("rooms", nargs="*", help="folders of src/incerta; all if none")
    parser.add_argument("--record", type=Path, help="csv of results; what it has stays")
    parser.add_argument("--again", action="store_true", help="try survivors once more")
    parser.add_argument("--own", action="store_true", help="ask the own room only")
    parser.add_argument("--log", type=Path, default=Path("mutation.log"))
    given = parser.parse_args()
    import_slow()
    found = read(given.record)
    left = [
        fault
        for fault in FAULTS
        if not given.rooms or fault.file.partition("/")[0] in given.rooms
        if (before := found.get((fault.file, fault.why))) is None
        or (given.again and not before["own room"])
    ]
    with copied() as source:
        check_without({fault.tests for fault in left}, source, given.log)
        for fault in left:
            row = tried(fault, source, given.log, own_only=given.own)
            found[fault.file, fault.why] = row
            told = ("LIVES", "LATER", "killed")[row["own room"] + row["in the end"]]
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
        own, end = (sum(row[part] for row in rows) for part in HEAD[2:])
        print(f"{room or 'all':16}{len(rows):8}{own:10}{end:12}")


if __name__ == "__main__":
    main()
