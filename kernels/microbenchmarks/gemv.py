"""Matrix times vector, a warp for a row: what a decoder does for each token. And with int8."""

from numba import cuda, float32, uint32

MASK = 0xFFFFFFFF


@cuda.jit
def gemv_kernel(a, x, out):
    """out = a @ x for float32 a of rows x columns. A block is 8 warps of 32 threads."""
    row = uint32(cuda.blockIdx.x * 8 + cuda.threadIdx.y)
    total = float32(0)
    if row < a.shape[0]:
        for column in range(cuda.threadIdx.x, a.shape[1], 32):
            total += a[row, uint32(column)] * x[uint32(column)]
    for hop in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(MASK, total, hop)
    if row < a.shape[0] and cuda.threadIdx.x == 0:
        out[row] = total


@cuda.jit
def gemv_int8_kernel(a, scales, x, out):
    """The same with weights a in int8 and one float32 scale for each row."""
    row = uint32(cuda.blockIdx.x * 8 + cuda.threadIdx.y)
    total = float32(0)
    if row < a.shape[0]:
        for column in range(4 * cuda.threadIdx.x, a.shape[1], 128):
            at = uint32(column)
            total += float32(a[row, at]) * x[at]
            total += float32(a[row, at + 1]) * x[at + 1]
            total += float32(a[row, at + 2]) * x[at + 2]
            total += float32(a[row, at + 3]) * x[at + 3]
    for hop in (16, 8, 4, 2, 1):
        total += cuda.shfl_down_sync(MASK, total, hop)
    if row < a.shape[0] and cuda.threadIdx.x == 0:
        out[row] = total * scales[row]
