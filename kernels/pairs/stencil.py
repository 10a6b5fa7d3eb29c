"""Sum of five neighbors through a tile with a halo, the Numba side of the pair."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
RADIUS = 2
BLOCK = 64
WIDTH = BLOCK + 2 * RADIUS


@cuda.jit
def stencil_kernel(x, out):
    tile = cuda.shared.array(WIDTH, dtype=np.int32)
    first = cuda.blockIdx.x * BLOCK - RADIUS  # the element that tile[0] holds
    for t in range(cuda.threadIdx.x, WIDTH, BLOCK):
        tile[t] = 0
        if first + t >= 0 and first + t < x.size:
            tile[t] = x[first + t]
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < out.size:
        total = np.int32(0)
        for step in range(2 * RADIUS + 1):
            total += tile[cuda.threadIdx.x + step]
        out[i] = total


# --8<-- [end:kernel]


# --8<-- [start:host]
def stencil(x):
    """Return, for an int32 array, each element plus its two neighbors on either side.

    Beyond the ends there are zeros.

    --8<-- [start:example]
    >>> x = np.arange(1, 9, dtype=np.int32)
    >>> stencil(x)
    array([ 6, 10, 15, 20, 25, 30, 26, 21], dtype=int32)

    --8<-- [end:example]
    """
    out = cuda.device_array_like(x)
    stencil_kernel[-(-x.size // BLOCK), BLOCK](cuda.to_device(x), out)
    return out.copy_to_host()


# --8<-- [end:host]
