"""The k-th of two sorted arrays

`a` and `b` are sorted. Which element would stand at place k if they were merged? Nobody has to
merge them: the path crosses the diagonal of k steps at one place, and a binary search finds it. The
kernel that you start from is right, and walks the path from its beginning with two fingers. Search
instead; a thread answers one question. **Par** counts requests.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def kth_of_both(a, b, places, out):
    """Write the element at each of ``places`` of a merged with b; a and b are int32."""
    t = cuda.grid(1)
    if t < places.size:
        k = places[t]
        low, high = max(0, k - b.size), min(k, a.size)
        while low < high:
            middle = (low + high) // 2
            if a[middle] <= b[k - 1 - middle]:
                low = middle + 1
            else:
                high = middle
        i, j = low, k - low  # so many of a and of b stand before place k
        if j == b.size or (i < a.size and a[i] <= b[j]):
            out[t] = a[i]
        else:
            out[t] = b[j]


# --8<-- [end:solution]

START = [
    [
        """        low, high = max(0, k - b.size), min(k, a.size)
        while low < high:
            middle = (low + high) // 2
            if a[middle] <= b[k - 1 - middle]:
                low = middle + 1
            else:
                high = middle
        i, j = low, k - low  # so many of a and of b stand before place k
""",
        """        i, j = 0, 0
        while i + j < k:
            if j == b.size or (i < a.size and a[i] <= b[j]):
                i += 1
            else:
                j += 1
""",
    ],
]
HINTS = [
    "Say i of the first k come from `a`, and k - i from `b`. Which i are possible at all, when b "
    "has fewer than k elements?",
    "Between max(0, k - b.size) and min(k, a.size). `a[i]` is among the first k as long as it is "
    "not larger than `b[k - 1 - i]`: true up to the path, false behind it.",
]

WRONG = {
    "walked with two fingers": {"edits": "START", "says": "above par"},
    "as if b were long enough": {
        "edits": [["max(0, k - b.size)", "0"]],
        "says": "out of bounds",
    },
    "as if a were long enough": {
        "edits": [["min(k, a.size)", "k"]],
        "says": "out of bounds",
    },
    "the same place in both": {
        "edits": [["b[k - 1 - middle]", "b[min(middle, b.size - 1)]"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (0, 5), (7, 0), (40, 3), (50, 70)]
PAR = ["requests"]


def test(kth_of_both, a_size, b_size):
    """Blocks of 32 threads; every place is asked for.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.array([1, 4, 6, 7, 11], dtype=np.int32))
    >>> b = cuda.to_device(np.array([2, 3, 5, 8, 9, 10, 12], dtype=np.int32))
    >>> places = cuda.to_device(np.array([0, 6, 8], dtype=np.int32))
    >>> out = cuda.device_array(3, dtype=np.int32)
    >>> kth_of_both[1, 32](a, b, places, out)
    >>> out.copy_to_host()
    array([1, 7, 9], dtype=int32)

    --8<-- [end:example]
    """
    a, b = [3 * i // 2 for i in range(a_size)], [i + i % 3 // 2 for i in range(b_size)]
    n = a_size + b_size
    places = [i * 7 % n for i in range(n)]
    out = cuda.to_device(np.full(n, -1, dtype=np.int32))
    given = [cuda.to_device(np.array(x, dtype=np.int32)) for x in (a, sorted(b), places)]
    kth_of_both[-(-n // 32), 32](*given, out)
    merged = sorted(a + b)
    yield "out", out, np.array([merged[k] for k in places], dtype=np.int32)
