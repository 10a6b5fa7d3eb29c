"""One kernel in place of three: scale, add, and cut off at zero."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def scale_add_relu_kernel(a, x, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = max(a * x[i] + b[i], np.float32(0))  # nothing in between goes to memory


# --8<-- [end:kernel]


def scale_add_relu(a, x, b):
    """Return max(a * x + b, 0) as float32, for x and b of one shape (n,).

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(5, dtype=np.float32))
    >>> b = cuda.to_device(np.float32([0, -9, 1, 1, -9]))
    >>> out = cuda.device_array(5, np.float32)
    >>> scale_add_relu_kernel[1, 8](np.float32(2), x, b, out)
    >>> out.copy_to_host()
    array([0., 0., 5., 7., 0.], dtype=float32)

    --8<-- [end:example]
    """
    x, b = (cuda.to_device(np.asarray(v, np.float32)) for v in (x, b))
    out = cuda.device_array_like(x)
    scale_add_relu_kernel[-(-x.size // 256), 256](np.float32(a), x, b, out)
    return out.copy_to_host()
