"""Sparse matrix times vector, in CSR: a thread for a row, and some lanes of a warp for a row."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32, int32, uint32

# --8<-- [end:imports]


# --8<-- [start:scalar]
@cuda.jit
def scalar_kernel(starts, columns, values, x, y):
    """A thread for a row. Row r is columns[starts[r]:starts[r + 1]], and values likewise."""
    row = uint32(cuda.grid(1))
    if row < y.size:
        total = float32(0)
        for k in range(starts[row], starts[uint32(row + 1)]):
            total += values[uint32(k)] * x[uint32(columns[uint32(k)])]
        y[row] = total


# --8<-- [end:scalar]


# --8<-- [start:vector]
def make_vector(lanes):
    """Return a kernel that gives a row to ``lanes`` lanes of a warp: 2, 4, 8, 16 or 32."""
    first_hop = lanes // 2

    @cuda.jit
    def vector_kernel(starts, columns, values, x, y):
        thread = uint32(cuda.grid(1))
        row, lane = uint32(thread // lanes), uint32(thread % lanes)
        here = row < y.size
        start = starts[row] if here else int32(0)
        end = starts[uint32(row + 1)] if here else int32(0)
        total = float32(0)
        for k in range(start + lane, end, lanes):
            total += values[uint32(k)] * x[uint32(columns[uint32(k)])]
        hop = first_hop
        while hop > 0:  # every lane of the warp is here, also those without a row
            total += cuda.shfl_xor_sync(0xFFFFFFFF, total, hop)
            hop //= 2
        if here and lane == 0:
            y[row] = total

    return vector_kernel


# --8<-- [end:vector]


# --8<-- [start:host]
def multiply(kernel, lanes, matrix, x, threads=128):
    """Return a sparse matrix (starts, columns, values) times a vector, float32.

    --8<-- [start:example]
    >>> matrix = csr([[0, 2, 0, 1], [0, 0, 0, 0], [3, 0, 4, 0]])
    >>> matrix[0].tolist(), matrix[1].tolist(), matrix[2].tolist()
    ([0, 2, 2, 4], [1, 3, 0, 2], [2.0, 1.0, 3.0, 4.0])
    >>> x = np.array([1, 10, 100, 1000], dtype=np.float32)
    >>> multiply(scalar_kernel, 1, matrix, x)
    array([1020.,    0.,  403.], dtype=float32)
    >>> multiply(make_vector(4), 4, matrix, x)
    array([1020.,    0.,  403.], dtype=float32)

    --8<-- [end:example]
    """
    rows = matrix[0].size - 1
    y = cuda.device_array(rows, np.float32)
    kernel[-(-rows * lanes // threads), threads](*map(cuda.to_device, (*matrix, x)), y)
    return y.copy_to_host()


def csr(dense):
    """Return a matrix in CSR: where its rows start, and the columns and values of what is not 0."""
    dense = np.asarray(dense, dtype=np.float32)
    rows, columns = np.nonzero(dense)
    starts = np.searchsorted(rows, np.arange(dense.shape[0] + 1))
    return starts.astype(np.int32), columns.astype(np.int32), dense[rows, columns]


# --8<-- [end:host]
