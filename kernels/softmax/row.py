"""Softmax of each row, which is read once and held in registers."""

# --8<-- [start:imports]
import functools

import numpy as np
from numba import cuda, float32, uint32

# --8<-- [end:imports]
from kernels.patterns.wide import exp2, load4, store4
from kernels.softmax.passes import online_kernel

# --8<-- [start:row]
LOWEST = float32(np.finfo(np.float32).min)  # below it there is -inf alone
NOTHING = float32(-np.inf)  # adds nothing to a sum of exponentials
LOG2_E = float32(np.log2(np.e))  # exp(x) is 2 to the power x times this


@cuda.jit(device=True, forceinline=True)
def read_fours(x, start, columns, values):
    """Read this thread's share of a row, four elements from each stretch; nothing past its end."""
    for k in range(0, values.size, 4):
        i = uint32(k * cuda.blockDim.x + 4 * cuda.threadIdx.x)
        four = NOTHING, NOTHING, NOTHING, NOTHING
        if i < columns:
            four = load4(x, start + i)
        values[k], values[k + 1], values[k + 2], values[k + 3] = four


@cuda.jit(device=True, forceinline=True)
def write_fours(out, start, columns, values):
    """Write this thread's share of a row."""
    for k in range(0, values.size, 4):
        i = uint32(k * cuda.blockDim.x + 4 * cuda.threadIdx.x)
        if i < columns:
            store4(out, start + i, (values[k], values[k + 1], values[k + 2], values[k + 3]))


@cuda.jit(device=True, forceinline=True)
def read_ones(x, start, columns, values):
    """The same for rows of any length, an element at a time."""
    for k in range(values.size):
        i = uint32(k * cuda.blockDim.x + cuda.threadIdx.x)
        values[k] = x[start + i] if i < columns else NOTHING


@cuda.jit(device=True, forceinline=True)
def write_ones(out, start, columns, values):
    for k in range(values.size):
        i = uint32(k * cuda.blockDim.x + cuda.threadIdx.x)
        if i < columns:
            out[start + i] = values[k]


# --8<-- [end:row]


# --8<-- [start:normalize]
@cuda.jit(device=True, forceinline=True)
def combine(largest, total):
    """Return the largest element of a warp, and the sum of its lanes relative to that."""
    whole = largest
    for step in (16, 8, 4, 2, 1):
        whole = max(whole, cuda.shfl_xor_sync(0xFFFFFFFF, whole, step))
    total *= exp2((largest - whole) * LOG2_E)
    for step in (16, 8, 4, 2, 1):
        total += cuda.shfl_xor_sync(0xFFFFFFFF, total, step)
    return whole, total


@cuda.jit(device=True, forceinline=True)
def normalize(values, boxes, warps):
    """Turn this thread's share of a row into its softmax. boxes: two places for each warp.

    Each thread starts from its own largest element. What it has is corrected once, at the end, so
    the warps meet once, not twice.
    """
    mine = LOWEST
    for k in range(values.size):
        mine = max(mine, values[k])
    total = float32(0)
    for k in range(values.size):
        values[k] = exp2((values[k] - mine) * LOG2_E)
        total += values[k]
    largest, total = combine(mine, total)
    if warps > 1:
        lane, warp = cuda.threadIdx.x % 32, cuda.threadIdx.x // 32
        if lane == 0:
            boxes[0, warp] = largest
            boxes[1, warp] = total
        cuda.syncthreads()
        largest, total = LOWEST, float32(0)
        if lane < warps:
            largest, total = boxes[0, lane], boxes[1, lane]
        largest, total = combine(largest, total)
    scale = exp2((mine - largest) * LOG2_E) / total
    for k in range(values.size):
        values[k] *= scale


# --8<-- [end:normalize]


# --8<-- [start:kernel]
def make_row(threads, width, wide=True):
    """Return a kernel that gives a row to ``threads`` threads, ``width`` elements to each.

    ``threads`` is a multiple of 32 and ``width`` of 4. ``wide`` takes 16 bytes at a time, and
    needs rows that are a multiple of four long. A block may hold several rows of 32 threads each.
    """
    warps = threads // 32
    read, write = (read_fours, write_fours) if wide else (read_ones, write_ones)

    @cuda.jit(launch_bounds=max(threads, 256))
    def row_kernel(x, rows, columns, out):
        boxes = cuda.shared.array((2, warps), float32)
        values = cuda.local.array(width, float32)
        row = uint32(cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y)
        if row < rows:
            start = row * columns
            read(x, start, columns, values)
            normalize(values, boxes, warps)
            write(out, start, columns, values)

    return row_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
LONGEST = 32 * 1024  # columns that a block holds in registers
make_row = functools.cache(make_row)


def plan(columns):
    """Return the threads of a row, and the elements of each, for rows of so many columns.

    Found by a search: 8 elements a thread for rows of 1k and 8k, 32 for the others.
    """
    threads = 32
    while threads * 32 < columns:
        threads *= 2
    if 512 < columns <= 1024 or 4096 < columns <= 8192:
        threads *= 4
    return threads, 4 * -(-columns // (4 * threads))


def softmax_rows(x, rows, columns, out):
    """Launch the softmax of each row of a flat float32 array on the device, into ``out``."""
    if columns > LONGEST:  # two passes, for rows of any length
        online_kernel[rows, 1024](x.reshape(rows, columns), out.reshape(rows, columns))
        return
    threads, width = plan(columns)
    kernel = make_row(threads, width, wide=columns % 4 == 0)
    kernel[rows, (threads, 1)](x, np.uint32(rows), np.uint32(columns), out)


def softmax(x):
    """Return the softmax of each row of a float32 matrix.

    A row of nothing but -inf, or with inf or NaN in it, becomes NaN, as in PyTorch.

    --8<-- [start:example]
    >>> scores = np.array([[1, 2, 3, -np.inf], [1000, 1000, 1000, 1000]], dtype=np.float32)
    >>> softmax(scores).round(3)
    array([[0.09 , 0.245, 0.665, 0.   ],
           [0.25 , 0.25 , 0.25 , 0.25 ]], dtype=float32)
    >>> softmax(np.full((1, 5), -np.inf, np.float32))
    array([[nan, nan, nan, nan, nan]], dtype=float32)

    --8<-- [end:example]
    """
    d_x = cuda.to_device(np.ascontiguousarray(x, dtype=np.float32).reshape(-1))
    out = cuda.device_array_like(d_x)
    softmax_rows(d_x, *x.shape, out)
    return out.copy_to_host().reshape(x.shape)


# --8<-- [end:host]
