"""The list of faults fits the code; running it is a command (see the package)."""

from tests.mutation.fault import ROOT, SOURCE
from tests.mutation.faults import FAULTS, WIDER


def test_every_fault_can_be_made():
    names = [fault.name for fault in FAULTS]
    assert len(set(names)) == len(names)
    for fault in FAULTS:
        text = (SOURCE / fault.file).read_text(encoding="utf-8")
        compile(fault.applied(text), fault.file, "exec")
        for room in (fault.tests, *WIDER.get(fault.tests, ())):
            assert (ROOT / "tests" / room).exists()
