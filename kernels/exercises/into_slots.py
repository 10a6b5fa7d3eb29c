"""Put keys into their slots

A pass computes a key for each of its rows, and puts it where the request's blocks say: place p of a
request is slot `p % 4` of block `table[row, p // 4]`. A padding row has place -1 and writes
nothing. The kernel that you start from is right and gives a row to each thread, so the lanes of a
warp read and write whole keys apart. Let neighboring threads take neighboring numbers. **Par**
counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def into_slots(keys, places, table, cache):
    """Write ``keys``, rows x width float32, into ``cache``, blocks x 4 x width."""
    rows, width = keys.shape
    i = cuda.grid(1)
    if i < rows * width:
        row, c = i // width, i % width
        place = places[row]
        if place >= 0:
            cache[table[row, place // 4], place % 4, c] = keys[row, c]


# --8<-- [end:solution]

START = [
    [
        "    if i < rows * width:\n        row, c = i // width, i % width\n"
        "        place = places[row]\n        if place >= 0:\n"
        "            cache[table[row, place // 4], place % 4, c] = keys[row, c]\n",
        "    if i < rows and places[i] >= 0:\n        block = table[i, places[i] // 4]\n"
        "        for c in range(width):\n"
        "            cache[block, places[i] % 4, c] = keys[i, c]\n",
    ]
]
HINTS = [
    "There are rows x width numbers, and a thread for each. Thread i has number `i % width` of "
    "row `i // width`.",
    "All threads of a row look up the same block, which costs them one sector together.",
]

WRONG = {
    "a row a thread": {"edits": "START", "says": "above par"},
    "padding is written": {"edits": [["if place >= 0:", "if True:"]], "says": "negative index"},
    "the place is taken for the slot": {
        "edits": [
            ["cache[table[row, place // 4], place % 4, c]", "cache[place // 4, place % 4, c]"]
        ],
        "says": "should be",
    },
    "the first block alone": {
        "edits": [["table[row, place // 4]", "table[row, 0]"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (5, 7), (20, 16)]
PAR = ["sectors"]


def test(into_slots, rows, width):
    """Blocks of 64 threads, a thread for each number.

    --8<-- [start:example]
    >>> keys = cuda.to_device(np.array([[1, 2], [3, 4]], dtype=np.float32))
    >>> places = cuda.to_device(np.array([5, -1], dtype=np.int32))  # a row, and padding
    >>> table = cuda.to_device(np.array([[2, 0], [0, 0]], dtype=np.int32))
    >>> cache = cuda.to_device(np.zeros((3, 4, 2), dtype=np.float32))
    >>> into_slots[1, 64](keys, places, table, cache)
    >>> cache.copy_to_host()[0, 1]
    array([1., 2.], dtype=float32)

    --8<-- [end:example]
    """
    keys = np.arange(1, rows * width + 1, dtype=np.float32).reshape(rows, width)
    blocks = 2 * rows
    table = [[(5 * r + 3) % blocks, (5 * r + 3 + rows) % blocks] for r in range(rows)]
    if rows % 5 == 0:
        table = [[r, blocks - 1 - r] for r in range(rows)]
    places = [-1 if r % 4 == 3 else r * 3 % 8 for r in range(rows)]
    cache = cuda.to_device(np.full((blocks, 4, width), -1, dtype=np.float32))
    whole = [np.array(numbers, dtype=np.int32) for numbers in (places, table)]
    on_gpu = [cuda.to_device(array) for array in (keys, *whole)]
    into_slots[-(-rows * width // 64), 64](*on_gpu, cache)
    want = np.full((blocks, 4, width), -1, dtype=np.float32)
    for r in range(rows):
        if places[r] >= 0:
            want[table[r][places[r] // 4], places[r] % 4] = keys[r]
    yield "cache", cache, want
