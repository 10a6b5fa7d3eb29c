"""Convolution

Sound in a church: every sample is heard now, and again weaker, k times. `out[i]` is the sum of
`room[j] * sound[i - j]` over j, where sound before the start is silence. You start from a kernel
that reads k samples a thread from global memory. Let a block read its 64 samples and the k - 1
before them once. k is at most 16. **Par** counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def reverb(sound, room, out):
    """Convolve n float32 with k <= 16 float32, in blocks of 64 threads."""
    heard = cuda.shared.array(64 + 15, np.float32)
    echo = cuda.shared.array(16, np.float32)
    t = cuda.threadIdx.x
    n, k = sound.size, room.size
    first = cuda.blockIdx.x * 64 - (k - 1)  # the oldest sample that this block hears
    for s in range(t, 64 + k - 1, 64):
        inside = first + s >= 0 and first + s < n
        heard[s] = sound[first + s] if inside else np.float32(0)
    if t < k:
        echo[t] = room[t]
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < n:
        total = np.float32(0)
        for j in range(k):
            total += echo[j] * heard[t + k - 1 - j]
        out[i] = total


# --8<-- [end:solution]


START = [
    [
        "    heard = cuda.shared.array(64 + 15, np.float32)\n"
        "    echo = cuda.shared.array(16, np.float32)\n    t = cuda.threadIdx.x\n",
        "",
    ],
    [
        "    first = cuda.blockIdx.x * 64 - (k - 1)  # the oldest sample that this block hears\n"
        "    for s in range(t, 64 + k - 1, 64):\n"
        "        inside = first + s >= 0 and first + s < n\n"
        "        heard[s] = sound[first + s] if inside else np.float32(0)\n    if t < k:\n"
        "        echo[t] = room[t]\n    cuda.syncthreads()\n",
        "",
    ],
    [
        "            total += echo[j] * heard[t + k - 1 - j]\n",
        "            if i >= j:\n                total += room[j] * sound[i - j]\n",
    ],
]
HINTS = [
    "The block needs samples from `first = 64 * block - (k - 1)` to its own last one: 64 + k - 1 "
    "of them. 64 threads fetch them in a loop that steps by 64.",
    "Sample i - j lies at t + k - 1 - j in shared memory. `room` is read by every thread too: "
    "keep it in shared memory as well.",
]

WRONG = {
    "every sample from global memory": {
        "edits": "START",
        "says": "above par",
    },
    "not reversed": {
        "edits": [["heard[t + k - 1 - j]", "heard[t + j]"]],
        "says": "should be",
    },
    "no halo": {
        "edits": [
            ["inside = first + s >= 0 and first + s < n", "inside = s >= k - 1 and first + s < n"]
        ],
        "says": "should be",
    },
    "no barrier": {
        "edits": [["    cuda.syncthreads()\n", ""]],
        "says": "comes first",
    },
}

CASES = [(1, 1), (5, 3), (64, 16), (65, 2), (200, 9)]
PAR = ["sectors"]


def test(reverb, n, k):
    """Blocks of 64 threads.

    --8<-- [start:example]
    >>> sound = cuda.to_device(np.array([8, 0, 0, 4], dtype=np.float32))
    >>> room = cuda.to_device(np.array([1, 0.5, 0.25], dtype=np.float32))
    >>> out = cuda.device_array_like(sound)
    >>> reverb[1, 64](sound, room, out)
    >>> out.copy_to_host()
    array([8., 4., 2., 4.], dtype=float32)

    --8<-- [end:example]
    """
    sound = (np.arange(n, dtype=np.float32) * 7) % 23 - 11
    room = 1 / (np.arange(k, dtype=np.float32) + 1)
    s, r = sound.tolist(), room.tolist()
    want = [sum(r[j] * s[i - j] for j in range(k) if i >= j) for i in range(n)]
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    reverb[-(-n // 64), 64](cuda.to_device(sound), cuda.to_device(room), out)
    yield "out", out, np.array(want, dtype=np.float32)
