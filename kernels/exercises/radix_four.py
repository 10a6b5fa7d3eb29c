"""A pass of radix 4

One block sorts up to 64 keys by two of their bits, `keys[i] >> shift & 3`. A key's place is the
number of keys with a smaller digit, and of those with the same digit that stand before it. "Before
it" makes the pass stable, and stable passes from the lowest digit up sort the whole key: the check
runs four of them. The kernel that you start from is right, and every thread reads all keys from
global memory. Put the digits into shared memory. **Par** counts requests to global memory.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def radix_four(keys, shift, out):
    """Write up to 64 int32 keys, sorted by two bits, to ``out``; one block of 64 threads."""
    digits = cuda.shared.array(64, np.int32)
    i = cuda.threadIdx.x
    if i < keys.size:
        digits[i] = keys[i] >> shift & 3
    cuda.syncthreads()
    if i < keys.size:
        digit, place = digits[i], 0
        for other in range(keys.size):
            if digits[other] < digit or (digits[other] == digit and other < i):
                place += 1
        out[place] = keys[i]


# --8<-- [end:solution]

START = [
    [
        """    digits = cuda.shared.array(64, np.int32)
    i = cuda.threadIdx.x
    if i < keys.size:
        digits[i] = keys[i] >> shift & 3
    cuda.syncthreads()
    if i < keys.size:
        digit, place = digits[i], 0
        for other in range(keys.size):
            if digits[other] < digit or (digits[other] == digit and other < i):
""",
        """    i = cuda.threadIdx.x
    if i < keys.size:
        digit, place = keys[i] >> shift & 3, 0
        for other in range(keys.size):
            theirs = keys[other] >> shift & 3
            if theirs < digit or (theirs == digit and other < i):
""",
    ],
]
HINTS = [
    "Each thread puts the digit of its own key into shared memory. Who has to wait for whom then?",
    "A barrier that all 64 threads reach, also those without a key; so it stands outside of "
    "`if i < keys.size`.",
]

WRONG = {
    "digits from global memory": {"edits": "START", "says": "above par"},
    "not stable": {"edits": [["other < i", "other > i"]], "says": "should be"},
    "equal digits share a place": {
        "edits": [[" or (digits[other] == digit and other < i)", ""]],
        "says": "let one thread write it",
    },
    "nobody waits for the digits": {
        "edits": [["    cuda.syncthreads()\n", ""]],
        "says": "comes first",
    },
}

CASES = [1, 31, 50, 64]
PAR = ["requests"]


def test(radix_four, n):
    """One block of 64 threads; four passes sort keys of eight bits.

    --8<-- [start:example]
    >>> keys = cuda.to_device(np.array([7, 4, 1, 6, 5], dtype=np.int32))
    >>> out = cuda.device_array(5, dtype=np.int32)
    >>> radix_four[1, 64](keys, 0, out)
    >>> out.copy_to_host()
    array([4, 1, 5, 6, 7], dtype=int32)

    --8<-- [end:example]
    """
    given = [i * 89 % 256 for i in range(n)]
    keys = cuda.to_device(np.array(given, dtype=np.int32))
    for shift in (0, 2, 4, 6):
        out = cuda.to_device(np.full(n, -1, dtype=np.int32))
        radix_four[1, 64](keys, shift, out)
        keys = out
    yield "out", keys, np.array(sorted(given), dtype=np.int32)
