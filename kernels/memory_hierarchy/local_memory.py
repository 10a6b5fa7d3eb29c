"""Sixteen values a thread: in registers when each index is known, in memory when it is not."""

import numpy as np
from numba import cuda

# --8<-- [start:registers]
WIDTH = 16  # a power of two, so that "& (WIDTH - 1)" wraps an index around


@cuda.jit
def registers_kernel(a, shift, rounds, out):
    i = cuda.grid(1)
    window = cuda.local.array(WIDTH, np.float32)
    if i < out.size:
        for k in range(WIDTH):
            window[k] = a[(i + k) % a.size]
        total = np.float32(0)
        for _ in range(rounds):
            for k in range(WIDTH):  # unrolled: window[0], window[1], ... become registers
                total += window[k]
        out[i] = total


# --8<-- [end:registers]


# --8<-- [start:local]
@cuda.jit
def local_kernel(a, shift, rounds, out):
    i = cuda.grid(1)
    window = cuda.local.array(WIDTH, np.float32)
    if i < out.size:
        for k in range(WIDTH):
            window[k] = a[(i + k) % a.size]
        total = np.float32(0)
        for r in range(rounds):
            for k in range(WIDTH):  # the same values, each round from another place on
                total += window[(k + r + shift) & (WIDTH - 1)]  # no register has an index
        out[i] = total


# --8<-- [end:local]


# --8<-- [start:host]
def window_sums(kernel, a, rounds=1, shift=0, threads=128):
    """Return ``rounds`` times the sum of the 16 values that begin at each place of ``a``.

    Past its end, ``a`` begins again. ``shift`` changes the order of the additions alone.

    --8<-- [start:example]
    >>> a = np.arange(21)
    >>> window_sums(registers_kernel, a, rounds=2, threads=8)[:7]
    array([240., 272., 304., 336., 368., 400., 390.], dtype=float32)
    >>> window_sums(local_kernel, a, rounds=2, shift=5, threads=8)[:7]
    array([240., 272., 304., 336., 368., 400., 390.], dtype=float32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.float32))
    d_out = cuda.device_array_like(d_a)
    kernel[-(-d_a.size // threads), threads](d_a, shift, rounds, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]
