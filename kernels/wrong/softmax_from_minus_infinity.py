"""An online softmax that starts from -inf: a row that begins with a masked element is lost."""

import math

import numpy as np
from numba import cuda, float32

from kernels.softmax.passes import block_max, block_sum


# --8<-- [start:kernel]
@cuda.jit
def from_minus_infinity_kernel(x, out):
    box = cuda.shared.array(32, float32)
    row, columns = cuda.blockIdx.x, x.shape[1]
    largest, total = float32(-np.inf), float32(0)  # WRONG: -inf is an element, too
    for c in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
        value = x[row, c]
        if value > largest:
            total *= math.exp(largest - value)
            largest = value
        total += math.exp(value - largest)  # -inf less -inf is NaN, and it stays in the sum
    whole = block_max(largest, box)
    scale = float32(1) / block_sum(total * math.exp(largest - whole), box)
    for c in range(cuda.threadIdx.x, columns, cuda.blockDim.x):
        out[row, c] = math.exp(x[row, c] - whole) * scale


# --8<-- [end:kernel]


def lost():
    """Show what becomes of a row whose first element is masked.

    --8<-- [start:example]
    >>> masked = np.array([[-np.inf, 0, 0, 0], [0, -np.inf, 0, 0]], dtype=np.float32)
    >>> out = cuda.device_array_like(masked)
    >>> from_minus_infinity_kernel[2, 32](cuda.to_device(masked), out)
    >>> out.copy_to_host()
    array([[nan, nan, nan, nan],
           [nan, nan, nan, nan]], dtype=float32)

    --8<-- [end:example]
    """
