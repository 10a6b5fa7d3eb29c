"""Which kernel multiplies a sparse matrix: decided once, from the lengths of its rows."""

# --8<-- [start:imports]
import functools

import numpy as np

# --8<-- [end:imports]
from kernels.spmv.merge import ITEMS, THREADS, merge, split
from kernels.spmv.rows import make_vector, scalar_kernel

# --8<-- [start:choose]
vector_kernel_for = functools.cache(make_vector)


def lanes_for(starts):
    """Return how many lanes share a row of a matrix, or 0 if merge path does better.

    ``starts`` is the matrix's own array of row starts, on the host.
    """
    lengths = np.diff(starts)
    mean = lengths.mean()
    if lengths.max() > 32 * max(mean, 4):  # a few lanes would work long after all others
        return 0
    lanes = 1
    while lanes < 32 and 12 * lanes <= mean:  # each lane has 6 to 12 nonzeros
        lanes *= 2
    return lanes


def multiplier(matrix, starts):
    """Return a function (x, y) that computes y = matrix times x on the device.

    ``matrix`` is (starts, columns, values) on the device, ``starts`` the first of it on the host.
    """
    rows, lanes = starts.size - 1, lanes_for(starts)
    if not lanes:
        first_rows = split(matrix[0], int(starts[-1]), THREADS * ITEMS)
        return lambda x, y: merge(matrix, x, first_rows, y)
    kernel = scalar_kernel if lanes == 1 else vector_kernel_for(lanes)
    launched = kernel[-(-rows * lanes // 128), 128]
    return lambda x, y: launched(*matrix, x, y)


# --8<-- [end:choose]


def chosen():
    """Show what is chosen.

    --8<-- [start:example]
    >>> starts_of = lambda lengths: np.cumsum([0, *lengths])
    >>> lanes_for(starts_of(100 * [5])), lanes_for(starts_of(100 * [40]))
    (1, 4)
    >>> lanes_for(starts_of([10000] + 1000 * [3]))  # one long row: merge path
    0

    --8<-- [end:example]
    """
