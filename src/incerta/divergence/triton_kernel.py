"""The fused CUDA kernel, which computes and sums the exponentials in registers.

Tensor cores multiply in half precision and add in single precision. Three products of
halves, end to end along the summed axis, are as accurate as one product in single
precision and take a third of the time.
"""

from typing import Any

import torch
import triton
import triton.language as tl

# Products of halves per chunk. Up to 21 features need one chunk.
CHUNK = 64
# Points, centers and warps of a block: the fastest tried on an H200 with 21 features,
# and with 90, for which larger blocks do not fit. Others are up to a third slower.
OF_ONE_CHUNK, OF_SEVERAL = (256, 128, 8), (128, 64, 4)
SPLIT_BLOCK = 256


# Triton reads annotations other than constexpr as code, so none are used.
@triton.jit
def _split(
    values,
    center,
    unit,
    halves,
    norms,
    n,
    n_features,
    feature_stride,
    value_stride,
    LOW: tl.constexpr,
    BLOCK: tl.constexpr,
):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    size = tl.zeros((BLOCK,), dtype=tl.float32)
    for f in range(n_features):
        where = values + f * feature_stride + at * value_stride
        here = tl.load(where, mask=inside, other=0.0)
        here = (here - tl.load(center + f)) * tl.load(unit + f)
        size += here * here * 0.5
        # Kernels beyond the range of half precision are negligible.
        high = tl.clamp(here, -65504.0, 65504.0).to(tl.float16)
        low = tl.clamp(here - high.to(tl.float32), -65504.0, 65504.0).to(tl.float16)
        tl.store(halves + f * n + at, high, mask=inside)
        tl.store(halves + (LOW * n_features + f) * n + at, low, mask=inside)
        tl.store(halves + ((3 - LOW) * n_features + f) * n + at, high, mask=inside)
    tl.store(norms + at, size, mask=inside)


@triton.jit
def _sum_kernels(
    x,
    x_norms,
    a,
    a_norms,
    out,
    n_points,
    n_centers,
    n_halves,
    CHUNKS: tl.constexpr,
    K: tl.constexpr,
    BLOCK_P: tl.constexpr,
    BLOCK_C: tl.constexpr,
):
    # x and a are stored by feature, so that neighboring threads read adjacent values.
    rows = tl.program_id(0) * BLOCK_P + tl.arange(0, BLOCK_P)
    inside = rows < n_points
    own = tl.load(x_norms + rows, mask=inside, other=0.0)
    k = tl.arange(0, K)
    if CHUNKS == 1:  # points stay in registers
        points = tl.load(
            x + k[None, :] * n_points + rows[:, None],
            mask=inside[:, None] & (k < n_halves)[None, :],
            other=0.0,
        )
    total = tl.zeros((BLOCK_P,), dtype=tl.float64)
    for start in range(0, n_centers, BLOCK_C):
        columns = start + tl.arange(0, BLOCK_C)
        there = columns < n_centers
        # Centers beyond the last one are infinitely far away.
        norms = tl.load(a_norms + columns, mask=there, other=float("inf"))
        products = tl.zeros((BLOCK_P, BLOCK_C), dtype=tl.float32)
        for chunk in tl.static_range(CHUNKS):
            f = chunk * K + k
            known = f < n_halves
            if CHUNKS > 1:
                points = tl.load(
                    x + f[None, :] * n_points + rows[:, None],
                    mask=inside[:, None] & known[None, :],
                    other=0.0,
                )
            centers = tl.load(
                a + f[:, None] * n_centers + columns[None, :],
                mask=known[:, None] & there[None, :],
                other=0.0,
            )
            products = tl.dot(points, centers, products)
        # Rounding may make squared distances negative.
        exponents = tl.minimum(products - (own[:, None] + norms[None, :]), 0.0)
        total += tl.sum(tl.exp2(exponents), axis=1).to(tl.float64)
    tl.store(out + rows, total, mask=inside)


def sum_kernels(x: Any, centers: Any, center: Any, unit: Any) -> Any:
    """Return ``Σ_a 2 ** (−|x − a|² / 2)`` for x (d, n) and centers a (m, d), on CUDA.

    The inputs are float32, and ``(x - center) * unit`` is in units of the kernel. The
    sums are float64.
    """
    (d, n_points), a = x.shape, centers.T
    out = torch.empty(n_points, dtype=torch.float64, device=x.device)
    size = min(CHUNK, max(16, triton.next_power_of_2(3 * d)))
    rows, columns, warps = OF_ONE_CHUNK if 3 * d <= CHUNK else OF_SEVERAL
    with torch.cuda.device(x.device):
        _sum_kernels[(triton.cdiv(n_points, rows),)](
            *_halves(x, center, unit, 2),
            *_halves(a, center, unit, 1),
            out,
            n_points,
            a.shape[1],
            3 * d,
            triton.cdiv(3 * d, size),
            size,
            rows,
            columns,
            num_warps=warps,
        )
    return out


def _halves(values: Any, center: Any, unit: Any, low: int) -> tuple[Any, Any]:
    """Return high halves twice, low ones at `low`, and half the squared lengths."""
    d, n = values.shape
    halves = torch.empty((3 * d, n), dtype=torch.float16, device=values.device)
    norms = torch.empty(n, dtype=torch.float32, device=values.device)
    _split[(triton.cdiv(n, SPLIT_BLOCK),)](
        values, center, unit, halves, norms, n, d, *values.stride(), low, SPLIT_BLOCK
    )
    return halves, norms
