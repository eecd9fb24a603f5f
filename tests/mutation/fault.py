"""A fault, and the code with it."""

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "incerta"


@dataclass(frozen=True)
class Fault:
    """Text of a module that stands there once, and what somebody might have written.

    `why` says what goes wrong; `room` is where its own tests are, by default in the
    folder that has the name of the module's.
    """

    file: str
    right: str
    wrong: str
    why: str
    room: str = ""

    @property
    def name(self):
        return f"{self.file}: {self.why}"

    @property
    def tests(self):
        """Folder or file of its own tests, below ``tests``."""
        return self.room or self.file.partition("/")[0]

    def applied(self, text):
        """The module with the fault."""
        if text.count(self.right) != 1 or self.right == self.wrong:
            raise ValueError(
                f"{self.file} has {self.right!r} {text.count(self.right)} times, not "
                "once; the list of faults is older than the code."
            )
        return text.replace(self.right, self.wrong)

    @contextmanager
    def inside(self, source):
        """Put it into a copy of the package, and take it out again."""
        module = source / self.file
        before = module.read_text(encoding="utf-8")
        module.write_text(self.applied(before), encoding="utf-8")
        try:
            yield
        finally:
            module.write_text(before, encoding="utf-8")
