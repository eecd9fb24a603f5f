"""The torch path: on the CPU where torch is installed, on CUDA with ``-m gpu``."""

import numpy as np
import pytest

from incerta.divergence import jensen_shannon
from tests.divergence.test_jensen_shannon import worlds_like

SHAPES = [(4, 50, 1), (4, 50, 4), (3, 700, 21), (3, 130, 90)]


def sums_in_float64(x, a):
    squares = ((x[:, None] - a[None]) ** 2).sum(axis=2)
    return np.exp2(-squares / 2).sum(axis=1)


@pytest.mark.parametrize(("m", "n", "d"), SHAPES)
def test_blocks_on_any_device(m, n, d, monkeypatch):
    torch = pytest.importorskip("torch", reason="needs the extra gpu")
    from incerta.divergence import torch_kernel

    monkeypatch.setattr(torch_kernel, "EXPONENT_BYTES", 1000)
    rng = np.random.default_rng(0)
    x, a = rng.normal(size=(2, n, d)).astype(np.float32)
    found = torch_kernel.blocked_sums(
        torch.from_numpy(x.T), torch.from_numpy(a), torch.zeros(d), torch.ones(d)
    )
    expected = sums_in_float64(x.astype(float), a.astype(float))
    np.testing.assert_allclose(found.numpy(), expected, rtol=1e-5, atol=1e-30)


@pytest.mark.gpu
@pytest.mark.filterwarnings("ignore::incerta.divergence.SaturationWarning")
@pytest.mark.parametrize("bandwidth", ["silverman", "scott"])
@pytest.mark.parametrize(("m", "n", "d"), SHAPES)
def test_cuda_agrees_with_float64(m, n, d, bandwidth):
    worlds = worlds_like(1, m, n, d)
    exact = jensen_shannon(worlds, dtype="float64", bandwidth=bandwidth)
    found = jensen_shannon(worlds, device="cuda", bandwidth=bandwidth)
    np.testing.assert_allclose(found, exact, atol=1e-5)


@pytest.mark.gpu
def test_cuda_where_a_feature_is_flat_in_one_world():
    # In units of its kernels, the values of the others are beyond half precision.
    worlds = worlds_like(1, 3, 200, 2)
    worlds[0, :, 0] = 0.5
    worlds[1, 0, 0] = 1e6
    exact = jensen_shannon(worlds, dtype="float64")
    np.testing.assert_allclose(jensen_shannon(worlds, device="cuda"), exact, atol=1e-5)


@pytest.mark.gpu
def test_cuda_subsample_agrees(monkeypatch):
    from incerta.divergence import torch_kernel

    worlds = worlds_like(2, 6, 500, 5)
    exact, error = jensen_shannon(worlds, n_points=100, return_error=True)
    monkeypatch.setattr(torch_kernel, "POINT_BYTES", 5000)
    found, same = jensen_shannon(worlds, n_points=100, return_error=True, device="cuda")
    np.testing.assert_allclose(found, exact, atol=1e-5)
    np.testing.assert_allclose(same, error, atol=1e-5)
