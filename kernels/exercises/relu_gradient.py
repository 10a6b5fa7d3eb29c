"""Backward through a bias and a ReLU

Forward, `out = max(x + bias, 0)`, a bias for each column. Backward, a gradient passes where the sum
was positive, and the bias gets the sum over its column. Write `relu_gradient`, a thread for each
column: it replaces the column of `d_out` by the gradient of `x`, and writes the sum of what
passed to `d_bias`.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def relu_gradient(x, bias, d_out, d_bias):
    """Gradients of max(x + bias, 0): of x in place of ``d_out``, of bias into ``d_bias``."""
    c = cuda.grid(1)
    if c < bias.size:
        total = np.float32(0)
        for row in range(x.shape[0]):
            if x[row, c] + bias[c] <= 0:
                d_out[row, c] = 0
            total += d_out[row, c]
        d_bias[c] = total


# --8<-- [end:solution]


HINTS = [
    "Neighboring threads have neighboring columns, so in each row the warp reads side by side.",
    "What passes is `d_out[row, c]` where `x[row, c] + bias[c]` is positive, and 0 elsewhere. Sum "
    "after you have decided.",
]

WRONG = {
    "the bias is forgotten in the test": {
        "edits": [["if x[row, c] + bias[c] <= 0:", "if x[row, c] <= 0:"]],
        "says": "should be",
    },
    "the bias gets all gradients": {
        "edits": [
            [
                "            if x[row, c] + bias[c] <= 0:\n"
                "                d_out[row, c] = 0\n"
                "            total += d_out[row, c]\n",
                "            total += d_out[row, c]\n"
                "            if x[row, c] + bias[c] <= 0:\n"
                "                d_out[row, c] = 0\n",
            ]
        ],
        "says": "should be",
    },
    "no guard": {"edits": [["if c < bias.size:", "if c >= 0:"]], "says": "out of bounds"},
}

CASES = [(1, 1), (3, 31), (4, 33), (5, 70)]


def test(relu_gradient, rows, columns):
    """Blocks of 32 threads over the columns.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.array([[-1, 2], [3, -4]], dtype=np.float32))
    >>> bias = cuda.to_device(np.array([2, 1], dtype=np.float32))
    >>> d_out = cuda.to_device(np.array([[10, 20], [30, 40]], dtype=np.float32))
    >>> d_bias = cuda.device_array(2, dtype=np.float32)
    >>> relu_gradient[1, 32](x, bias, d_out, d_bias)
    >>> d_out.copy_to_host().tolist(), d_bias.copy_to_host().tolist()
    ([[10.0, 20.0], [30.0, 0.0]], [40.0, 20.0])

    --8<-- [end:example]
    """
    x = ((np.arange(rows * columns) * 5) % 11 - 5).astype(np.float32).reshape(rows, columns)
    bias = (np.arange(columns) % 5 - 2).astype(np.float32)
    d_out = (np.arange(rows * columns) % 7 + 1).astype(np.float32).reshape(rows, columns)
    passed = np.where(x + bias > 0, d_out, 0)
    d_d_out, d_bias = cuda.to_device(d_out), cuda.to_device(np.full(columns, np.nan, np.float32))
    blocks = -(-columns // 32)
    relu_gradient[blocks, 32](cuda.to_device(x), cuda.to_device(bias), d_d_out, d_bias)
    yield "d_out", d_d_out, passed
    yield "d_bias", d_bias, passed.sum(axis=0)
