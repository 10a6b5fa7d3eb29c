"""A few blocks take piece after piece of the work until none is left."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def square_pieces_kernel(x, piece, taken):
    """Square x in place; a piece has as many elements as a block has threads."""
    current = cuda.shared.array(1, np.int32)
    while True:
        if cuda.threadIdx.x == 0:
            current[0] = cuda.atomic.add(taken, 0, 1)  # the next piece that nobody has
        cuda.syncthreads()
        start = current[0] * piece
        cuda.syncthreads()  # all have read it, before thread 0 writes the next
        if start >= x.size:
            return
        i = start + cuda.threadIdx.x
        if i < x.size:
            x[i] = x[i] * x[i]


# --8<-- [end:kernel]


def square_pieces(x, blocks=2, threads=32):
    """Return x * x as float32, worked out by ``blocks`` blocks, however long x is.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(11, dtype=np.float32))
    >>> taken = cuda.to_device(np.zeros(1, dtype=np.int32))
    >>> square_pieces_kernel[2, 4](x, 4, taken)  # two blocks, three pieces
    >>> x.copy_to_host()
    array([  0.,   1.,   4.,   9.,  16.,  25.,  36.,  49.,  64.,  81., 100.],
          dtype=float32)

    --8<-- [end:example]
    """
    x = cuda.to_device(np.asarray(x, dtype=np.float32))
    taken = cuda.to_device(np.zeros(1, dtype=np.int32))
    square_pieces_kernel[blocks, threads](x, threads, taken)
    return x.copy_to_host()
