"""Share through a block

32 sensors stand in a ring, and each block looks after one ring. Smooth the readings: the mean of a
sensor and its right neighbor, where sensor 31's neighbor is sensor 0 of its own ring. Let each
thread put its reading into shared memory, where its neighbor finds it. **Par** counts sectors of
global memory: read each reading once.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def ring_mean(readings, out):
    """Write the mean of each reading and the next in its block of 32 (float32)."""
    ring = cuda.shared.array(32, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    ring[t] = readings[i]
    cuda.syncthreads()
    out[i] = (ring[t] + ring[(t + 1) % 32]) / np.float32(2)


# --8<-- [end:solution]


HINTS = [
    "Three steps: put, wait, take. The place in shared memory is the thread's number in its block.",
    "The neighbor of 31 is 0: `(t + 1) % 32`. The wait is `cuda.syncthreads()`.",
]

WRONG = {
    "no barrier": {
        "edits": [["    cuda.syncthreads()\n", ""]],
        "says": "comes first",
    },
    "past the end of the ring": {
        "edits": [["(t + 1) % 32", "t + 1"]],
        "says": "out of bounds",
    },
    "from global memory": {
        "edits": [["ring[(t + 1) % 32])", "readings[i - t + (t + 1) % 32])"]],
        "says": "above par",
    },
}

CASES = [32, 64, 160]
PAR = ["sectors"]


def test(ring_mean, n):
    """A block of 32 threads for each ring; all rings are full.

    --8<-- [start:example]
    >>> readings = cuda.to_device(np.arange(32, dtype=np.float32))
    >>> out = cuda.device_array_like(readings)
    >>> ring_mean[1, 32](readings, out)
    >>> out.copy_to_host()[[0, 1, 30, 31]]
    array([ 0.5,  1.5, 30.5, 15.5], dtype=float32)

    --8<-- [end:example]
    """
    x = (np.arange(n, dtype=np.float32) * 7) % 50
    flat = x.tolist()
    want = [(flat[i] + flat[i - i % 32 + (i + 1) % 32]) / 2 for i in range(n)]
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    ring_mean[n // 32, 32](cuda.to_device(x), out)
    yield "out", out, np.array(want, dtype=np.float32)
