"""Long computations go on where they were stopped."""

import os
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, KMeans

import incerta as ic
from incerta.divergence import jensen_shannon
from incerta.exceptions import CheckpointError
from incerta.models.checkpoint import OWNER, Checkpoint, opened
from incerta.selection import keep_worlds
from tests.strategies import KINDS, make

DATA = make("gaussian", n=30, d=2, seed=3)
OTHER = make("gaussian", n=30, d=2, seed=4)  # of the same shape


def consensus(folder, seed=0, clusterer=None, **how):
    clusterer = KMeans(2) if clusterer is None else clusterer
    return ic.WorldConsensus(clusterer, 12, random_state=seed, checkpoint=folder, **how)


def same(one, two):
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.membership_, two.membership_)
    np.testing.assert_array_equal(one.predict_proba(DATA), two.predict_proba(DATA))
    assert one.seed_ == two.seed_


@pytest.mark.parametrize("seed", [0, None])
def test_the_same_whole_in_parts_and_without(seed, tmp_path):
    whole = consensus(tmp_path / "it", seed).fit(DATA)
    names = sorted(p.name for p in (tmp_path / "it").glob("*.piece"))
    assert len(names) >= 3
    again = consensus(tmp_path / "it", seed).fit(DATA)
    same(whole, again)
    for name in names[::2]:  # as if it had been stopped
        (tmp_path / "it" / name).unlink()
    same(whole, consensus(tmp_path / "it", seed).fit(DATA))
    same(whole, consensus(None, whole.seed_).fit(DATA))


def test_a_model_file_names_no_folder(tmp_path):
    model = consensus(tmp_path / "pieces").fit(DATA)
    model.save(tmp_path / "model.incerta")
    again = ic.load(tmp_path / "model.incerta")
    assert again.checkpoint is None
    same(model, again)


def test_finished_worlds_are_not_clustered_again(tmp_path, monkeypatch):
    consensus(tmp_path).fit(DATA)
    (tmp_path / "world-7.piece").unlink()
    seen = []
    fit = KMeans.fit_predict
    monkeypatch.setattr(
        KMeans, "fit_predict", lambda self, X: seen.append(X) or fit(self, X)
    )
    consensus(tmp_path).fit(DATA)
    assert len(seen) == 1


@pytest.mark.filterwarnings("ignore:all objects are noise")
def test_processes_and_failures(tmp_path):
    one = consensus(tmp_path, clusterer=DBSCAN(0.4, min_samples=2)).fit(DATA)
    again = consensus(tmp_path, clusterer=DBSCAN(0.4, min_samples=2), n_jobs=2)
    same(one, again.fit(DATA))
    assert one.failures_ == again.failures_ != {}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data(kind, tmp_path):
    data = make(kind, n=9, d=2, seed=5)
    found = [consensus(tmp_path).fit(data) for _ in range(2)]
    np.testing.assert_array_equal(found[0].labels_, found[1].labels_)


@pytest.mark.slow
def test_choose_k(tmp_path):
    rng = np.random.default_rng(0)
    X = 6.0 * (np.arange(20) % 2)[:, None] + rng.normal(size=(20, 2))
    data = ic.from_gaussian(X, std=0.3)
    whole = ic.choose_k(data, range(1, 3), checkpoint=tmp_path)
    names = sorted(p.name for p in tmp_path.glob("reference-*.piece"))
    assert len(names) == len(whole.null_scores) > 0
    (tmp_path / names[-1]).unlink()
    (tmp_path / "mixtures.piece").unlink()
    again = ic.choose_k(data, range(1, 3), checkpoint=tmp_path)
    plain = ic.choose_k(data, range(1, 3), random_state=whole.seed)
    assert str(again) == str(whole) == str(plain)
    np.testing.assert_array_equal(again.null_scores, whole.null_scores)
    with pytest.raises(CheckpointError, match=r"other parameters \(ks\)"):
        ic.choose_k(data, range(1, 4), checkpoint=tmp_path)


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda f: consensus(f).fit(DATA[:29]), "with other data; give another"),
        (lambda f: consensus(f).fit(OTHER), "with other data; give another"),
        (lambda f: consensus(f, seed=1).fit(DATA), r"other seed \(0, here 1\)"),
        (lambda f: consensus(f, clusterer=KMeans(3)).fit(DATA), r"\(clusterer\)"),
        (lambda f: consensus(f, min_share=0.4).fit(DATA), r"\(min_share\)"),
        (
            lambda f: ic.choose_k(DATA, range(1, 3), random_state=0, checkpoint=f),
            "other computation .'WorldConsensus', here 'choose_k'",
        ),
    ],
)
def test_others_are_refused(other, message, tmp_path):
    consensus(tmp_path).fit(DATA)
    with pytest.raises(CheckpointError, match=message):
        other(tmp_path)


def test_functions_are_told_apart(tmp_path):
    wide, narrow = (partial(jensen_shannon, bandwidth=b) for b in ("scott", 0.5))
    consensus(tmp_path, divergence=wide).fit(DATA)
    consensus(tmp_path, divergence=partial(jensen_shannon, bandwidth="scott")).fit(DATA)
    with pytest.raises(CheckpointError, match=r"\(divergence\)"):
        consensus(tmp_path, divergence=narrow).fit(DATA)


def test_kept_worlds_are_data(tmp_path):
    kept = keep_worlds(DATA, 12, 4, random_state=0)
    found = [consensus(tmp_path).fit(kept) for _ in range(2)]
    same(*found)
    with pytest.raises(CheckpointError, match="other data"):
        consensus(tmp_path).fit(keep_worlds(DATA, 12, 3, random_state=0))


def test_damage_is_told(tmp_path):
    consensus(tmp_path).fit(DATA)
    piece = tmp_path / "world-3.piece"
    piece.write_bytes(piece.read_bytes()[:-30])
    with pytest.raises(CheckpointError, match=r"world-3.piece is damaged .* remove it"):
        consensus(tmp_path).fit(DATA)
    (tmp_path / OWNER).write_text("{")
    with pytest.raises(CheckpointError, match="cannot be used"):
        consensus(tmp_path).fit(DATA)


class Own(KMeans):
    """Of a class that no file may name."""

    def __init__(self, n_clusters=2, random_state=None):
        super().__init__(n_clusters, random_state=random_state)


def test_what_cannot_be_kept(tmp_path):
    with pytest.raises(CheckpointError, match=r"'world-0': .*Or leave checkpoint"):
        consensus(tmp_path / "a", clusterer=Own()).fit(DATA)
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointError, match="cannot be used"):
        consensus(tmp_path / "file").fit(DATA)


def test_without_a_folder_nothing_is_kept():
    none = opened(None, "it", {}, object(), 5, False)
    assert none == Checkpoint(None, 5)
    assert none.piece("any", lambda: 7) == 7
    assert not none.has("any")


SLOW = """
import sys, time
import numpy as np
import incerta as ic
from sklearn.cluster import KMeans
from tests.models.test_checkpoint import DATA, consensus

fit = KMeans.fit_predict
def slowly(self, X):
    time.sleep(0.05)
    return fit(self, X)
KMeans.fit_predict = slowly
found = consensus(sys.argv[1]).fit(DATA)
np.save(sys.argv[1] + "/labels.npy", found.labels_per_world_)
"""


def test_killed_it_goes_on(tmp_path):
    command = [sys.executable, "-c", SLOW, str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    running = subprocess.Popen(command, env=env)
    deadline = time.monotonic() + 60
    while not (tmp_path / "world-2.piece").exists():
        assert time.monotonic() < deadline
        assert running.poll() is None
        time.sleep(0.01)
    running.kill()
    running.wait()
    assert not (tmp_path / "labels.npy").exists()
    found = consensus(tmp_path).fit(DATA)
    expected = consensus(None).fit(DATA)
    same(found, expected)
    np.testing.assert_array_equal(found.labels_per_world_, expected.labels_per_world_)
