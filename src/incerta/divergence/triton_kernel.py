"""The fused CUDA kernel: exponents are made, raised and summed in registers."""

from typing import Any

import torch
import triton
import triton.language as tl

# Fastest of the shapes tried on an H200 at 21 features; others lose up to a quarter.
BLOCK_P, BLOCK_C, WARPS = 128, 64, 4
CHUNK = 32  # features multiplied at a time


# Triton reads annotations other than constexpr as code, so there are none.
@triton.jit
def _sum_kernels(
    x,
    a,
    center,
    unit,
    out,
    n_points,
    n_centres,
    n_features,
    CHUNKS: tl.constexpr,
    K: tl.constexpr,
    BLOCK_P: tl.constexpr,
    BLOCK_C: tl.constexpr,
):
    # x and a are stored by feature, so that neighbouring threads read neighbours.
    rows = tl.program_id(0) * BLOCK_P + tl.arange(0, BLOCK_P)
    inside = rows < n_points
    k = tl.arange(0, K)
    own = tl.zeros((BLOCK_P,), dtype=tl.float32)
    for chunk in tl.static_range(CHUNKS):
        f = chunk * K + k
        known = f < n_features
        points = tl.load(
            x + f[None, :] * n_points + rows[:, None],
            mask=inside[:, None] & known[None, :],
            other=0.0,
        )
        points -= tl.load(center + f, mask=known, other=0.0)[None, :]
        points *= tl.load(unit + f, mask=known, other=0.0)[None, :]
        own += tl.sum(points * points, axis=1) * 0.5
    # With one chunk, the usual case, `points` stays in registers from here on.
    total = tl.zeros((BLOCK_P,), dtype=tl.float64)
    for start in range(0, n_centres, BLOCK_C):
        columns = start + tl.arange(0, BLOCK_C)
        there = columns < n_centres
        # The last row of a holds half the squared lengths; a centre beyond the last
        # is infinitely far away.
        norms = tl.load(
            a + n_features * n_centres + columns, mask=there, other=float("inf")
        )
        exponents = -(own[:, None] + norms[None, :])
        for chunk in tl.static_range(CHUNKS):
            f = chunk * K + k
            known = f < n_features
            if CHUNKS > 1:
                points = tl.load(
                    x + f[None, :] * n_points + rows[:, None],
                    mask=inside[:, None] & known[None, :],
                    other=0.0,
                )
                points -= tl.load(center + f, mask=known, other=0.0)[None, :]
                points *= tl.load(unit + f, mask=known, other=0.0)[None, :]
            centres = tl.load(
                a + f[:, None] * n_centres + columns[None, :],
                mask=known[:, None] & there[None, :],
                other=0.0,
            )
            # Full float32: the tensor cores' shorter format costs four digits.
            exponents += tl.dot(points, centres, input_precision="ieee")
        total += tl.sum(tl.exp2(exponents), axis=1).to(tl.float64)
    tl.store(out + rows, total, mask=inside)


def sum_kernels(x: Any, a: Any, center: Any, unit: Any) -> Any:
    """``Σ_a 2 ** (−|x − a|² / 2)`` for every x.

    Parameters
    ----------
    x : tensor of shape (n_features, n_points), float32, contiguous, on CUDA
        Points, by feature, in units of their own.
    a : tensor of shape (n_features + 1, n_centres)
        Centres, by feature, in units of the kernel; and half their squared lengths.
    center, unit : tensors of shape (n_features,)
        ``(x - center) * unit`` is in the units of the kernel.

    Returns
    -------
    tensor of shape (n_points,), float64
    """
    (d, n_points), n_centres = x.shape, a.shape[1]
    out = torch.empty(n_points, dtype=torch.float64, device=x.device)
    with torch.cuda.device(x.device):
        _sum_kernels[(triton.cdiv(n_points, BLOCK_P),)](
            x,
            a,
            center,
            unit,
            out,
            n_points,
            n_centres,
            d,
            triton.cdiv(d, CHUNK),
            min(CHUNK, max(16, triton.next_power_of_2(d))),
            BLOCK_P,
            BLOCK_C,
            num_warps=WARPS,
        )
    return out
