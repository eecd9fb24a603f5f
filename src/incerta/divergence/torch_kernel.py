"""World divergence on a device of torch (extra ``gpu``), with a fused CUDA kernel."""

from functools import cache
from typing import Any

import numpy as np

from incerta.backend.device import check_device
from incerta.backend.memory import blocks
from incerta.backend.optional import require
from incerta.backend.progress import track
from incerta.divergence.cpu_kernel import LOG2_E, LOWEST
from incerta.typing import Array, Indices

# Points on the device at a time, and exponents where there is no fused kernel.
POINT_BYTES = 2**30
EXPONENT_BYTES = 2**28


def mean_log_ratios(kernels: Any, picks: Indices, device: str) -> tuple[Array, Array]:
    """Do as `mean_log_ratios_on_cpu` on a device, for `Densities`."""
    check_device(device)
    torch = require("torch", "gpu", f"device={device!r}")
    target = torch.device(device)
    sums: Any = blocked_sums
    if target.type == "cuda":  # one launch, without storing any exponent
        from incerta.divergence import triton_kernel

        sums = triton_kernel.sum_kernels
    n_worlds, n_points = picks.shape
    n_objects = kernels.worlds.shape[1]
    # Results stay on the device until the end, as fetching one would block.
    means, errors = torch.zeros(
        (2, n_worlds, n_worlds), dtype=torch.float64, device=target
    )

    def upload(array: Any) -> Any:
        host = torch.from_numpy(np.ascontiguousarray(array, dtype=np.float32))
        return host.to(target)

    # In single precision, values are relative to the mean of all worlds.
    middle = kernels.centers.mean(axis=0)
    centers = upload(kernels.centers - middle)
    units = upload(np.sqrt(LOG2_E) / kernels.widths)
    log_norm = torch.from_numpy(kernels.log_norm).to(target)
    point_bytes = 4 * n_points * kernels.widths.shape[1]
    parts = list(blocks(n_worlds, point_bytes, POINT_BYTES))
    # Worlds are drawn on access, and only once if the device can hold all of them.
    world_bytes = 4 * n_objects * kernels.widths.shape[1]
    uploaded = cache(lambda q: upload(kernels[q] - middle))
    values = uploaded if n_worlds * world_bytes <= POINT_BYTES else uploaded.__wrapped__
    steps = track(n_worlds * len(parts), "divergence")
    for block in parts:
        members = range(*block.indices(n_worlds))
        chosen = torch.from_numpy(picks[block].copy()).to(target)
        x = torch.stack([values(p)[chosen[i]] for i, p in enumerate(members)])
        each = x.transpose(1, 2).contiguous()  # (n_members, n_features, n_points)
        together = each.transpose(0, 1).reshape(each.shape[1], -1).contiguous()
        own = torch.stack(
            [
                sums(each[i], values(p), centers[p], units[p])
                for i, p in enumerate(members)
            ]
        )
        for q in range(n_worlds):
            at_q = sums(together, values(q), centers[q], units[q]).reshape(own.shape)
            ratio = at_q / own
            # own is at least 1: x is one of the values whose kernels it sums.
            factor = log_norm[block, None] - log_norm[q]
            logs = torch.logaddexp(torch.zeros_like(ratio), torch.log(ratio) + factor)
            means[block, q] = logs.mean(dim=1)
            if n_points < n_objects:
                errors[block, q] = logs.std(dim=1, correction=0)
            next(steps)
    left_out = (n_objects - n_points) / max(n_objects - 1, 1)
    return means.cpu().numpy(), errors.cpu().numpy() * np.sqrt(left_out / n_points)


def blocked_sums(x: Any, centers: Any, center: Any, unit: Any) -> Any:
    """Sum the kernels of `centers` (n, d) at `x` (d, n_points), in blocks, base 2."""
    torch = require("torch", "gpu", "this device")
    a = (centers - center) * unit
    a_norm = (a * a).sum(dim=1) / 2
    sums = torch.empty(x.shape[1], dtype=torch.float64, device=x.device)
    for part in blocks(x.shape[1], 4 * len(a), EXPONENT_BYTES):
        b = (x[:, part].T - center) * unit
        exponents = b @ a.T - a_norm - (b * b).sum(dim=1, keepdim=True) / 2
        powers = torch.exp2(exponents.clamp_(min=LOWEST, max=0.0))
        sums[part] = powers.sum(dim=1, dtype=torch.float64)
    return sums
