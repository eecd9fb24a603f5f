"""Powers of two, summed by rows: the numba version of the numpy steps.

Imported only where the extra ``fast`` is installed; compiled once and cached.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from incerta.typing import Array


@numba.njit("void(float32[:, ::1], float64[::1])", fastmath=True, cache=True)
def add_powers_of_two(exponents: NDArray[np.float32], sums: Array) -> None:
    """Add ``2**exponents``, summed along rows, to `sums`; exponents are at most 0.

    The whole part of an exponent goes straight into the bits of a float32, the rest,
    in (−1, 0], through a polynomial of degree 5 with relative error 1e-7. Truncation
    and shifts vectorise; a call of ``exp`` would not.
    """
    for i in range(exponents.shape[0]):
        total = np.float32(0.0)
        for j in range(exponents.shape[1]):
            # The smallest normal number; what is below does not count.
            t = max(exponents[i, j], np.float32(-126.0))
            whole = np.int32(t)
            f = t - np.float32(whole)
            p = np.float32(0.000944903295)
            p = p * f + np.float32(0.00920579769)
            p = p * f + np.float32(0.0552973561)
            p = p * f + np.float32(0.24018015)
            p = p * f + np.float32(0.693143725)
            p = p * f + np.float32(1.0)
            bits = np.int32((whole + np.int32(127)) << 23)
            total += p * bits.view(np.float32)
        sums[i] += total
