"""Hand over through shared memory

Turn each run of 64 elements around: element 0 of a run goes to its place 63, and so on. A block of
64 threads has one run, and hands its elements over through shared memory, `cuda.shared.array(64,
np.float32)`. The array's length is a multiple of 64. Write `mirror_in_blocks`. The stepper tells
you when a thread reads what another has not written yet.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def mirror_in_blocks(x, out):
    """Turn each run of 64 elements of ``x`` around; its length is a multiple of 64."""
    box = cuda.shared.array(64, np.float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    box[t] = x[i]
    cuda.syncthreads()  # the element that this thread wants came from another
    out[i] = box[63 - t]


# --8<-- [end:solution]


HINTS = [
    "Three steps: put your element into the box, wait, take the element of your mirror image.",
    "Without `cuda.syncthreads()` between the two, the first warp of the block takes what the "
    "second has not put there.",
]

WRONG = {
    "no barrier": {
        "edits": [
            ["    cuda.syncthreads()  # the element that this thread wants came from another\n", ""]
        ],
        "says": "comes first",
    },
    "the mirror of the whole array": {
        "edits": [["box[63 - t]", "box[t]"], ["out[i]", "out[x.size - 1 - i]"]],
        "says": "elements are wrong",
    },
}

CASES = [64, 192]


def test(mirror_in_blocks, n):
    """Blocks of 64 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(128, dtype=np.float32))
    >>> out = cuda.device_array_like(x)
    >>> mirror_in_blocks[2, 64](x, out)
    >>> out.copy_to_host()[[0, 63, 64, 127]]
    array([ 63.,   0., 127.,  64.], dtype=float32)

    --8<-- [end:example]
    """
    x = np.arange(n, dtype=np.float32)
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    mirror_in_blocks[n // 64, 64](cuda.to_device(x), out)
    yield "out", out, x.reshape(n // 64, 64)[:, ::-1].ravel()
