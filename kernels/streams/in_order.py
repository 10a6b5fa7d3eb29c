"""One stream waits for another: an event says when."""

import numpy as np
from numba import cuda

from kernels.streams.gamma import gamma_kernel


# --8<-- [start:twice]
def fourth_root(image, steps=12, threads=256):
    """Return the fourth root of a float32 array: a square root in one stream, then in another."""
    first, second = cuda.stream(), cuda.stream()
    d_image = cuda.to_device(image, stream=first)
    d_root, d_out = (cuda.device_array(image.size, np.float32) for _ in range(2))
    blocks = -(-image.size // threads)
    gamma_kernel[blocks, threads, first](d_image, d_root, steps)
    done = cuda.event()
    done.record(first)  # a mark behind the kernel
    done.wait(second)  # second goes no further before the mark is reached; the host does not wait
    gamma_kernel[blocks, threads, second](d_root, d_out, steps)
    return d_out.copy_to_host(stream=second)


# --8<-- [end:twice]


# --8<-- [start:exercise]
def maximum_in_chunks(values, size, streams=2):
    """Return the largest of ``values``, a pinned float32 array, copied in chunks of ``size``.

    Each chunk is copied in its stream, and reduced there while the next is on its way.
    """
    import cupy as cp

    queues = [cp.cuda.Stream(non_blocking=True) for _ in range(streams)]
    parts = cp.empty(-(-len(values) // size), cp.float32)  # one allocation for all results
    for k, start in enumerate(range(0, len(values), size)):
        chunk = values[start : start + size]
        with queues[k % streams]:
            d_chunk = cp.empty(len(chunk), cp.float32)
            d_chunk.set(chunk)  # on the current stream; the host goes on, if values are pinned
            d_chunk.max(out=parts[k])
    for queue in queues:
        queue.synchronize()
    return float(parts.max())


# --8<-- [end:exercise]


def example():
    """
    --8<-- [start:example]
    >>> image = np.linspace(0.1, 1, 1001, dtype=np.float32)
    >>> bool(np.allclose(fourth_root(image), image**0.25, rtol=1e-5))
    True

    --8<-- [end:example]

    --8<-- [start:try]
    >>> values = cuda.pinned_array(10_007, dtype=np.float32)
    >>> values[:] = np.random.default_rng(2).random(values.size, dtype=np.float32)
    >>> maximum_in_chunks(values, size=1_000) == float(values.max())
    True

    --8<-- [end:try]
    """
