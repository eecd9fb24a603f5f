import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from paper.datasets import fetch_ecoli, fetch_kepler, fetch_nba
from paper.datasets.checksums import CHECKSUMS
from paper.datasets.lookup import cache_folder
from paper.datasets.sources import SOURCES
from paper.datasets.tables import FetchError


@pytest.fixture
def offline(web, monkeypatch):
    """Point every public address at a server that has nothing."""
    for name, source in SOURCES.items():
        if source.remote is not None:
            remote = replace(source.remote, url=f"{web.url}/{name}")
            monkeypatch.setitem(SOURCES, name, replace(source, remote=remote))


def test_the_cache_is_where_the_user_says(lonely, monkeypatch):
    home = lonely / "home"
    monkeypatch.setattr(sys, "platform", "linux")
    assert cache_folder() == home / ".cache" / "incerta"
    del os.environ["XDG_CACHE_HOME"]
    assert cache_folder() == home / ".cache" / "incerta"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert cache_folder() == home / "Library" / "Caches" / "incerta"
    monkeypatch.setattr(sys, "platform", "win32")
    assert cache_folder() == home / "AppData" / "incerta"
    os.environ["INCERTA_CACHE"] = str(lonely / "cache")
    assert cache_folder() == lonely / "cache"
    assert cache_folder(lonely / "other") == lonely / "other"
    assert cache_folder("~/mine") == Path("~/mine").expanduser()


def test_every_file_of_a_data_folder_has_a_checksum():
    files = {name for source in SOURCES.values() for name in source.files}
    assert files == set(CHECKSUMS)


def test_public_addresses_are_https_and_cache_names_plain():
    remotes = [s.remote for s in SOURCES.values() if s.remote is not None]
    assert all(remote.url.startswith("https://") for remote in remotes)
    assert all(Path(remote.file).name == remote.file for remote in remotes)
    assert len({remote.file for remote in remotes}) == len(remotes)


@pytest.mark.usefixtures("offline")
def test_offline_says_what_to_do(lonely, tree):
    with pytest.raises(FetchError, match=r"404.*Set INCERTA_DATA .*ecoli\.csv\.gz"):
        fetch_ecoli()
    assert tree(lonely / "cwd") == []


@pytest.mark.usefixtures("offline")
def test_offline_and_not_in_the_folder_says_both(lonely):
    os.environ["INCERTA_DATA"] = str(lonely / "cwd")
    with pytest.raises(FetchError, match=r"404.*cwd lacks ecoli\.csv\.gz"):
        fetch_ecoli()
    os.environ["INCERTA_DATA"] = str(lonely / "nowhere")
    with pytest.raises(FetchError, match="nowhere is not a folder"):
        fetch_ecoli()


@pytest.mark.usefixtures("offline")
def test_a_damaged_file_of_the_folder_is_named(lonely, web):
    os.environ["INCERTA_DATA"] = str(lonely / "cwd")
    (lonely / "cwd" / "ecoli.csv.gz").write_bytes(b"damaged")
    with pytest.raises(
        FetchError, match=r"ecoli\.csv\.gz is not the file .*Replace it"
    ):
        fetch_ecoli()
    assert web.requests == []


@pytest.mark.usefixtures("lonely")
def test_nba_is_never_fetched():
    with pytest.raises(
        FetchError, match=r"terms of its source.*Set INCERTA_DATA .*nba"
    ):
        fetch_nba()


@pytest.mark.usefixtures("lonely")
def test_draws_of_kepler_are_never_fetched():
    with pytest.raises(FetchError, match=r"draws=False.*Set INCERTA_DATA"):
        fetch_kepler(draws=True)


@pytest.mark.usefixtures("offline")
def test_the_folder_comes_first_and_nothing_is_written(data_folder, lonely, web, tree):
    shutil.copy(data_folder / "ecoli.csv.gz", lonely / "cwd")
    os.environ["INCERTA_DATA"] = str(lonely / "cwd")
    before = tree(lonely)
    assert fetch_ecoli().data.shape == (327, 7)
    assert web.requests == []
    assert tree(lonely) == before
