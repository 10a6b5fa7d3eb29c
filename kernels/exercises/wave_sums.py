"""The sum of each wave, whatever its width

NVIDIA's warps have 32 lanes, AMD's wavefronts 32 or 64. Write `wave_sums` so that it is right for
both: each group of `wave` neighboring threads adds its numbers, and the first thread of wave w
writes the sum to `sums[w]`. A block has 128 threads, and `wave` is 32 or 64. Use a tree in shared
memory with barriers of the block: then nothing depends on how wide the hardware is. **Par** counts
barriers, and turns of shared memory: let whole warps drop out of the tree.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def wave_sums(x, wave, sums):
    """Write the sum of each ``wave`` neighbors of ``x`` to ``sums``; 128 threads a block."""
    partial = cuda.shared.array(128, np.float32)
    i, mine = cuda.grid(1), cuda.threadIdx.x
    lane = mine % wave
    partial[mine] = x[i] if i < x.size else 0
    step = wave // 2
    while step > 0:
        cuda.syncthreads()
        if lane < step:
            partial[mine] += partial[mine + step]
        step //= 2
    if lane == 0 and i < x.size:
        sums[i // wave] = partial[mine]


# --8<-- [end:solution]


HINTS = [
    "The tree begins at `wave // 2`, not at 16. A thread's lane is its number modulo `wave`.",
    "All 128 threads have to reach every barrier, so the barrier stands in the loop and not in the "
    "`if`. Threads past the end of x hold 0.",
]

WRONG = {
    "neighbors first": {
        "edits": [
            ["step = wave // 2", "step = 1"],
            ["while step > 0:", "while step < wave:"],
            ["if lane < step:", "if lane % (2 * step) == 0:"],
            ["step //= 2", "step *= 2"],
        ],
        "says": "above par",
    },
    "it begins at 16": {
        "edits": [["step = wave // 2", "step = 16"]],
        "says": "should be",
    },
    "lanes of 32": {
        "edits": [["lane = mine % wave", "lane = mine % 32"]],
        "says": "`partial`",
    },
    "no barrier": {
        "edits": [["        cuda.syncthreads()\n", ""]],
        "says": "comes first",
    },
}

CASES = [(1, 32), (33, 32), (65, 64), (128, 64), (200, 32), (321, 64)]
PAR = ["barriers", "turns"]


def test(wave_sums, n, wave):
    """Blocks of 128 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.ones(100, dtype=np.float32))
    >>> sums = cuda.device_array(4, dtype=np.float32)
    >>> wave_sums[1, 128](x, 32, sums)
    >>> sums.copy_to_host()
    array([32., 32., 32.,  4.], dtype=float32)
    >>> wave_sums[1, 128](x, 64, sums[:2])
    >>> sums[:2].copy_to_host()
    array([64., 36.], dtype=float32)

    --8<-- [end:example]
    """
    x = np.random.default_rng(n).integers(-9, 10, n).astype(np.float32)
    sums = cuda.to_device(np.full(-(-n // wave), np.nan, dtype=np.float32))
    wave_sums[-(-n // 128), 128](cuda.to_device(x), wave, sums)
    want = [sum(x[first : first + wave].tolist()) for first in range(0, n, wave)]
    yield "sums", sums, np.array(want, dtype=np.float32)
