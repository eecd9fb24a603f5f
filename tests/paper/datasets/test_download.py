import hashlib
import io
import socket
import threading
from contextlib import redirect_stderr

import pytest

from paper.datasets.download import _refuse_scheme, download
from paper.datasets.tables import FetchError
from tests.extras import not_on_windows

BODY = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def get(web, lonely):
    """Download /file into the cache folder; return the path."""
    web.files["/file"] = BODY

    def get(path="/file", **options):
        target = lonely / "cache" / "known-name.bin"
        known = {"sha256": SHA256, "max_bytes": len(BODY), "timeout": 60.0} | options
        download(web.url + path, target, **known)
        return target

    get.part = lonely / "cache" / "known-name.bin.part"
    return get


def test_whole_file_and_nothing_but_the_file(get, lonely, tree):
    assert get().read_bytes() == BODY
    assert tree(lonely) == ["cache", "cache/known-name.bin", "cwd", "home"]


def test_missing_folders_of_the_cache_are_made(web, lonely):
    web.files["/file"] = BODY
    target = lonely / "cache" / "a" / "b" / "file"
    download(f"{web.url}/file", target, max_bytes=len(BODY))
    assert target.read_bytes() == BODY


def test_nothing_is_printed_where_stderr_is_no_terminal(get, capsys):
    get(progress=True)
    assert capsys.readouterr() == ("", "")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("progress", [True, False])
def test_a_terminal_gets_a_bar_on_request(get, progress):
    terminal = Terminal()
    with redirect_stderr(terminal):
        get(progress=progress)
    assert ("file" in terminal.getvalue()) is progress


def test_a_part_is_resumed(get, web):
    get.part.write_bytes(BODY[:1000])
    assert get().read_bytes() == BODY
    assert web.requests == [("/file", "bytes=1000-")]
    assert not get.part.exists()


def test_a_part_is_dropped_if_the_server_knows_no_ranges(get, web):
    web.ranges = False
    get.part.write_bytes(b"x" * 1000)
    assert get().read_bytes() == BODY
    assert len(web.requests) == 1


@pytest.mark.parametrize("size", [1000, len(BODY), len(BODY) + 5])
def test_a_part_is_dropped_if_the_server_answers_with_another(get, web, size):
    web.wrong_range = True
    get.part.write_bytes(b"x" * size)
    assert get().read_bytes() == BODY
    assert [asked for _, asked in web.requests] == [f"bytes={size}-", None]


def test_a_broken_connection_is_resumed(get, web):
    web.cut_after = 70_000
    with pytest.raises(FetchError, match="ended after 70000 of 256000 bytes"):
        get()
    assert get.part.read_bytes() == BODY[:70_000]
    with pytest.raises(FetchError, match="ended after 140000 of 256000 bytes"):
        get()
    web.cut_after = None
    assert get().read_bytes() == BODY
    assert [asked for _, asked in web.requests] == [
        None,
        "bytes=70000-",
        "bytes=140000-",
    ]


def test_a_wrong_checksum_leaves_nothing(get, lonely, tree, web):
    wrong = "0" * 64
    with pytest.raises(FetchError) as caught:
        get(sha256=wrong)
    for word in (f"{web.url}/file", wrong, SHA256, "INCERTA_DATA"):
        assert word in str(caught.value)
    assert tree(lonely / "cache") == []


def test_a_part_of_another_file_fails_once_and_is_gone(get):
    get.part.write_bytes(b"x" * 1000)
    with pytest.raises(FetchError, match="fails its check"):
        get()
    assert get().read_bytes() == BODY


def test_a_file_that_announces_too_much_is_not_read(get, lonely, tree):
    with pytest.raises(FetchError, match="sends 256000 bytes; at most 1000 were"):
        get(max_bytes=1000)
    assert tree(lonely / "cache") == []


def test_a_file_that_goes_on_and_on_is_stopped(get, web, lonely, tree):
    web.lengths = False
    with pytest.raises(FetchError, match="at most 1000 were expected"):
        get(max_bytes=1000)
    assert tree(lonely / "cache") == []


def test_unknown_length_is_fine(get, web):
    web.lengths = False
    assert get().read_bytes() == BODY


def test_not_found(get, lonely, tree):
    with pytest.raises(FetchError, match=r"/nothing answers 404 .*INCERTA_DATA"):
        get("/nothing")
    assert tree(lonely / "cache") == []


def test_nobody_answers(lonely):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/file"
        with pytest.raises(FetchError, match=r"could not fetch .* Do this instead"):
            download(
                url, lonely / "cache" / "f", max_bytes=9, way_out="Do this instead."
            )


def test_a_silent_server_is_given_up(get, web):
    web.stall = threading.Event()
    with pytest.raises(FetchError, match="timed out"):
        get(timeout=0.2)


def test_a_server_that_only_drips_is_given_up(get, web):
    web.drip = 0.02
    with pytest.raises(FetchError, match=r"only \d+ bytes came in"):
        get(timeout=0.2)


@pytest.mark.parametrize("after", [0, None])
def test_a_server_that_drips_its_head_is_given_up(get, web, after):
    web.drip, web.drip_head, web.cut_after = 0.02, True, after
    with pytest.raises(FetchError, match="no whole head of an answer"):
        get(timeout=0.2)


@not_on_windows("lets few make links")
@pytest.mark.parametrize("link", ["symlink_to", "hardlink_to"])
def test_nothing_is_written_through_a_link(get, lonely, link):
    others = lonely / "others.txt"
    others.write_bytes(BODY[:500])
    get.part.parent.mkdir(parents=True, exist_ok=True)
    getattr(get.part, link)(others)
    assert get().read_bytes() == BODY
    assert others.read_bytes() == BODY[:500]


def test_redirects_are_followed_but_do_not_name_the_file(get, web, lonely, tree):
    web.redirects["/old"] = "/../../file?x=../../evil"
    web.files["/file?x=../../evil"] = BODY
    assert get("/old").name == "known-name.bin"
    assert tree(lonely / "cwd") == tree(lonely / "home") == []


@pytest.mark.parametrize(
    "place", ["file:///etc/passwd", "ftp://127.0.0.1/f", "data:,x"]
)
def test_redirects_away_from_the_web_are_refused(get, web, lonely, tree, place):
    web.redirects["/old"] = place
    with pytest.raises(FetchError, match=r"redirects there.* is refused"):
        get("/old")
    assert tree(lonely / "cache") == []


def test_redirects_in_a_circle_end(get, web):
    web.redirects["/old"] = "/old"
    with pytest.raises(FetchError, match="answers 302"):
        get("/old")


def test_https_never_falls_back_to_http():
    _refuse_scheme("https://b.org/f", "http://a.org/f", "")
    with pytest.raises(FetchError, match="must begin with https://"):
        _refuse_scheme("http://b.org/f", "https://a.org/f", "")
    with pytest.raises(FetchError, match="must begin with https://"):
        _refuse_scheme("http://b.org/f", "HTTPS://a.org/f", "")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://a.org/f", "/etc/passwd"])
def test_only_the_web_is_read(lonely, url):
    with pytest.raises(FetchError, match="is refused"):
        download(url, lonely / "cache" / "f", max_bytes=9)


def test_a_folder_that_cannot_be_written_names_the_way_out(web, lonely):
    (lonely / "file").touch()
    with pytest.raises(FetchError, match="INCERTA_CACHE"):
        download(f"{web.url}/file", lonely / "file" / "f", max_bytes=9)


def test_two_at_once_do_not_spoil_each_other(get, lonely, tree):
    get.part.write_bytes(BODY[:500])
    threads = [threading.Thread(target=get) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (lonely / "cache" / "known-name.bin").read_bytes() == BODY
    assert tree(lonely / "cache") == ["known-name.bin"]
