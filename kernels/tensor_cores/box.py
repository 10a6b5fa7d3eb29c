"""TMA by itself: a box of a matrix in shared memory, then several through one slot."""

import numpy as np
from numba import cuda

from kernels.tensor_cores.tma import (
    barrier_expect,
    barrier_init,
    barrier_init_done,
    barrier_wait,
    load_box,
    shared_address,
    tensor_map,
    use_map,
)


# --8<-- [start:kernel]
@cuda.jit
def box_kernel(map_bytes, x, y, out):
    """Fetch the 64 x 64 box at column x, row y, and write it to out in the order it lies in."""
    memory = cuda.shared.array((64, 64), np.uint16, alignment=1024)
    barrier = cuda.shared.array(1, np.uint64)
    at, box = shared_address(barrier.ctypes.data), shared_address(memory.ctypes.data)
    if cuda.threadIdx.x == 0:
        barrier_init(at, 1)  # one thread will arrive
        barrier_init_done()
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        use_map(map_bytes.ctypes.data)
        barrier_expect(at, 64 * 64 * 2)  # it arrives, and so many bytes have to
        load_box(box, map_bytes.ctypes.data, x, y, at)
    barrier_wait(at, 0)
    for column in range(64):
        out[cuda.threadIdx.x, column] = memory[cuda.threadIdx.x, column]


# --8<-- [end:kernel]


# --8<-- [start:host]
def fetch_box(matrix, x, y):
    """Return a box of a matrix of bfloat16, given as uint16, as TMA puts it in shared memory.

    --8<-- [start:example]
    >>> pieces = np.tile(np.repeat(np.arange(8), 8), (70, 1)).astype(np.uint16)
    >>> pieces.shape  # the number of its piece of 8 elements, in each of 70 rows
    (70, 64)
    >>> fetch_box(pieces, 0, 0)[:9, ::8]
    array([[0, 1, 2, 3, 4, 5, 6, 7],
           [1, 0, 3, 2, 5, 4, 7, 6],
           [2, 3, 0, 1, 6, 7, 4, 5],
           [3, 2, 1, 0, 7, 6, 5, 4],
           [4, 5, 6, 7, 0, 1, 2, 3],
           [5, 4, 7, 6, 1, 0, 3, 2],
           [6, 7, 4, 5, 2, 3, 0, 1],
           [7, 6, 5, 4, 3, 2, 1, 0],
           [0, 1, 2, 3, 4, 5, 6, 7]], dtype=uint16)
    >>> fetch_box(pieces, 8, 69)[:2, ::8]  # the last row, from piece 1 on, and what is below it
    array([[1, 2, 3, 4, 5, 6, 7, 0],
           [0, 0, 0, 0, 0, 0, 0, 0]], dtype=uint16)

    --8<-- [end:example]
    """
    d_matrix = cuda.to_device(np.ascontiguousarray(matrix, dtype=np.uint16))
    d_out = cuda.device_array((64, 64), np.uint16)
    d_map = cuda.to_device(tensor_map(d_matrix, 64))
    box_kernel[1, 64](d_map, np.int32(x), np.int32(y), d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]


# --8<-- [start:exercise]
@cuda.jit
def latest_kernel(map_bytes, boxes, out):
    """Fetch boxes one below the other through one slot, and keep the first element of each."""
    memory = cuda.shared.array((64, 64), np.uint16, alignment=1024)
    barrier = cuda.shared.array(1, np.uint64)
    at, box = shared_address(barrier.ctypes.data), shared_address(memory.ctypes.data)
    if cuda.threadIdx.x == 0:
        barrier_init(at, 1)
        barrier_init_done()
        use_map(map_bytes.ctypes.data)
    cuda.syncthreads()
    for i in range(boxes):
        if cuda.threadIdx.x == 0:
            barrier_expect(at, 64 * 64 * 2)
            load_box(box, map_bytes.ctypes.data, 0, 64 * i, at)
        barrier_wait(at, i % 2)  # phase 0, phase 1, phase 0, ...
        if cuda.threadIdx.x == 0:
            out[i] = memory[0, 0]
        cuda.syncthreads()  # nobody reads the slot any more


# --8<-- [end:exercise]


def first_elements(kernel, boxes):
    """Launch ``latest_kernel``, or one with its arguments, on rows that hold their number.

    --8<-- [start:solution]
    >>> rows = np.repeat(np.arange(256), 64).reshape(256, 64).astype(np.uint16)
    >>> d_rows, d_out = cuda.to_device(rows), cuda.device_array(4, np.uint16)
    >>> d_map = cuda.to_device(tensor_map(d_rows, 64))
    >>> latest_kernel[1, 64](d_map, 4, d_out)
    >>> d_out.copy_to_host()
    array([  0,  64, 128, 192], dtype=uint16)

    --8<-- [end:solution]
    """
    rows = np.repeat(np.arange(64 * boxes), 64).reshape(-1, 64).astype(np.uint16)
    d_rows, d_out = cuda.to_device(rows), cuda.device_array(boxes, np.uint16)
    kernel[1, 64](cuda.to_device(tensor_map(d_rows, 64)), boxes, d_out)
    return d_out.copy_to_host()
