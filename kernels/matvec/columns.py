"""Vector times matrix, and so a transposed matrix times a vector: sums down the columns."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32, uint32, uint64

# --8<-- [end:imports]
from kernels.matvec.wide import add_parts_kernel
from kernels.patterns.wide import load4, store4


# --8<-- [start:kernel]
@cuda.jit
def vecmat_kernel(x, a, m, n, share, out):
    """out[p] = x @ a over ``share`` rows from p * share on, for flat a, n a multiple of four.

    A block has 32 x 8 threads and 128 columns: a lane four of them, a warp every eighth row.
    """
    sums = cuda.shared.array((8, 4, 32), float32)
    lane, warp = cuda.threadIdx.x, cuda.threadIdx.y
    column = uint32(4 * (cuda.blockIdx.x * 32 + lane))
    first = uint32(cuda.blockIdx.y * share)
    end = min(uint32(first + share), uint32(m))
    t0 = t1 = t2 = t3 = float32(0)
    if column < n:
        for row in range(first + warp, end, 8):
            v = x[uint32(row)]
            a0, a1, a2, a3 = load4(a, uint64(row) * uint64(n) + uint64(column))
            t0, t1, t2, t3 = t0 + v * a0, t1 + v * a1, t2 + v * a2, t3 + v * a3
    sums[warp, 0, lane], sums[warp, 1, lane] = t0, t1
    sums[warp, 2, lane], sums[warp, 3, lane] = t2, t3
    cuda.syncthreads()
    if warp == 0 and column < n:
        for w in range(1, 8):
            t0, t1 = t0 + sums[w, 0, lane], t1 + sums[w, 1, lane]
            t2, t3 = t2 + sums[w, 2, lane], t3 + sums[w, 3, lane]
        store4(out, uint64(cuda.blockIdx.y) * uint64(n) + uint64(column), (t0, t1, t2, t3))


# --8<-- [end:kernel]


# --8<-- [start:host]
def cut_rows(m, n):
    """Return into how many parts the rows are cut, and how many rows each has."""
    blocks = -(-n // 128)
    parts = max(1, min(132 * 16 // blocks, m // 32, 65535))
    share = -(-m // parts)
    return -(-m // share), share


def vecmat_launch(x, a, m, n, parts, y):
    """Launch y = x @ a on flat device arrays; ``parts`` holds cut_rows(m, n)[0] x n float32."""
    count, share = cut_rows(m, n)
    blocks = -(-n // 128), count
    sizes = np.uint32(m), np.uint32(n), np.uint32(share)
    vecmat_kernel[blocks, (32, 8)](x, a, *sizes, parts)
    add_parts_kernel[-(-n // 128), 128](parts.reshape(count, n), y)


def vecmat(x, a):
    """Return x @ a for a float32 matrix whose rows are a multiple of four long.

    --8<-- [start:example]
    >>> a = np.arange(24, dtype=np.float32).reshape(3, 8)
    >>> x = np.array([1, 10, 100], dtype=np.float32)
    >>> vecmat(x, a)
    array([1680., 1791., 1902., 2013., 2124., 2235., 2346., 2457.],
          dtype=float32)

    --8<-- [end:example]
    """
    m, n = a.shape
    if n % 4:
        raise ValueError(f"rows of {n}: they must be a multiple of four long")
    y = cuda.device_array(n, np.float32)
    parts = cuda.device_array(cut_rows(m, n)[0] * n, np.float32)
    flat = np.ascontiguousarray(a, dtype=np.float32).reshape(-1)
    vecmat_launch(cuda.to_device(x), cuda.to_device(flat), m, n, parts, y)
    return y.copy_to_host()


# --8<-- [end:host]
