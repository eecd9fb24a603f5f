"""A real HTTP server on loopback, and an environment with nothing of the user's."""

import os
import threading
import time
from contextlib import chdir, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest


@dataclass
class Web:
    """What the server offers and how it behaves; `requests` is what it was asked."""

    url: str = ""
    files: dict = field(default_factory=dict)
    redirects: dict = field(default_factory=dict)
    requests: list = field(default_factory=list)
    ranges: bool = True  # honors Range
    wrong_range: bool = False  # answers a Range with another part
    lengths: bool = True  # says how long the answer is
    cut_after: int | None = None  # bytes after which the connection breaks
    drip: float | None = None  # seconds between single bytes
    drip_head: bool = False  # also of what stands before the body
    stall: threading.Event | None = None  # answers once this is set


def _handler(web):
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            wanted = self.headers.get("Range")
            web.requests.append((self.path, wanted))
            if web.stall is not None:
                web.stall.wait(60)
                return
            if web.drip_head:
                self.wfile.write(b"HTTP/1.1 200 OK\r\n"[: web.cut_after])
                self.drip(b"X-Why: " + bytes(1000))
                return
            if self.path in web.redirects:
                self.send_response(302)
                self.send_header("Location", web.redirects[self.path])
                self.end_headers()
                return
            if self.path not in web.files:
                self.send_error(404)
                return
            self.answer(web.files[self.path], wanted)

        def answer(self, body, wanted):
            start = 0
            if wanted and web.ranges:
                start = int(wanted.removeprefix("bytes=").removesuffix("-"))
                if start >= len(body):
                    self.send_error(416)
                    return
                start = 0 if web.wrong_range else start
                self.send_response(206)
                told = f"bytes {start}-{len(body) - 1}/{len(body)}"
                self.send_header("Content-Range", told)
            else:
                self.send_response(200)
            if web.lengths:
                self.send_header("Content-Length", str(len(body) - start))
            self.end_headers()
            if web.drip is None:
                self.wfile.write(body[start:][: web.cut_after])
                return
            self.drip(body[start:])

        def drip(self, text):
            with suppress(OSError):  # nobody waits for the rest
                for byte in text:
                    self.wfile.write(bytes([byte]))
                    time.sleep(web.drip)

        def log_message(self, *args):
            pass

    return Handler


@pytest.fixture
def web():
    web = Web()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(web))
    server.daemon_threads = True
    web.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield web
    if web.stall is not None:
        web.stall.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def data_folder():
    """Folder of data files that the run was given; without it the test is skipped."""
    named = os.environ.get("INCERTA_DATA")
    if not named:
        pytest.skip("INCERTA_DATA is not set: no folder of data files to compare with")
    return Path(named)


@pytest.fixture
def lonely(tmp_path):
    """Run in an empty place: no data folder, home, cwd and cache below tmp_path.

    Tests may say more in `os.environ`, which is as before in the end.
    """
    for name in ("home", "cwd", "cache"):
        (tmp_path / name).mkdir()
    home, before = tmp_path / "home", dict(os.environ)
    for name in ("INCERTA_DATA", "INCERTA_CACHE", "http_proxy", "HTTP_PROXY"):
        os.environ.pop(name, None)
    os.environ |= {
        "HOME": str(home),
        "USERPROFILE": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "LOCALAPPDATA": str(home / "AppData"),
        "TERM": "xterm",
    }
    with chdir(tmp_path / "cwd"):
        yield tmp_path
    os.environ.clear()
    os.environ |= before


def tree(folder):
    """Every path below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture(name="tree")
def _tree():
    return tree
