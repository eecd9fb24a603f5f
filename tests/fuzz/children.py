"""Cases run in child processes, which may die, hang or ask for too much memory."""

import multiprocessing
import os
import resource
import signal
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import islice
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
BATCH = 250  # cases of a child; a new one is a fork, which takes milliseconds
PATIENCE = 20  # times the allowed processor time, for a child that waits for ever
# Of the children, before they import anything. Threads make room for stacks and heaps
# that count as memory though they are never used.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "POLARS_MAX_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


class Case(NamedTuple):
    """A damaged file."""

    kind: str  # of file, by which outcomes are counted
    name: str  # of the file
    content: bytes
    told: str  # what was done to it
    about: Any = None  # whatever its target must know to check it


class Outcome(NamedTuple):
    """What came of a case."""

    number: int
    kind: str
    word: str
    detail: str = ""
    is_finding: bool = False


class Finding(Exception):  # noqa: N818
    """What a target raises where an answer is wrong; `word` says in which way."""

    def __init__(self, word: str, detail: str) -> None:
        super().__init__(detail)
        self.word = word


def run(
    target: str,
    seed: int,
    numbers: Iterable[int],
    *,
    n_children: int = 2,
    memory: int = 2**30,
    seconds: float = 10.0,
    until: float | None = None,
) -> Iterator[Outcome]:
    """Check cases of a target, in any order.

    Parameters
    ----------
    target : str
        Name of a module of this package.
    seed : int
        Of all cases.
    numbers : iterable of int
        Which cases.
    n_children : int, default=2
        How many of them work at a time.
    memory : int, default=2**30
        Bytes that a child may ask for, above what it begins with.
    seconds : float, default=10.0
        Processor time of a case.
    until : float, optional
        Time at which no more are begun.

    Yields
    ------
    Outcome
    """
    module = import_module(f"{__package__}.{target}")
    path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    os.environ.update(ENVIRONMENT, PYTHONPATH=path.rstrip(os.pathsep))
    os.environ["INCERTA_FUZZ"] = target  # see `ready`
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"{__package__}.ready"])
    left, again = iter(numbers), list[list[int]]()
    with tempfile.TemporaryDirectory() as folder:
        said = (target, seed, folder, memory, seconds)
        children: list[_Child] = []
        try:
            while True:
                while len(children) < n_children:
                    over = until is not None and time.time() > until
                    batch = again.pop() if again else list(islice(left, BATCH))
                    if over or not batch:
                        break
                    children.append(_Child(context, batch, said))
                if not children:
                    break
                ends = [child.process.sentinel for child in children]
                wait([*ends, *(child.pipe for child in children)], timeout=1.0)
                for child in list(children):
                    yield from child.outcomes()
                    if not child.is_over(seconds * PATIENCE):
                        continue
                    children.remove(child)
                    yield from child.outcomes()
                    if child.current is not None:
                        yield _death(child, module, seed)
                    if child.rest:
                        again.append(child.rest)
        finally:
            for child in children:
                child.process.kill()
                child.process.join()


class _Child:
    """A process with its batch of cases."""

    def __init__(self, context, batch, said) -> None:
        self.rest = list(batch)
        self.current: int | None = None
        self.heard = time.monotonic()
        self.hung = False
        self.pipe, theirs = context.Pipe(duplex=False)
        self.process = context.Process(target=_work, args=(*said, batch, theirs))
        self.process.start()
        theirs.close()

    def outcomes(self) -> Iterator[Outcome]:
        """What it has said since."""
        try:
            while self.pipe.poll():
                said = self.pipe.recv()
                self.heard = time.monotonic()
                if isinstance(said, int):
                    self.current = said
                    self.rest.remove(said)
                else:
                    self.current = None
                    yield said
        except (EOFError, OSError):
            return

    def is_over(self, patience: float) -> bool:
        """Tell whether it has ended, or must be."""
        if self.process.is_alive() and time.monotonic() - self.heard > patience:
            self.hung = True
            self.process.kill()
        if self.process.is_alive():
            return False
        self.process.join()
        return True


def _death(child: _Child, module, seed: int) -> Outcome:
    case = module.make(seed, child.current)
    code = child.process.exitcode or 0
    name = signal.Signals(-code).name if code < 0 else f"exit {code}"
    slow = child.hung or name == "SIGPROF"
    word = "slow" if slow else "died"
    return Outcome(int(child.current or 0), case.kind, word, name, is_finding=True)


def _work(target, seed, folder, memory, seconds, numbers, pipe) -> None:
    """What a child does: one case after the other."""
    module = import_module(f"{__package__}.{target}")
    place = Path(tempfile.mkdtemp(dir=folder))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libraries complain of damage
    limit_memory(memory)
    for number in numbers:
        pipe.send(number)
        signal.setitimer(signal.ITIMER_PROF, seconds)  # of the processor, not the clock
        pipe.send(outcome_of(module, seed, number, place))
        signal.setitimer(signal.ITIMER_PROF, 0)
    pipe.close()


def limit_memory(memory: int) -> None:
    """Let this process ask for so many bytes more, and no more."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    own = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (own + memory, own + memory))


def outcome_of(module, seed: int, number: int, place: Path) -> Outcome:
    """Make and check a case, in this process."""
    case = module.make(seed, number)
    try:
        return Outcome(number, case.kind, module.check(case, place))
    except Finding as found:
        word, detail = found.word, str(found)
    except MemoryError as error:
        word, detail = "memory", _where(error)
    except Exception as error:
        word, detail = "error", _where(error)
    return Outcome(number, case.kind, word, detail, is_finding=True)


def _where(error: BaseException) -> str:
    """An error and the places that it came through, in one line."""
    frames = traceback.extract_tb(error.__traceback__)
    places = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in frames[:-5:-1])
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {text} ({places})"
