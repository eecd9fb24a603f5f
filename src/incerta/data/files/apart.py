"""Read in a process of its own what a library may die of, or never come back from.

HDF5 is made for files that are what they say. Of damaged ones, one in some thousands
ends the process, and one in a thousand keeps it busy for ever.
"""

import atexit
import os
import pickle
import signal
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from incerta.data.files.reading import Reading
from incerta.exceptions import FileError

PATIENCE = 60.0  # seconds for any file
SLOWEST = 2**20  # bytes of a file that are read in a further one, at least
IDLE = 10.0  # seconds after which the process is let go
START = "from incerta.data.files.apart import _serve; _serve()"

# Whether to read in this process: for tests, and where Python is a part of something
# that cannot be started once more.
_python = Path(sys.executable or "").stem.lower().startswith(("python", "pypy"))
HERE = not _python or sys.platform in ("emscripten", "wasi")

T = TypeVar("T")


def apart(read: Callable[..., T], path: Path, *args: Any) -> T:
    """Read a file in another process, which may die.

    Parameters
    ----------
    read : callable
        A function of a module; its first argument is `path`.
    path : Path
        The file.
    *args : Any
        Further arguments.

    Returns
    -------
    Any
        What `read` returns. Its warnings and errors come as if it had been called here.
        The first call takes about a second, for the other process to start; it is kept
        for a while for the next ones.
    """
    if HERE:
        return read(path, *args)
    seconds = PATIENCE + path.stat().st_size / SLOWEST
    mine = _mine()
    with mine.lock:
        try:
            reader = mine.started()
        except OSError:  # no more processes, or no right to start one
            return read(path, *args)
        # Names of files are told from where the user is now.
        question = read, Path.cwd(), path, args, seconds
        told, result, error = reader.ask(question, path, seconds)
        reader.idle = _after(IDLE, _let_go)
    for message, category in told:
        warnings.warn(message, category, stacklevel=2)
    if error is not None:
        raise error
    return cast(T, result)


class _Reader:
    """A process that reads."""

    def __init__(self) -> None:
        where = os.pathsep.join(place or "." for place in sys.path)
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", START],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # libraries complain there of damage
            env={**os.environ, "PYTHONPATH": where},
        )
        self.idle: threading.Timer | None = None

    def ask(self, question: Any, path: Path, seconds: float) -> Any:
        """Put a question and wait for the answer."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        if self.idle is not None:
            self.idle.cancel()
        over = threading.Event()
        alarm = _after(seconds, lambda: self._stop(over))
        try:
            pickle.dump(question, self.process.stdin)
            self.process.stdin.flush()
            # Not the file's words: those of a process that runs our own code.
            answer = pickle.load(self.process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:
            self.end()
            why = f"its library did not come to an end in {seconds:.0f} s"
            if not over.is_set():
                why = f"its library ended the process ({_ending(self.process)})"
            msg = f"{path} cannot be read: {why}. It is damaged, or not what it seems."
            raise FileError(msg) from error
        except BaseException:  # Ctrl-C: what comes next is half an answer
            self.end()
            raise
        finally:
            alarm.cancel()
        return answer

    def _stop(self, over: threading.Event) -> None:
        over.set()
        self.process.kill()

    def end(self) -> None:
        """End the process, whatever it does."""
        if self.idle is not None:
            self.idle.cancel()
        self.process.kill()
        self.process.communicate()


class _Mine:
    """The reader of this process, if one was started."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.reader: _Reader | None = None

    def started(self) -> _Reader:
        if self.reader is None or self.reader.process.poll() is not None:
            self.reader = _Reader()
        return self.reader


_of_process: dict[int, _Mine] = {}  # a fork must not speak into the pipes of its parent


def _mine() -> _Mine:
    return _of_process.setdefault(os.getpid(), _Mine())


@atexit.register
def _let_go() -> None:
    mine = _mine()
    with mine.lock:
        if mine.reader is not None:
            mine.reader.end()
        mine.reader = None


def _after(seconds: float, do: Callable[[], Any]) -> threading.Timer:
    timer = threading.Timer(seconds, do)
    timer.daemon = True
    timer.start()
    return timer


def _ending(process: subprocess.Popen[bytes]) -> str:
    code = process.returncode
    return signal.Signals(-code).name if code < 0 else f"exit status {code}"


# the other process --------------------------------------------------------------------


def _serve() -> None:
    """Answer questions until nobody is there to put one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asked is told, and ends this one
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries may print
    while True:
        try:
            read, where, path, args, seconds = pickle.load(questions)
        except EOFError:
            return
        os.chdir(where)
        _limit_time(seconds)
        pickle.dump(_answered(read, path, args), answers)
        answers.flush()


def _answered(read: Callable[..., Any], path: Path, args: Any) -> Any:
    """What a reader warns of, what it returns, and what it raises."""
    result, failed = None, None
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with Reading(path):
                result = read(path, *args)
        except Exception as error:
            failed = error
    told = [(str(one.message), one.category) for one in caught]
    return told, result, failed


def _limit_time(seconds: float) -> None:
    """End this process when it has worked for so long, also if nobody waits for it."""
    try:
        import resource
    except ImportError:  # Windows
        return
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    wanted, most = int(used + seconds) + 1, resource.getrlimit(resource.RLIMIT_CPU)[1]
    if most in (resource.RLIM_INFINITY, max(most, wanted)):
        resource.setrlimit(resource.RLIMIT_CPU, (wanted, most))
