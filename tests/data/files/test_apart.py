"""A library that ends the process, or never ends, ends another one."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import incerta as ic
from incerta.data.files import apart
from incerta.exceptions import FileError, MissingValueError
from tests.data.files.readers import (
    dies,
    fails,
    many,
    never_ends,
    number_of_process,
    prints,
    warns_and_refuses,
)


@pytest.fixture
def started(monkeypatch, tmp_path):
    """A file, and readers that are called in another process."""
    monkeypatch.setattr(apart, "HERE", False)
    path = tmp_path / "file"
    path.write_text("text")
    return path


def test_answers_come_from_one_other_process(started):
    first, text = apart.apart(number_of_process, started)
    assert first != os.getpid()
    assert text == "text"
    assert apart.apart(number_of_process, started)[0] == first
    found = apart.apart(many, started, 10**6)
    np.testing.assert_array_equal(found["values"], np.arange(10**6))
    assert found["text"].tolist() == ["ä"] * 3
    assert apart.apart(prints, started) is None


def test_names_are_told_from_where_the_user_is(started, monkeypatch, tmp_path):
    first, _ = apart.apart(number_of_process, started)
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "file").write_text("another")
    for folder, text in ((tmp_path, "text"), (tmp_path / "below", "another")):
        monkeypatch.chdir(folder)
        found = apart.apart(number_of_process, Path("file"))
        assert found == (first, text)


def test_errors_and_warnings_come_along(started):
    with (
        pytest.warns(UserWarning, match="not quite right"),
        pytest.raises(MissingValueError, match="3 values are missing"),
    ):
        apart.apart(warns_and_refuses, started)
    with pytest.raises(FileError, match="file cannot be read: 'nothing'"):
        apart.apart(fails, started)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_what_dies_is_refused_and_the_next_is_read(started):
    with pytest.raises(FileError, match=r"ended the process \(SIGSEGV\)"):
        apart.apart(dies, started)
    assert apart.apart(number_of_process, started)[1] == "text"


@pytest.mark.slow
def test_what_does_not_end_is_refused(started, monkeypatch):
    apart.apart(number_of_process, started)
    monkeypatch.setattr(apart, "PATIENCE", 0.3)
    with pytest.raises(FileError, match=r"did not come to an end in 0 s|SIGXCPU"):
        apart.apart(never_ends, started)


@pytest.mark.slow
def test_the_process_is_let_go(started, monkeypatch):
    monkeypatch.setattr(apart, "IDLE", 0.05)
    first, _ = apart.apart(number_of_process, started)
    until = time.monotonic() + 60
    while apart._mine().reader is not None:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert apart.apart(number_of_process, started)[0] != first


def test_without_another_process_this_one_reads(started, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError

    apart._let_go()
    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert apart.apart(number_of_process, started)[0] == os.getpid()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_nothing_stays_behind_also_of_a_fork(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os\n"
        "from pathlib import Path\n"
        "from incerta.data.files.apart import apart\n"
        "from tests.data.files.readers import number_of_process\n"
        "for _ in range(2):\n"
        "    told = apart(number_of_process, Path(__file__))[0]\n"
        "    print(told, flush=True)\n"
        "if os.fork():\n"
        "    os.wait()\n"
        "else:\n"
        "    print(apart(number_of_process, Path(__file__))[0])\n"
    )
    # No "if __name__ == '__main__'" is needed, and no folder but that of the caller.
    # Python 3.12 tells all who fork beside a thread, such as that of the reader.
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", script],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.stderr == ""
    first, again, of_fork = done.stdout.split()
    assert first == again != of_fork
    assert not any(Path(f"/proc/{one}").exists() for one in (first, of_fork))


def test_tables_are_read_apart(started):
    h5py = pytest.importorskip("h5py", reason="needs the extra io")
    from tests.data.files.test_h5ad import put_frame

    path = started.with_suffix(".h5ad")
    with h5py.File(path, "w") as file:
        put_frame(file, "obs", ["a", "b"])
        put_frame(file, "var", ["gene"])
        file["X"] = [[1.0], [2.0]]
        file["obsm/X_pca"] = [[1.0, 2.0], [3.0, 4.0]]
    data = ic.read(path, values=["gene", "X_pca"])
    assert data.feature_names == ("gene", "X_pca_1", "X_pca_2")
    np.testing.assert_array_equal(data.mean(), [[1, 1, 2], [2, 3, 4]])


@pytest.mark.parametrize("engine", ["h5netcdf", "scipy"])
def test_datasets_are_read_apart(started, engine):
    xarray = pytest.importorskip("xarray", reason="needs the extra io")
    pytest.importorskip(engine)
    path = started.with_suffix(".nc")
    names = ("id", ["a", "b"])
    table = xarray.Dataset({"x": ("id", [1.0, 2.0]), "id": names})
    table.to_netcdf(path, engine=engine)
    if engine == "scipy":
        apart._let_go()
    data = ic.read(path, id="id", values="x")
    assert data.ids.tolist() == ["a", "b"]
    assert (apart._mine().reader is not None) == (engine == "h5netcdf")
