"""The loads of the 4-bit product without its arithmetic: what is left is the price of reading."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, int32, uint32, uint64

# --8<-- [end:imports]
from kernels.quantization.words import load_once


# --8<-- [start:kernel]
@cuda.jit
def read_alone(words, y):
    """Write the exclusive or of each 1,024 words to y, whose size is that of the words / 1,024.

    A warp takes 1,024 words, each lane eight loads of 16 bytes, all in flight at once.
    """
    lane = uint64(cuda.threadIdx.x)
    part = cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y
    if part >= y.size:
        return
    at = uint64(part) * uint64(1024) + lane * uint64(4)
    held = cuda.local.array((8, 4), uint32)
    for n in range(8):
        held[n, 0], held[n, 1], held[n, 2], held[n, 3] = load_once(words, at + uint64(128 * n))
    total = int32(0)  # a shuffle moves signed numbers
    for n in range(8):
        for w in range(4):
            total = int32(total ^ int32(held[n, w]))
    for hop in (16, 8, 4, 2, 1):
        total = int32(total ^ cuda.shfl_xor_sync(0xFFFFFFFF, total, hop))
    if lane == 0:
        y[part] = uint32(total)


# --8<-- [end:kernel]


# --8<-- [start:host]
def xors(words):
    """Return the exclusive or of each 1,024 words of an array whose size is a multiple of 1,024.

    --8<-- [start:example]
    >>> words = np.random.default_rng(3).integers(0, 2**32, 9 * 1024, dtype=np.uint32)
    >>> np.array_equal(xors(words), np.bitwise_xor.reduce(words.reshape(9, 1024), axis=1))
    True

    --8<-- [end:example]
    """
    y = cuda.device_array(len(words) // 1024, np.uint32)
    read_alone[-(-y.size // 8), (32, 8)](cuda.to_device(words), y)
    return y.copy_to_host()


# --8<-- [end:host]
