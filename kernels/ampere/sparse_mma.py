"""mma.sp from Numba: a warp multiplies 16 x 32, of which half is stored, by 32 x 8."""

import numpy as np
from numba import cuda

from kernels.ampere.sparse import prune
from kernels.tensor_cores.ptx import ptx

# --8<-- [start:kernel]
mma_sparse = ptx(
    "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"
    " %0, %1, %2, %0, %3, 0x0;",
    "+f4 r4 r4 r",
)


@cuda.jit
def sparse_product_kernel(kept, places, bt, c):
    """c = a @ bt.T: kept (16, 8) and bt (8, 16) of uint32, two float16 each; places (32,)."""
    row, pair = cuda.threadIdx.x // 4, cuda.threadIdx.x % 4
    part_a = (kept[row, pair], kept[row + 8, pair], kept[row, pair + 4], kept[row + 8, pair + 4])
    part_b = (bt[row, pair], bt[row, pair + 4], bt[row, pair + 8], bt[row, pair + 12])
    zero = np.float32(0)
    total = mma_sparse((zero, zero, zero, zero), part_a, part_b, places[cuda.threadIdx.x])
    c[row, 2 * pair] = total[0]
    c[row, 2 * pair + 1] = total[1]
    c[row + 8, 2 * pair] = total[2]
    c[row + 8, 2 * pair + 1] = total[3]


# --8<-- [end:kernel]


# --8<-- [start:host]
def lane_places(places):
    """Return what each lane tells the tensor cores of the places, (16, 8) groups of four bits.

    Of each four lanes the first two say it: lane 4 r for the first four groups of row r, in its
    low 16 bits, and of row r + 8 in its high ones; lane 4 r + 1 for the last four groups.
    """
    sixteen = (places.astype(np.uint32).reshape(16, 2, 4) << [0, 4, 8, 12]).sum(axis=2)
    told = np.zeros((8, 4), np.uint32)
    told[:, :2] = sixteen[:8] | sixteen[8:] << 16
    return told.reshape(32)


def sparse_product(a, b):
    """Return ``pruned a @ b`` as float32 for a of shape (16, 32) and b of shape (32, 8)."""
    kept, places = prune(a)
    pairs = np.ascontiguousarray(kept, dtype=np.float16).view(np.uint32)
    pairs_b = np.ascontiguousarray(np.transpose(b), dtype=np.float16).view(np.uint32)
    d_c = cuda.device_array((16, 8), np.float32)
    told = lane_places(places)
    sparse_product_kernel[1, 32](*map(cuda.to_device, (pairs, told, pairs_b)), d_c)
    return d_c.copy_to_host()


# --8<-- [end:host]


def _example():
    """
    --8<-- [start:example]
    >>> random = np.random.default_rng(3)
    >>> a, b = random.integers(-9, 10, (16, 32)), random.integers(-9, 10, (32, 8))
    >>> pruned = restore(*prune(a))
    >>> bool(np.all(sparse_product(a, b) == pruned @ b))
    True

    --8<-- [end:example]
    """
