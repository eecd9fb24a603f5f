"""Damaged model files; `python -m tests.fuzz models` runs as many as there is time."""

import io
import json
import zipfile

import pytest

import incerta as ic
from incerta.exceptions import ModelFileError
from tests.fuzz import models
from tests.fuzz.children import Finding, outcome_of, run
from tests.fuzz.rewriting import packed
from tests.models.test_hostile_files import parts_of

# Cases by seed and number that once were findings; kept for ever.
CORPUS = [(0, 1430)]


@pytest.mark.parametrize(
    ("seed", "numbers"), [*((seed, [n]) for seed, n in CORPUS), (0, range(80))]
)
def test_damaged_files_are_refused_or_the_same(seed, numbers, tmp_path):
    for number in numbers:
        outcome = outcome_of(models, seed, number, tmp_path)
        assert not outcome.is_finding, outcome


@pytest.mark.slow
def test_damaged_files_in_children():
    outcomes = list(run("models", 2, range(500)))
    assert not [outcome for outcome in outcomes if outcome.is_finding]
    words = {outcome.word for outcome in outcomes}
    assert {"refused", "same", "changed", "failed"} >= words - {"long"}
    assert {"refused", "same", "changed"} <= words


def test_cases_are_the_same_every_time():
    assert models.make(3, 5) == models.make(3, 5)
    assert models.make(3, 5) != models.make(3, 6)


def test_files_are_packed_as_zipfile_does():
    content = models.seeds()[0].content
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        members = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(io.BytesIO(packed(members))) as file:
        assert {name: file.read(name) for name in file.namelist()} == members
        assert file.testzip() is None


def test_another_answer_is_a_finding(tmp_path):
    manifest, members = parts_of(models.seeds()[0].content)
    manifest["model"]["object"][1]["n_init"] = 7
    content = packed({"manifest.json": json.dumps(manifest).encode(), **members})
    case = models.make(0, 0)._replace(content=content, about=False)
    with pytest.raises(Finding):
        models.check(case, tmp_path)
    assert models.check(case._replace(about=True), tmp_path) == "changed"


def test_too_much_memory_is_a_finding(tmp_path, monkeypatch):
    def load(_):
        try:
            bytearray(2**27)
        except MemoryError as error:
            raise ModelFileError from error

    monkeypatch.setattr(ic, "load", load)
    models.seeds()
    with pytest.raises(Finding) as found:
        models.check(models.make(0, 0), tmp_path)
    assert found.value.word == "memory"
