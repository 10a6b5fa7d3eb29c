"""A kernel with a dial: how much arithmetic is done for each element that is moved."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
def make_dial(steps):
    """Return a kernel that reads a float32, does ``steps`` multiply-adds, and writes it.

    Beyond 64, ``steps`` is a multiple of 64.
    """
    each = min(steps, 64)
    rounds = steps // each

    @cuda.jit
    def dial_kernel(a, out):
        i = cuda.grid(1)
        if i < a.size:
            x = a[i]
            for _ in range(rounds):
                for _ in range(each):  # short enough for the compiler to write it out
                    x = x * np.float32(0.5) + np.float32(0.25)
            out[i] = x

    return dial_kernel


def intensity(steps):
    """Return the operations for each byte: two a step, over four bytes read and four written."""
    return 2 * steps / 8


# --8<-- [end:kernel]


def three():
    """Three steps.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.array([0, 1, 8], np.float32))
    >>> out = cuda.device_array(3, np.float32)
    >>> make_dial(3)[1, 32](a, out)
    >>> out.copy_to_host()
    array([0.4375, 0.5625, 1.4375], dtype=float32)
    >>> intensity(3)
    0.75

    --8<-- [end:example]
    """
