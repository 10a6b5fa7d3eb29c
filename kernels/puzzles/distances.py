"""Broadcast

A road has `towns` and `stations`, each given by its kilometer. Write the distance from every town
to every station into a table, a row for each town. NumPy would broadcast a column against a row;
here each thread reads one number of each list.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def distances(towns, stations, out):
    """Write |towns[row] - stations[column]| to ``out``, towns x stations float32."""
    column, row = cuda.grid(2)
    if row < towns.size and column < stations.size:
        out[row, column] = abs(towns[row] - stations[column])


# --8<-- [end:solution]


HINTS = [
    "The thread's row says which town, its column which station. Neither list has two dimensions.",
    "`abs` works in a kernel.",
]

WRONG = {
    "both by the row": {
        "edits": [["stations[column])", "stations[row])"]],
        "says": "should be",
    },
    "without a sign": {
        "edits": [["abs(towns[row] - stations[column])", "(towns[row] - stations[column])"]],
        "says": "should be",
    },
    "sizes swapped": {
        "edits": [
            [
                "row < towns.size and column < stations.size",
                "row < stations.size and column < towns.size",
            ],
        ],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (3, 9), (9, 3), (5, 17)]


def test(distances, n, m):
    """Blocks of 8 x 4 threads: x for the stations.

    --8<-- [start:example]
    >>> towns = cuda.to_device(np.array([0, 12], dtype=np.float32))
    >>> stations = cuda.to_device(np.array([4, 10, 30], dtype=np.float32))
    >>> out = cuda.device_array((2, 3), dtype=np.float32)
    >>> distances[1, (8, 4)](towns, stations, out)
    >>> out.copy_to_host()
    array([[ 4., 10., 30.],
           [ 8.,  2., 18.]], dtype=float32)

    --8<-- [end:example]
    """
    towns = np.arange(n, dtype=np.float32) * 7
    stations = np.arange(m, dtype=np.float32) * 5 + 3
    want = [[abs(t - s) for s in stations.tolist()] for t in towns.tolist()]
    out = cuda.to_device(np.full((n, m), np.nan, dtype=np.float32))
    blocks = (-(-m // 8), -(-n // 4))
    distances[blocks, (8, 4)](cuda.to_device(towns), cuda.to_device(stations), out)
    yield "out", out, np.array(want, dtype=np.float32)
