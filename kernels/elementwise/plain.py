"""SwiGLU, the obvious way: one thread for each element."""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit(device=True)
def swiglu(gate, up):
    return gate / (np.float32(1) + math.exp(-gate)) * up


@cuda.jit
def swiglu_kernel(gate, up, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = swiglu(gate[i], up[i])


# --8<-- [end:kernel]


# --8<-- [start:strided]
@cuda.jit
def swiglu_strided_kernel(gate, up, out):
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] = swiglu(gate[i], up[i])


# --8<-- [end:strided]


# --8<-- [start:host]
def activate(kernel, gate, up, blocks, threads=256):
    """Return gate / (1 + exp(-gate)) * up for two float32 arrays of one size.

    --8<-- [start:example]
    >>> gate = np.array([-2, -1, 0, 1, 2, 3, 4], dtype=np.float32)
    >>> activate(swiglu_kernel, gate, gate, blocks=2, threads=4).round(3)
    array([ 0.477,  0.269,  0.   ,  0.731,  3.523,  8.573, 15.712],
          dtype=float32)

    --8<-- [end:example]

    --8<-- [start:strided_example]
    >>> activate(swiglu_strided_kernel, gate, gate, blocks=1, threads=4).round(3)
    array([ 0.477,  0.269,  0.   ,  0.731,  3.523,  8.573, 15.712],
          dtype=float32)

    --8<-- [end:strided_example]
    """
    out = cuda.device_array_like(gate)
    kernel[blocks, threads](cuda.to_device(gate), cuda.to_device(up), out)
    return out.copy_to_host()


# --8<-- [end:host]
