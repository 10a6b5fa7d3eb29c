"""Read the same data again and again: which memory answers depends on how much data there is."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def reread_kernel(a, reads, out):
    thread, step = cuda.grid(1), cuda.gridsize(1)
    n = np.uint32(a.size)  # 32-bit indices: less arithmetic for each read; n stays below 2**31
    i = np.uint32(thread % a.size)
    hop = np.uint32(step % a.size)
    total = np.int64(0)
    for _ in range(reads):
        total += a[i]  # 8 bytes
        i = np.uint32(i + hop)  # all threads together move on, and wrap around
        if i >= n:
            i = np.uint32(i - n)
    out[thread] = total  # without this, the compiler would drop the reads


# --8<-- [end:kernel]


# --8<-- [start:host]
def reread(a, reads, blocks, threads):
    """Return one sum for each thread: thread t of T reads a[t], a[t + T], a[t + 2 * T], ...

    Past its end, ``a`` begins again. Integers (int64), so that the sums are exact.

    --8<-- [start:example]
    >>> reread(np.arange(5), reads=3, blocks=2, threads=2)  # thread 0 reads a[0], a[4], a[3]
    array([7, 5, 3, 6])

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.int64))
    d_out = cuda.device_array(blocks * threads, np.int64)
    reread_kernel[blocks, threads](d_a, reads, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]
