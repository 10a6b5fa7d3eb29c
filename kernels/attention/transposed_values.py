"""Values of attention for a product of bytes: transposed, and in the order of the weights."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, uint32

# --8<-- [end:imports]

# --8<-- [start:kernel]
KEYS, GROUPS = 128, 32  # of a tile; four keys to a group
ELEMENTS, WORDS, ROWS = 128, 32, 8  # of a head; four elements to a word; rows at a time


@cuda.jit(device=True)
def key_at(place):
    """Return which of 16 keys stands at this place: 0 1 8 9, 2 3 10 11, 4 5 12 13, 6 7 14 15."""
    return (place >> 1 & 1) << 3 | place >> 2 << 1 | place & 1


@cuda.jit
def transpose_values_kernel(v, out):
    """out[head, element] = the bytes v[head, :, element], every 16 in the order of ``key_at``.

    Four bytes to a word: v is (heads, keys, 32), out (heads, 128, words), zeros past the last key.
    """
    tile = cuda.shared.array((ELEMENTS, GROUPS), uint32)  # swizzled, against bank conflicts
    four = cuda.local.array(4, uint32)
    head, first = cuda.blockIdx.y, cuda.blockIdx.x * KEYS
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    for group in range(y, GROUPS, ROWS):
        for byte in range(4):  # of four keys, the same four elements
            key = first + group // 4 * 16 + key_at(group % 4 * 4 + byte)
            four[byte] = uint32(0)
            if key < v.shape[1]:
                four[byte] = v[head, key, x]
        for element in range(4):
            word = uint32(0)
            for byte in range(4):
                word |= (four[byte] >> uint32(8 * element) & uint32(255)) << uint32(8 * byte)
            tile[4 * x + element, group ^ x] = word
    cuda.syncthreads()
    if first // 4 + x < out.shape[2]:
        for element in range(y, ELEMENTS, ROWS):
            out[head, element, first // 4 + x] = tile[element, x ^ element // 4]


# --8<-- [end:kernel]


# --8<-- [start:host]
def transposed_values(d_v):
    """Return (an array for the transposed values, a call that fills it) for values on the device.

    Rows are whole pieces of 16 bytes, as the copy engine wants them.
    """
    heads, keys, _ = d_v.shape
    d_vt = cuda.device_array((heads, ELEMENTS, 4 * -(-keys // 16)), np.uint32)
    configured = transpose_values_kernel[(-(-keys // KEYS), heads), (WORDS, ROWS)]
    return d_vt, lambda: configured(d_v, d_vt)


# --8<-- [end:host]


def _example():
    """
    --8<-- [start:example]
    >>> keys = np.arange(16, dtype=np.uint8)
    >>> numbered = np.repeat(keys, 128).view(np.uint32).reshape(1, 16, 32)  # key k: bytes of k
    >>> d_vt, transpose = transposed_values(cuda.to_device(numbered))
    >>> transpose()
    >>> d_vt.copy_to_host().view(np.uint8)[0, 5]  # element 5 of all keys
    array([ 0,  1,  8,  9,  2,  3, 10, 11,  4,  5, 12, 13,  6,  7, 14, 15],
          dtype=uint8)

    --8<-- [end:example]
    """
