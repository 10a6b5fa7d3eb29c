"""Reverse an array

Write `reverse`: it puts the elements of `x` into `out`, the last one first. The launch has more
threads than elements, as most launches have.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def reverse(x, out):
    """Put the n elements of ``x`` into ``out`` in reverse order."""
    i = cuda.grid(1)
    if i < x.size:
        out[x.size - 1 - i] = x[i]


# --8<-- [end:solution]


HINTS = [
    "Start from the kernel that adds: the index and the guard stay. What changes is where the "
    "result goes.",
    "With five elements, element 0 goes to place 4 and element 1 to place 3. In general: "
    "`x.size - 1 - i`.",
]

WRONG = {
    "no guard": {
        "edits": [["    if i < x.size:\n        out", "    out"]],
        "says": "out of bounds",
    },
    "one place too far": {"edits": [["x.size - 1 - i", "x.size - i"]], "says": "out of bounds"},
    "a negative index, as in Python": {
        "edits": [["x.size - 1 - i", "-1 - i"]],
        "says": "negative index",
    },
}

CASES = [1, 5, 63, 64, 65, 200]


def test(reverse, n):
    """Launch whole blocks of 64 threads.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([1, 2, 3, 4, 5], dtype=np.float32))
    >>> out = cuda.device_array_like(x)
    >>> reverse[1, 8](x, out)
    >>> out.copy_to_host()
    array([5., 4., 3., 2., 1.], dtype=float32)

    --8<-- [end:example]
    """
    x = np.arange(1, n + 1, dtype=np.float32)
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    reverse[-(-n // 64), 64](cuda.to_device(x), out)
    yield "out", out, x[::-1]
