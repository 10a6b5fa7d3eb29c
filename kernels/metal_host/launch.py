"""The five steps of a launch, which CUDA and Metal spell in different ways."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def scale_kernel(x, factor):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= factor


# --8<-- [end:kernel]


# --8<-- [start:host]
def scale(values, factor, threads=256):
    """Return ``values`` (n,) as float32, each times ``factor``.

    --8<-- [start:example]
    >>> scale([1, 2, 3, 4, 5], 10, threads=2)
    array([10., 20., 30., 40., 50.], dtype=float32)

    --8<-- [end:example]
    """
    stream = cuda.stream()  # 1. a queue
    d_x = cuda.to_device(np.asarray(values, dtype=np.float32), stream=stream)  # 2. a buffer
    blocks = -(-d_x.size // threads)
    scale_kernel[blocks, threads, stream](d_x, np.float32(factor))  # 3. and 4. bind and launch
    stream.synchronize()  # 5. wait
    return d_x.copy_to_host()


# --8<-- [end:host]
