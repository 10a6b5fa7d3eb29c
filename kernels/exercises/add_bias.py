"""A bias on cuBLAS's result

cuBLAS has left the result of a layer in column-major order: m outputs of n images, and element (r,
image) is `y[image * m + r]`. Now each output gets its bias, and what is below 0 becomes 0, in
place. The kernel that you start from is right, and counts along the rows, as it would in C: the
lanes of a warp meet elements that lie m apart. Count the other way. **Par** counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def add_bias(y, bias, n):
    """Add ``bias``, m float32, to each of the n columns of ``y``, flat, and cut off at 0."""
    m = bias.size
    i = cuda.grid(1)
    if i < m * n:
        image, r = i // m, i % m
        y[image * m + r] = max(y[image * m + r] + bias[r], np.float32(0))


# --8<-- [end:solution]

START = [["image, r = i // m, i % m", "r, image = i // n, i % n"]]
HINTS = [
    "Neighboring threads should have neighboring addresses. Which of the two indices has to "
    "change from one thread to the next?",
    "r does: elements of a column are neighbors. With m of them in a column, thread i has `r = i "
    "% m`.",
]

WRONG = {
    "along the rows": {"edits": "START", "says": "above par"},
    "a bias for each image": {"edits": [["bias[r]", "bias[image]"]], "says": "out of bounds"},
    "as if it were row-major": {
        "edits": [
            ["image, r = i // m, i % m", "r, image = i // n, i % n"],
            ["y[image * m + r] = max(y[image * m + r]", "y[r * n + image] = max(y[image * m + r]"],
        ],
        "says": "comes first",
    },
    "no guard": {"edits": [["if i < m * n:", "if True:"]], "says": "out of bounds"},
}

CASES = [(1, 1), (3, 20), (33, 2), (40, 33)]
PAR = ["sectors"]


def test(add_bias, m, n):
    """Blocks of 64 threads, one for each element.

    --8<-- [start:example]
    >>> y = cuda.to_device(np.array([1, 2, -5, 3], dtype=np.float32))  # two outputs, two images
    >>> bias = cuda.to_device(np.array([1, 10], dtype=np.float32))
    >>> add_bias[1, 64](y, bias, 2)
    >>> y.copy_to_host()
    array([ 2., 12.,  0., 13.], dtype=float32)

    --8<-- [end:example]
    """
    y = (np.arange(m * n) * 7 % 19 - 9).astype(np.float32)
    bias = (np.arange(m) % 5 - 2).astype(np.float32)
    want = [max(value + bias.tolist()[i % m], 0) for i, value in enumerate(y.tolist())]
    on_gpu = cuda.to_device(y)
    add_bias[-(-m * n // 64), 64](on_gpu, cuda.to_device(bias), n)
    yield "y", on_gpu, np.array(want, dtype=np.float32)
