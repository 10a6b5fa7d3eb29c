"""What TMA writes at the edge

A box that reaches over the edge of the matrix is fetched all the same: TMA writes zeros for what is
not there, on all four sides, and still counts all bytes as arrived. So a kernel that multiplies
boxes needs no guard. Do by hand what it does: block b fetches the box of 8 x 32 elements whose
first one is (`tops[b]`, `lefts[b]`), which may be negative.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def fetch_boxes(matrix, tops, lefts, boxes):
    """Write a box of ``matrix``, float32, for each block to ``boxes``, blocks x 8 x 32."""
    b, x, y = cuda.blockIdx.x, cuda.threadIdx.x, cuda.threadIdx.y
    row, column = tops[b] + y, lefts[b] + x
    inside = 0 <= row < matrix.shape[0] and 0 <= column < matrix.shape[1]
    boxes[b, y, x] = matrix[row, column] if inside else np.float32(0)


# --8<-- [end:solution]

HINTS = [
    "Each thread has one element of the box, and writes it in any case: what is there, or a 0.",
    "A negative index counts from the end, in a kernel as in Python: no error, and a wrong "
    "element. Ask for both ends of both indices.",
]

WRONG = {
    "only the far edges": {
        "edits": [
            [
                "0 <= row < matrix.shape[0] and 0 <= column < matrix.shape[1]",
                "row < matrix.shape[0] and column < matrix.shape[1]",
            ]
        ],
        "says": "out of bounds",
    },
    "the edge is repeated": {
        "edits": [
            [
                "matrix[row, column] if inside else np.float32(0)",
                "matrix[min(max(row, 0), matrix.shape[0] - 1), "
                "min(max(column, 0), matrix.shape[1] - 1)]",
            ]
        ],
        "says": "should be",
    },
    "nothing is written outside": {
        "edits": [
            [
                "    boxes[b, y, x] = matrix[row, column] if inside else np.float32(0)\n",
                "    if inside:\n        boxes[b, y, x] = matrix[row, column]\n",
            ]
        ],
        "says": "No thread wrote it",
    },
}

CASES = [(1, 1), (8, 32), (13, 45)]


def test(fetch_boxes, rows, columns):
    """Blocks of 32 x 8 threads, one for each box.

    --8<-- [start:example]
    >>> matrix = cuda.to_device(np.ones((2, 3), dtype=np.float32))
    >>> tops = cuda.to_device(np.array([-1, 1], dtype=np.int32))
    >>> lefts = cuda.to_device(np.array([-1, 2], dtype=np.int32))
    >>> boxes = cuda.device_array((2, 8, 32), dtype=np.float32)
    >>> fetch_boxes[2, (32, 8)](matrix, tops, lefts, boxes)
    >>> boxes.copy_to_host()[:, :3, :4]
    array([[[0., 0., 0., 0.],
            [0., 1., 1., 1.],
            [0., 1., 1., 1.]],
    <BLANKLINE>
           [[1., 0., 0., 0.],
            [0., 0., 0., 0.],
            [0., 0., 0., 0.]]], dtype=float32)

    --8<-- [end:example]
    """
    matrix = np.arange(1, rows * columns + 1, dtype=np.float32).reshape(rows, columns)
    tops, lefts = [0, -3, rows - 2, -1], [0, columns - 5, -7, -2]
    boxes = cuda.to_device(np.full((4, 8, 32), np.nan, dtype=np.float32))
    places = [cuda.to_device(np.array(p, dtype=np.int32)) for p in (tops, lefts)]
    fetch_boxes[4, (32, 8)](cuda.to_device(matrix), *places, boxes)
    want = np.zeros((4, 8, 32), dtype=np.float32)
    for b in range(4):
        for y in range(8):
            for x in range(32):
                row, column = tops[b] + y, lefts[b] + x
                if 0 <= row < rows and 0 <= column < columns:
                    want[b, y, x] = matrix[row, column]
    yield "boxes", boxes, want
