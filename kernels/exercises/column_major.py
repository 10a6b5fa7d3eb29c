"""As cuBLAS wants it

cuBLAS takes a matrix by columns: element (row, column) lies at `column * rows + row`. Write
`by_columns`, which lays out a NumPy matrix that way into the flat array `flat`. Blocks of 32 x 4
threads; x runs along what you choose.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def by_columns(matrix, flat):
    """Write ``matrix``, rows x columns float32, to ``flat`` column by column."""
    column, row = cuda.grid(2)
    rows, columns = matrix.shape
    if row < rows and column < columns:
        flat[column * rows + row] = matrix[row, column]


# --8<-- [end:solution]


HINTS = [
    "The first column comes first: `rows` elements. Then the second one.",
    "How far is it from one column to the next? By the length of a column, which is the number "
    "of rows: the leading dimension.",
]

WRONG = {
    "the leading dimension of a NumPy matrix": {
        "edits": [["column * rows + row", "row * columns + column"]],
        "says": "should be",
    },
    "the wrong length": {
        "edits": [["column * rows + row", "column * columns + row"]],
        "says": "comes first",
    },
}

CASES = [(1, 1), (4, 3), (3, 35), (33, 5)]


def test(by_columns, rows, columns):
    """Blocks of 32 x 4 threads, enough for either choice.

    --8<-- [start:example]
    >>> matrix = cuda.to_device(np.arange(6, dtype=np.float32).reshape(2, 3))
    >>> flat = cuda.device_array(6, dtype=np.float32)
    >>> by_columns[(1, 1), (32, 4)](matrix, flat)
    >>> flat.copy_to_host()
    array([0., 3., 1., 4., 2., 5.], dtype=float32)

    --8<-- [end:example]
    """
    matrix = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    flat = cuda.to_device(np.full(rows * columns, np.nan, dtype=np.float32))
    most = max(rows, columns)
    by_columns[(-(-most // 32), -(-most // 4)), (32, 4)](cuda.to_device(matrix), flat)
    yield "flat", flat, matrix.T.copy().ravel()
