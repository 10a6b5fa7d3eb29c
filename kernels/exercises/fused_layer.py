"""Five operations in one kernel

A layer of a network takes a table of `rows` × `columns` numbers, stored row after row: subtract the
mean of the number's column, multiply by the column's scale, add its shift, and cut at zero. Write
all of it as one kernel, a thread for each number: `out[i]` from `x[i]`. `mean`, `scale` and `shift`
hold a number for each column.
"""

import numpy as np
from numba import cuda, float32


# --8<-- [start:solution]
@cuda.jit
def fused_layer(x, mean, scale, shift, out):
    """Normalize, scale, shift and cut at zero, each number read once and written once."""
    i = cuda.grid(1)
    if i < out.size:
        column = i % mean.size
        y = (x[i] - mean[column]) * scale[column] + shift[column]
        out[i] = max(y, float32(0))


# --8<-- [end:solution]

HINTS = [
    "`x` and `out` are flat here. Which column does number i lie in, if a row has `mean.size`?",
    "Keep what comes between the operations in a local variable: it stays in a register.",
]

WRONG = {
    "the row's number is taken for the column's": {
        "edits": [["i % mean.size", "i // mean.size"]],
        "says": "should be",
    },
    "cut at zero before the shift": {
        "edits": [
            ["* scale[column] + shift[column]", "* scale[column]"],
            ["max(y, float32(0))", "max(y, float32(0)) + shift[column]"],
        ],
        "says": "should be",
    },
    "no guard": {"edits": [["if i < out.size", "if True"]], "says": "out of bounds"},
}

CASES = [(1, 1), (3, 5), (8, 4), (7, 9), (11, 6)]


def test(fused_layer, rows, columns):
    """Tables of several shapes, some columns far from zero.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([1, 10, 3, 30], dtype=np.float32))  # two rows, two columns
    >>> mean, scale, shift = (
    ...     cuda.to_device(np.array(a, dtype=np.float32)) for a in ([2, 20], [1, 0.5], [0, 6])
    ... )
    >>> out = cuda.device_array(4, dtype=np.float32)
    >>> fused_layer[1, 32](x, mean, scale, shift, out)
    >>> out.copy_to_host()
    array([ 0.,  1.,  1., 11.], dtype=float32)

    --8<-- [end:example]
    """
    x = (np.arange(rows * columns) * 7 % 23 - 9).astype(np.float32)
    mean = (np.arange(columns) % 5 - 1).astype(np.float32)
    scale = (np.arange(columns) % 3 - 0.5).astype(np.float32)
    shift = (np.arange(columns) % 4 - 2).astype(np.float32)
    expected = np.zeros(rows * columns, dtype=np.float32)
    for i in range(rows * columns):
        c = i % columns
        expected[i] = max((x[i] - mean[c]) * scale[c] + shift[c], 0)
    out = cuda.to_device(np.full(rows * columns, np.nan, dtype=np.float32))
    arrays = [cuda.to_device(a) for a in (x, mean, scale, shift)]
    fused_layer[-(-rows * columns // 32), 32](*arrays, out)
    yield "out", out, expected
