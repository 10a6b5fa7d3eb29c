"""What stands for the matmul rungs' own instructions in the stepper: see ladder.py.

``load4``, ``store4``, ``copy4`` and ``copy16`` do what those of kernels/gemm do. The first of four
elements is accessed here, and the other three in functions of their own, so that the count can
tell them apart.
"""

from numba import cuda


@cuda.jit(device=True)
def load_beyond(array, row, column):
    return array[row, column + 1], array[row, column + 2], array[row, column + 3]


@cuda.jit(device=True)
def load4(array, row, column):
    second, third, fourth = load_beyond(array, row, column)
    return array[row, column], second, third, fourth


@cuda.jit(device=True)
def store_beyond(array, row, column, second, third, fourth):
    array[row, column + 1], array[row, column + 2], array[row, column + 3] = second, third, fourth


@cuda.jit(device=True)
def store4(array, row, column, values):
    first, second, third, fourth = values
    array[row, column] = first
    store_beyond(array, row, column, second, third, fourth)


@cuda.jit(device=True)
def copy4(tile, y, x, source, at, inside):
    tile[y, x] = source[at // source.shape[1], at % source.shape[1]] if inside else 0


@cuda.jit(device=True)
def copy16(tile, y, x, source, at, inside):
    second = third = fourth = 0
    if inside:
        row, column = at // source.shape[1], at % source.shape[1]
        second, third, fourth = load_beyond(source, row, column)
    tile[y, x] = source[at // source.shape[1], at % source.shape[1]] if inside else 0
    store_beyond(tile, y, x, second, third, fourth)


@cuda.jit(device=True)
def nothing():
    pass
