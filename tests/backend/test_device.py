"""Devices: what is there, and what is said of others."""

import numpy as np
import pytest

import incerta as ic
from incerta.backend.device import fetch, in_place, namespace, put, put_beside


def test_arrays_of_numpy_stay_where_they_are():
    x = np.arange(3.0)
    assert namespace(x) is np
    assert put(x, "cpu") is put_beside(x, x) is fetch(x) is x
    assert in_place("exp", x) is x
    np.testing.assert_allclose(x, np.exp([0.0, 1.0, 2.0]))


def test_arrays_of_torch(torch):
    x = np.arange(3.0)
    x.flags.writeable = False
    there = put(x, torch)
    assert not isinstance(there, np.ndarray)
    np.testing.assert_array_equal(fetch(put_beside(x, there)), x)
    np.testing.assert_allclose(fetch(in_place("exp", there)), np.exp(x))


def test_a_device_that_is_not_there():
    torch = pytest.importorskip("torch", reason="needs the extra gpu")
    if torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    with pytest.raises(ValueError, match="torch sees no CUDA device"):
        put(np.zeros(3), "cuda")


@pytest.mark.parametrize("name", ["RPC", "AutoClusterer", "ErrorMixture", "FDBSCAN"])
def test_a_device_that_does_not_exist_is_refused_whatever_the_data(name):
    pytest.importorskip("torch", reason="needs the extra gpu")
    data = ic.from_gaussian([[0.0], [1.0], [9.0]], std=0.1)
    with pytest.raises(ValueError, match="device='fridge' must be 'cpu' or a device"):
        getattr(ic, name)(device="fridge").fit(data)
