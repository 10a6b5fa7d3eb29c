"""A memref by hand

After lowering, an array is a pointer and a few numbers. Take them: `buffer` is the memory, and
`view` holds offset, rows, columns, row stride and column stride. Element (i, j) lies
offset + i * row stride + j * column stride elements on. So a transpose, every other row or a
column backward are the same bytes with other numbers. Write `read_view`, which copies any view to
`out`, row after row.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def read_view(buffer, view, out):
    """Write a view of ``buffer`` (n float32) to ``out``; ``view`` holds five int64."""
    k = cuda.grid(1)
    if k < out.size:
        i, j = k // view[2], k % view[2]
        out[k] = buffer[view[0] + i * view[3] + j * view[4]]


# --8<-- [end:solution]

HINTS = [
    "A stride is how many elements further on the next row, or the next column, begins. It may "
    "be negative.",
    "A thread has the number k of an element of `out`. Its row is k divided by the columns of the "
    "view, its column the remainder.",
]

WRONG = {
    "the strides change places": {
        "edits": [["i * view[3] + j * view[4]", "i * view[4] + j * view[3]"]],
        "says": "out of bounds",
    },
    "rows are taken to be dense": {
        "edits": [["i * view[3]", "i * view[2]"]],
        "says": "out of bounds",
    },
    "the view begins where the buffer does": {
        "edits": [["view[0] + ", ""]],
        "says": "negative index",
    },
}

CASES = [(1, 1), (3, 5), (9, 20), (33, 7)]


def test(read_view, rows, columns):
    """Blocks of 32 threads: a matrix, its transpose, and every other row from right to left.

    --8<-- [start:example]
    >>> buffer = cuda.to_device(np.arange(6, dtype=np.float32))  # 2 x 3, and its transpose:
    >>> view = cuda.to_device(np.array([0, 3, 2, 1, 3]))
    >>> out = cuda.device_array(6, dtype=np.float32)
    >>> read_view[1, 32](buffer, view, out)
    >>> out.copy_to_host().reshape(3, 2)
    array([[0., 3.],
           [1., 4.],
           [2., 5.]], dtype=float32)

    --8<-- [end:example]
    """
    matrix = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    buffer = cuda.to_device(matrix.reshape(rows * columns))
    views = (
        (0, columns, 1, matrix),
        (0, 1, columns, matrix.T),
        (columns - 1, 2 * columns, -1, matrix[::2, ::-1]),
    )
    for offset, row_stride, column_stride, want in views:
        out = cuda.to_device(np.full(want.size, np.nan, dtype=np.float32))
        view = np.array([offset, *want.shape, row_stride, column_stride])
        read_view[-(-want.size // 32), 32](buffer, cuda.to_device(view), out)
        yield "out", out, want.reshape(want.size)
