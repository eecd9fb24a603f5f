"""Download one file from the web into a folder, complete and checked.

In contrast to pooch, the size is limited, interrupted downloads resume, and redirects
from https to http are refused.
"""

import hashlib
import os
import re
import secrets
import socket
import stat
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.client import (
    HTTPConnection,
    HTTPException,
    HTTPMessage,
    HTTPResponse,
    HTTPSConnection,
)
from pathlib import Path
from typing import IO
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
)

from paper.datasets.tables import FetchError

CHUNK = 64 * 1024
# Give up below this number of bytes per second.
SLOWEST = 1000
TRY_AGAIN = "Try again later, or set INCERTA_DATA to a folder that holds the file."


def download(
    url: str,
    target: Path,
    *,
    max_bytes: int,
    sha256: str | None = None,
    progress: bool = True,
    timeout: float = 30.0,
    way_out: str = TRY_AGAIN,
) -> None:
    """Fetch `url` into the file `target`.

    The bytes go to a file next to the target, which is renamed when it is complete and
    checked, so the target is never half-written. After a broken connection, the bytes
    are kept as ``<target>.part``, and the next call resumes if the server can.

    Parameters
    ----------
    url : str
        Address, http or https, as for all redirects.
    target : Path
        File to write. Its folder is created if necessary.
    max_bytes : int
        Maximum number of bytes to accept.
    sha256 : str, optional
        Required checksum of the file.
    progress : bool, default=True
        Draw a bar on stderr, if that is a terminal.
    timeout : float, default=30.0
        Give up after this number of seconds without an answer, or with less than 1000
        bytes each.
    way_out : str, optional
        Advice at the end of every error message.

    Raises
    ------
    FetchError
        If the file cannot be obtained or fails its check.
    """
    _refuse_scheme(url, url, way_out)
    part = target.with_name(target.name + ".part")
    # Two processes may fetch the same file. Each claims the part by a rename, which
    # only one of them can win, so they never write to the same file.
    own = f"{target.name}.part-{os.getpid()}-{secrets.token_hex(4)}"
    mine = target.with_name(own)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if _is_plain(part):
            with suppress(FileNotFoundError):
                part.rename(mine)
        if not _is_plain(mine):  # it may have become a link in between
            mine.unlink(missing_ok=True)
        mine.touch()
    except OSError as error:
        msg = (
            f"cannot write to {target.parent}: {error}. Name another folder with "
            "cache= or INCERTA_CACHE."
        )
        raise FetchError(msg) from error
    keep = True
    try:
        try:
            _receive(url, mine, max_bytes, progress, timeout)
        except _TooLargeError as error:
            keep = False
            msg = (
                f"{url} sends {error} bytes; at most {max_bytes} were expected, so the "
                f"file has changed. {way_out}"
            )
            raise FetchError(msg) from error
        except FetchError:
            raise
        except HTTPError as error:
            error.close()
            msg = f"{url} answers {error.code} {error.reason}. {way_out}"
            raise FetchError(msg) from error
        except (OSError, HTTPException) as error:
            reason = getattr(error, "reason", None) or error
            msg = f"could not fetch {url}: {reason}. {way_out}"
            raise FetchError(msg) from error
        if sha256 is not None and (found := sha256_of(mine)) != sha256:
            keep = False
            msg = (
                f"{url} fails its check: expected sha256 {sha256}, found {found}. The "
                f"file was removed. {way_out}"
            )
            raise FetchError(msg)
        mine.replace(target)
    finally:
        if keep and mine.exists() and mine.stat().st_size:
            mine.replace(part)
        else:
            mine.unlink(missing_ok=True)


def _is_plain(path: Path) -> bool:
    """Return whether this is a regular file: writing to a link changes another file."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return False
    return stat.S_ISREG(found.st_mode) and found.st_nlink == 1


def sha256_of(path: Path) -> str:
    """Return the checksum of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _TooLargeError(Exception):
    """More bytes than the limit."""


class _TruncatedError(OSError):
    """Fewer bytes than were announced."""


def _receive(
    url: str, path: Path, max_bytes: int, progress: bool, timeout: float
) -> None:
    """Append the missing bytes to `path`; start over if the server cannot continue."""
    have = path.stat().st_size
    response = _open(url, have, timeout)
    if have and response is None:
        have, response = 0, _open(url, 0, timeout)
    if response is None:  # only a request with a range can return None
        msg = "the server answered with an unexpected part of the file"
        raise _TruncatedError(msg)
    with response, path.open("r+b") as file:
        if response.status != 206:
            have = 0  # the server does not support ranges and sends all bytes
        file.truncate(have)
        file.seek(have)
        _copy(response, file, have, max_bytes, progress, timeout)


def _copy(
    response: HTTPResponse,
    file: IO[bytes],
    have: int,
    max_bytes: int,
    progress: bool,
    timeout: float,
) -> None:
    announced = response.headers.get("Content-Length", "")
    total = have + int(announced) if announced.isdecimal() else None
    if total is not None and total > max_bytes:
        raise _TooLargeError(total)
    with _bar(Path(urlsplit(response.url).path).name, have, total, progress) as advance:
        since, before = time.monotonic(), have
        # Read the bytes that have arrived instead of waiting for a whole chunk.
        while chunk := response.read1(CHUNK):
            have += len(chunk)
            now = time.monotonic()
            if now > since + timeout:
                if have - before < SLOWEST * (now - since):
                    msg = f"only {have - before} bytes came in {now - since:.0f} s"
                    raise TimeoutError(msg)
                since, before = now, have
            if have > max_bytes:
                raise _TooLargeError(have)
            file.write(chunk)
            advance(len(chunk))
    if total is not None and have < total:
        msg = f"the connection ended after {have} of {total} bytes"
        raise _TruncatedError(msg)


def _open(url: str, have: int, timeout: float) -> HTTPResponse | None:
    """Request `url` from byte `have` on; return None if the server has no such part."""
    # Some servers refuse the name of the standard library. "identity" is needed as a
    # compressed transfer has another length and checksum.
    headers = {"User-Agent": "incerta", "Accept-Encoding": "identity"}
    if have:
        headers["Range"] = f"bytes={have}-"
    try:
        response: HTTPResponse = _opener().open(
            Request(url, headers=headers), None, timeout
        )
    except HTTPError as error:
        if have and error.code == 416:
            error.close()
            return None
        raise
    if response.status == 206:
        found = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
        if not have or found is None or int(found[1]) != have:
            response.close()
            return None
    return response


def _opener() -> OpenerDirector:
    """Return an opener for http and https only; the usual one also reads files."""
    opener = OpenerDirector()
    for handler in (
        ProxyHandler(),
        _Http(),
        _Https(),
        HTTPDefaultErrorHandler(),
        _SafeRedirects(),
        HTTPErrorProcessor(),
    ):
        opener.add_handler(handler)
    return opener


class _Prompt(HTTPConnection):
    """A connection with a limit for the first answer; timeouts are per byte."""

    def getresponse(self) -> HTTPResponse:
        late = threading.Event()
        alarm = threading.Timer(self.timeout or 0.0, _hang_up, (self.sock, late))
        alarm.daemon = True
        alarm.start()
        answer: HTTPResponse | None = None
        try:
            answer = super().getresponse()
        except (OSError, HTTPException):
            if not late.is_set():
                raise
        finally:
            alarm.cancel()
        if answer is None or late.is_set():
            if answer is not None:  # a partial head looks like a complete one
                answer.close()
            msg = f"timed out: no whole head of an answer in {self.timeout:g} s"
            raise TimeoutError(msg)
        return answer


def _hang_up(connection: socket.socket, late: threading.Event) -> None:
    late.set()
    with suppress(OSError):  # the connection may have ended
        socket.socket.shutdown(connection, socket.SHUT_RDWR)


class _PromptAndSecure(_Prompt, HTTPSConnection):
    pass


class _Http(HTTPHandler):
    def http_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_Prompt, req)


class _Https(HTTPSHandler):
    def https_open(self, req: Request) -> HTTPResponse:
        return self.do_open(_PromptAndSecure, req)


class _SafeRedirects(HTTPRedirectHandler):
    """A handler of redirects to the web only, and never from https back to http."""

    def redirect_request(
        self,
        req: Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: HTTPMessage,
        newurl: str,
    ) -> Request | None:
        _refuse_scheme(newurl, req.full_url, TRY_AGAIN)
        return super().redirect_request(req, fp, code, msg, headers, newurl)

    def http_error_302(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage
    ) -> HTTPResponse | None:
        # The inherited check lets ftp pass and words its refusal of others as an
        # answer of the server.
        place = headers.get("Location") or headers.get("URI") or ""
        if urlsplit(place).scheme:
            _refuse_scheme(place, req.full_url, TRY_AGAIN)
        answer: HTTPResponse | None = super().http_error_302(
            req, fp, code, msg, headers
        )
        return answer

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def _refuse_scheme(url: str, origin: str, way_out: str) -> None:
    secure = urlsplit(origin).scheme == "https"  # in small letters, however written
    allowed = ("https",) if secure else ("https", "http")
    if urlsplit(url).scheme not in allowed:
        led = "" if url == origin else f" ({origin} redirects there)"
        begin = " or ".join(f"{scheme}://" for scheme in allowed)
        msg = f"{url}{led} is refused: it must begin with {begin}. {way_out}"
        raise FetchError(msg)


@contextmanager
def _bar(
    name: str, have: int, total: int | None, progress: bool
) -> Iterator[Callable[[int], None]]:
    """Yield a function of the number of bytes, which moves a bar on a terminal."""
    if not (progress and sys.stderr.isatty()):
        yield lambda n_bytes: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

    columns = TextColumn("{task.description}"), BarColumn(), DownloadColumn()
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(name, total=total, completed=have)
        yield lambda n_bytes: bar.advance(task, n_bytes)
