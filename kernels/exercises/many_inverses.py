"""Invert ten thousand 2 x 2 matrices

`a` holds matrices of 2 x 2, and `inverse` gets their inverses, a thread for each. The inverse of
`[[a, b], [c, d]]` is `[[d, -b], [-c, a]]` over the determinant `a * d - b * c`. A matrix with the
determinant 0 has none: write zeros for it.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def many_inverses(a, inverse):
    """Invert each 2 x 2 matrix; zeros where the determinant is 0."""
    p = cuda.grid(1)
    if p < a.shape[0]:
        determinant = a[p, 0, 0] * a[p, 1, 1] - a[p, 0, 1] * a[p, 1, 0]
        scale = np.float32(0)
        if determinant != 0:
            scale = np.float32(1) / determinant
        inverse[p, 0, 0] = a[p, 1, 1] * scale
        inverse[p, 0, 1] = -a[p, 0, 1] * scale
        inverse[p, 1, 0] = -a[p, 1, 0] * scale
        inverse[p, 1, 1] = a[p, 0, 0] * scale


# --8<-- [end:solution]


HINTS = [
    "One thread has a whole problem: the grid counts matrices, and so does the guard.",
    "Work out 1 over the determinant once, and let it be 0 where the determinant is 0.",
]

WRONG = {
    "the diagonal stays": {
        "edits": [
            ["inverse[p, 0, 0] = a[p, 1, 1]", "inverse[p, 0, 0] = a[p, 0, 0]"],
            ["inverse[p, 1, 1] = a[p, 0, 0]", "inverse[p, 1, 1] = a[p, 1, 1]"],
        ],
        "says": "should be",
    },
    "divided by zero": {"edits": [["if determinant != 0", "if True"]], "says": "nverse"},
    "no guard": {"edits": [["if p < a.shape[0]", "if True"]], "says": "out of bounds"},
}

CASES = [1, 31, 33, 100]


def test(many_inverses, n):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.array([[[2, 0], [0, 4]], [[1, 2], [2, 4]]], dtype=np.float32))
    >>> inverse = cuda.device_array((2, 2, 2), dtype=np.float32)
    >>> many_inverses[1, 32](a, inverse)
    >>> inverse.copy_to_host().tolist()
    [[[0.5, -0.0], [-0.0, 0.25]], [[0.0, -0.0], [-0.0, 0.0]]]

    --8<-- [end:example]
    """
    a = (np.arange(4 * n, dtype=np.float32) * 5 % 7 - 3).reshape(n, 2, 2)
    a[n // 2] = 2  # this one has no inverse
    want = np.zeros((n, 2, 2), dtype=np.float32)
    for p in range(n):
        determinant = float(a[p, 0, 0] * a[p, 1, 1] - a[p, 0, 1] * a[p, 1, 0])
        if determinant != 0:
            want[p] = np.array([[a[p, 1, 1], -a[p, 0, 1]], [-a[p, 1, 0], a[p, 0, 0]]]) / determinant
    inverse = cuda.to_device(np.full((n, 2, 2), np.nan, dtype=np.float32))
    many_inverses[-(-n // 32), 32](cuda.to_device(a), inverse)
    yield "inverse", inverse, want
