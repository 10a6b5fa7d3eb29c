"""Two of each four

Prune a matrix for 2:4 sparsity: `pruned` is `w`, but of each four neighbors in a row, the two that
are smallest in absolute value become zero. Where two are equal, the first one is kept. One thread
for each element, and the columns are a multiple of four.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def two_of_four(w, pruned):
    """Copy the two largest of each four float32 elements of a row; the others become 0."""
    column, row = cuda.grid(2)
    if row < w.shape[0] and column < w.shape[1]:
        first = column - column % 4
        larger = 0
        for other in range(first, first + 4):
            mine, its = abs(w[row, column]), abs(w[row, other])
            if its > mine or (its == mine and other < column):
                larger += 1
        pruned[row, column] = w[row, column] if larger < 2 else 0


# --8<-- [end:solution]


HINTS = [
    "A thread need not sort. How many of the four are larger than its own element? With fewer "
    "than two it stays.",
    "Equal elements would all stay, or all go. Let an element that stands before mine and is as "
    "large count as larger.",
]

WRONG = {
    "without the absolute value": {
        "edits": [["abs(w[row, column]), abs(w[row, other])", "w[row, column], w[row, other]"]],
        "says": "should be",
    },
    "equal elements all stay": {
        "edits": [["its > mine or (its == mine and other < column)", "its > mine"]],
        "says": "should be",
    },
    "a window around the element": {
        "edits": [["first = column - column % 4", "first = min(column, w.shape[1] - 4)"]],
        "says": "should be",
    },
}

CASES = [(1, 4), (3, 12), (5, 32), (4, 36), (9, 68)]


def test(two_of_four, rows, columns):
    """Blocks of 32 x 4 threads.

    --8<-- [start:example]
    >>> w = np.array([[3, -1, 0, 7, 2, 2, -2, 2]], dtype=np.float32)
    >>> pruned = cuda.device_array((1, 8), dtype=np.float32)
    >>> two_of_four[(1, 1), (32, 4)](cuda.to_device(w), pruned)
    >>> pruned.copy_to_host()
    array([[3., 0., 0., 7., 2., 2., 0., 0.]], dtype=float32)

    --8<-- [end:example]
    """
    w = np.random.default_rng(columns).integers(-5, 6, (rows, columns)).astype(np.float32)
    pruned = cuda.to_device(np.full((rows, columns), np.nan, dtype=np.float32))
    grid = (-(-columns // 32), -(-rows // 4))
    two_of_four[grid, (32, 4)](cuda.to_device(w), pruned)
    numbers, want = w.reshape(-1).tolist(), []
    for first in range(0, len(numbers), 4):
        four = numbers[first : first + 4]
        kept = sorted(range(4), key=lambda i: -abs(four[i]))[:2]  # stable: the first of equals
        want += [four[i] if i in kept else 0 for i in range(4)]
    yield "pruned", pruned, np.array(want, dtype=np.float32).reshape(rows, columns)
