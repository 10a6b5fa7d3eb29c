"""The gradient of a lookup

An embedding layer gathers: token t gets row `tokens[t]` of a table. Backward, that becomes a
scatter that adds: row t of `upstream` is added to row `tokens[t]` of `gradient`, and a word that
stands twice in the sentence gets both. The kernel that you start from is right. It gives a thread
a whole row, so the lanes of a warp read and write far apart. Give neighbors the columns of one row:
blocks of 32 threads, one for each token. **Par** counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def lookup_gradient(tokens, upstream, gradient):
    """Add row t of ``upstream`` to row tokens[t] of ``gradient``; rows are float32."""
    t = cuda.blockIdx.x
    for column in range(cuda.threadIdx.x, upstream.shape[1], 32):
        cuda.atomic.add(gradient, (tokens[t], column), upstream[t, column])


# --8<-- [end:solution]

START = [
    [
        "    t = cuda.blockIdx.x\n",
        "    t = cuda.grid(1)\n    if t >= tokens.size:\n        return\n",
    ],
    ["range(cuda.threadIdx.x, upstream.shape[1], 32)", "range(upstream.shape[1])"],
]
HINTS = [
    "There are as many blocks as tokens. Which columns does lane 5 of a block take, when a row has "
    "70 of them?",
    "Columns 5, 37 and 69: `range(cuda.threadIdx.x, upstream.shape[1], 32)`. Two tokens may be the "
    "same word, so the addition stays atomic.",
]

WRONG = {
    "a thread for each token": {"edits": "START", "says": "above par"},
    "no atomics": {
        "edits": [
            [
                "cuda.atomic.add(gradient, (tokens[t], column), upstream[t, column])",
                "gradient[tokens[t], column] += upstream[t, column]",
            ]
        ],
        "says": "comes first",
    },
    "the row of the token's place": {
        "edits": [["(tokens[t], column)", "(t, column)"]],
        "says": "should be",
    },
    "a warp's width only": {
        "edits": [
            ["range(cuda.threadIdx.x, upstream.shape[1], 32)", "range(cuda.threadIdx.x, 32)"]
        ],
        "says": "out of bounds",
    },
}

CASES = [(1, 1), (5, 33), (40, 31), (33, 70)]
PAR = ["sectors"]


def test(lookup_gradient, count, width):
    """Blocks of 32 threads, one for each token; words repeat.

    --8<-- [start:example]
    >>> tokens = cuda.to_device(np.array([2, 0, 2], dtype=np.int32))
    >>> upstream = cuda.to_device(np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32))
    >>> gradient = cuda.to_device(np.zeros((3, 2), dtype=np.float32))
    >>> lookup_gradient[3, 32](tokens, upstream, gradient)
    >>> gradient.copy_to_host()
    array([[3., 4.],
           [0., 0.],
           [6., 8.]], dtype=float32)

    --8<-- [end:example]
    """
    words = [t * t % 7 for t in range(count)]  # 0, 1, 2 and 4, over and over
    upstream = (np.arange(count * width) * 3 % 11 - 4).astype(np.float32).reshape(count, width)
    gradient = cuda.to_device(np.zeros((count + 7, width), dtype=np.float32))
    tokens = cuda.to_device(np.array(words, dtype=np.int32))
    lookup_gradient[count, 32](tokens, cuda.to_device(upstream), gradient)
    want = [[0.0] * width for _ in range(count + 7)]
    for word, row in zip(words, upstream.tolist(), strict=True):
        want[word] = [a + b for a, b in zip(want[word], row, strict=True)]
    yield "gradient", gradient, np.array(want, dtype=np.float32)
