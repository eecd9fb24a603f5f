"""Work that would need more memory than there is, is refused before it begins."""

import numpy as np
import pytest

import incerta as ic
from incerta.backend import memory
from incerta.distances.expected import expected_distance_matrix
from incerta.spectral import gaussian_affinity


def test_the_message_has_both_sizes_and_the_way_out():
    there = memory.physical_bytes()
    assert 2**28 < there < 2**48
    memory.check_fits(there, "Pairs", "Take fewer.")
    with pytest.raises(MemoryError) as told:
        memory.check_fits(2**60, "Pairs", "Take fewer.")
    assert str(told.value) == (
        f"Pairs need 1.07e+09 GiB, and this machine has {there / 2**30:,.3g} GiB. "
        "Take fewer."
    )


def test_blocks():
    cut = [(0, 3), (3, 6), (6, 9), (9, 10)]
    assert [(s.start, s.stop) for s in memory.blocks(10, 8.0, 24)] == cut
    assert list(memory.blocks(3, 100, 24)) == [slice(i, i + 1) for i in range(3)]
    assert list(memory.blocks(3, 0, 24)) == [slice(0, 3)]
    assert list(memory.blocks(0, 8, 24)) == []


def test_memory_is_used_again():
    scratch = memory.Scratch()
    one = scratch.array("one", (2, 3))
    one[:] = np.arange(6.0).reshape(2, 3)
    for shape in ((6,), (3, 2), (2, 1)):
        again = scratch.array("one", shape)
        assert again.shape == shape
        assert np.shares_memory(again, one)
    assert not np.shares_memory(scratch.array("two", (6,)), one)
    assert scratch.array("one", (7,)).shape == (7,)


def test_all_pairs_of_a_million_objects():
    values = np.zeros((1_000_000, 1))
    values[0] = 1.0
    law = ic.as_uncertain(values).law
    with pytest.raises(MemoryError, match=r"1,000,000 objects need .*e\+04 GiB"):
        expected_distance_matrix(law, "sqeuclidean", 0)
    with pytest.raises(MemoryError, match=r"need .* GiB.*Give n_neighbors\."):
        gaussian_affinity(values)
    worlds = ic.from_gaussian(values, std=1.0).worlds(10_000_000, 0)
    with pytest.raises(MemoryError, match="Go through the worlds one by one"):
        worlds.stack()


@pytest.mark.parametrize(
    ("model", "way_out"),
    [
        (ic.UKMedoids(2), "UKMeans"),
        (ic.FOPTICS(), "Give max_eps"),
        (ic.FDBSCAN(eps=9.0, min_samples=3), "Lower eps"),
    ],
)
def test_estimators_on_a_small_machine(model, way_out, monkeypatch):
    data = ic.from_gaussian(np.random.default_rng(0).normal(size=(200, 2)), std=0.1)
    pairs = 8 * 2 * 200**2
    monkeypatch.setattr(memory, "physical_bytes", lambda: 2 * pairs)
    model.fit(data)
    monkeypatch.setattr(memory, "physical_bytes", lambda: pairs - 1)
    with pytest.raises(MemoryError, match=way_out):
        model.fit(data)
