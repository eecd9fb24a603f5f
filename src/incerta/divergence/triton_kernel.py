"""The fused CUDA kernel: exponents are made, raised and summed in registers.

Tensor cores multiply half precision, and add in single. A number is the sum of two
halves but for a relative 2⁻²⁴, as in single precision, so that three products of halves
are as good as one of singles, in a third of the time.
"""

from typing import Any

import torch
import triton
import triton.language as tl

# Products of halves added at a time. Up to 21 features need one chunk.
CHUNK = 64
# Points, centres and warps of a block: the fastest of those tried on an H200 with 21
# features, and with 90, of which larger blocks do not fit; others lose up to a third.
OF_ONE_CHUNK, OF_SEVERAL = (256, 128, 8), (128, 64, 4)
LARGEST = 65504.0  # of half precision


# Triton reads annotations other than constexpr as code, so there are none.
@triton.jit
def _sum_kernels(
    x,
    x_norms,
    a,
    a_norms,
    out,
    n_points,
    n_centres,
    n_halves,
    CHUNKS: tl.constexpr,
    K: tl.constexpr,
    BLOCK_P: tl.constexpr,
    BLOCK_C: tl.constexpr,
):
    # x and a are stored by feature, so that neighbouring threads read neighbours.
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
    for start in range(0, n_centres, BLOCK_C):
        columns = start + tl.arange(0, BLOCK_C)
        there = columns < n_centres
        # A centre beyond the last is infinitely far away.
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
            centres = tl.load(
                a + f[:, None] * n_centres + columns[None, :],
                mask=known[:, None] & there[None, :],
                other=0.0,
            )
            products = tl.dot(points, centres, products)
        # Rounding may leave a point nearer than 0 to itself.
        exponents = tl.minimum(products - (own[:, None] + norms[None, :]), 0.0)
        total += tl.sum(tl.exp2(exponents), axis=1).to(tl.float64)
    tl.store(out + rows, total, mask=inside)


def sum_kernels(x: Any, a: Any) -> Any:
    """``Σ_a 2 ** (−|x − a|² / 2)`` for every x.

    Parameters
    ----------
    x : tensor of shape (n_features, n_points), float32, on CUDA
        Points, by feature, in units of the kernel.
    a : tensor of shape (n_features, n_centres)
        Centres, likewise.

    Returns
    -------
    tensor of shape (n_points,), float64
    """
    n_halves, n_points, n_centres = 3 * len(x), x.shape[1], a.shape[1]
    x_high, x_low = _halves(x)
    a_high, a_low = _halves(a)
    out = torch.empty(n_points, dtype=torch.float64, device=x.device)
    size = min(CHUNK, max(16, triton.next_power_of_2(n_halves)))
    shape = OF_ONE_CHUNK if n_halves <= CHUNK else OF_SEVERAL
    rows, columns, warps = shape
    with torch.cuda.device(x.device):
        _sum_kernels[(triton.cdiv(n_points, rows),)](
            torch.cat([x_high, x_high, x_low]),
            (x * x).sum(dim=0) / 2,
            torch.cat([a_high, a_low, a_high]),
            (a * a).sum(dim=0) / 2,
            out,
            n_points,
            n_centres,
            n_halves,
            triton.cdiv(n_halves, size),
            size,
            rows,
            columns,
            num_warps=warps,
        )
    return out


def _halves(numbers: Any) -> tuple[Any, Any]:
    """Numbers as sums of two in half precision."""
    high = numbers.clamp(-LARGEST, LARGEST).half()
    return high, (numbers - high).clamp(-LARGEST, LARGEST).half()
