"""One mma.sync from Numba: a warp multiplies 16 x 16 by 16 x 8, each lane with its fragment."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]
from kernels.tensor_cores.formats import to_bfloat16
from kernels.tensor_cores.ptx import ptx

# --8<-- [start:kernel]
mma = ptx("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 %0, %1, %2, %0;", "+f4 r4 r2")


@cuda.jit
def one_product_kernel(a, bt, c):
    """c = a @ bt.T for a (16, 8) and bt (8, 8) of uint32, two bfloat16 each, and c (16, 8)."""
    row, pair = cuda.threadIdx.x // 4, cuda.threadIdx.x % 4
    part_a = (a[row, pair], a[row + 8, pair], a[row, pair + 4], a[row + 8, pair + 4])
    part_b = (bt[row, pair], bt[row, pair + 4])
    zero = np.float32(0)
    total = mma((zero, zero, zero, zero), part_a, part_b)
    c[row, 2 * pair] = total[0]
    c[row, 2 * pair + 1] = total[1]
    c[row + 8, 2 * pair] = total[2]
    c[row + 8, 2 * pair + 1] = total[3]


# --8<-- [end:kernel]


# --8<-- [start:host]
def one_product(a, b):
    """Return ``a @ b`` as float32 for a of shape (16, 16) and b of shape (16, 8).

    --8<-- [start:example]
    >>> a, b = np.arange(256).reshape(16, 16), np.eye(16, 8)
    >>> one_product(a, b)[:3]  # the identity picks the first eight columns
    array([[ 0.,  1.,  2.,  3.,  4.,  5.,  6.,  7.],
           [16., 17., 18., 19., 20., 21., 22., 23.],
           [32., 33., 34., 35., 36., 37., 38., 39.]], dtype=float32)

    --8<-- [end:example]
    """
    pairs_a = np.ascontiguousarray(to_bfloat16(a)).view(np.uint32)
    pairs_b = np.ascontiguousarray(to_bfloat16(b).T).view(np.uint32)
    d_c = cuda.device_array((16, 8), np.float32)
    one_product_kernel[1, 32](cuda.to_device(pairs_a), cuda.to_device(pairs_b), d_c)
    return d_c.copy_to_host()


# --8<-- [end:host]


# --8<-- [start:exercise]
mma_half = ptx("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 %0, %1, %2, %0;", "+f4 r4 r2")


@cuda.jit
def one_product_half_kernel(a, bt, c):
    row, pair = cuda.threadIdx.x // 4, cuda.threadIdx.x % 4
    part_a = (a[row, pair], a[row + 8, pair], a[row, pair + 4], a[row + 8, pair + 4])
    part_b = (bt[row, pair], bt[row, pair + 4])
    zero = np.float32(0)
    total = mma_half((zero, zero, zero, zero), part_a, part_b)
    c[row, 2 * pair] = total[0]
    c[row, 2 * pair + 1] = total[1]
    c[row + 8, 2 * pair] = total[2]
    c[row + 8, 2 * pair + 1] = total[3]


def one_product_half(a, b):
    pairs_a = np.ascontiguousarray(a, dtype=np.float16).view(np.uint32)
    pairs_b = np.ascontiguousarray(np.transpose(b), dtype=np.float16).view(np.uint32)
    d_c = cuda.device_array((16, 8), np.float32)
    one_product_half_kernel[1, 32](cuda.to_device(pairs_a), cuda.to_device(pairs_b), d_c)
    return d_c.copy_to_host()


# --8<-- [end:exercise]


def _exercise():
    """
    --8<-- [start:exercise_example]
    >>> large = np.full((16, 16), 1000.0)
    >>> large[0, 0] = 70_000
    >>> with np.errstate(over="ignore"):  # NumPy would warn of the overflow
    ...     one_product_half(large, np.eye(16, 8))[0]
    array([inf, nan, nan, nan, nan, nan, nan, nan], dtype=float32)
    >>> one_product(large, np.eye(16, 8))[0]
    array([70144.,  1000.,  1000.,  1000.,  1000.,  1000.,  1000.,  1000.],
          dtype=float32)

    --8<-- [end:exercise_example]
    """
