"""Read the same few kilobytes again and again: what a warp's read costs when L1 has the data."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, int32, uint32

# --8<-- [end:imports]

# --8<-- [start:kernel]
SPAN = 12_288  # elements within which a block reads: 48 KiB, so that L1 holds what it reads


@cuda.jit
def reread_warp_kernel(a, stride, offset, rounds, out):
    """Each warp reads ``a[offset + lane * stride + ...]`` at eight places a round, and sums up.

    a: int32, not negative, of at least SPAN + 32 * stride + offset elements. out: int32 sums.
    """
    lane, warp = uint32(cuda.threadIdx.x % 32), uint32(cuda.threadIdx.x // 32)
    start = uint32(offset) + lane * uint32(stride) + warp * uint32(256)
    total = int32(0)
    for _ in range(rounds):
        at = start + (uint32(total) >> uint32(31))  # + 0, but the compiler cannot know
        for k in range(8):  # written out: eight independent loads
            total += a[at + uint32(512 * k)]
    out[cuda.grid(1)] = total


# --8<-- [end:kernel]


# --8<-- [start:host]
def reread(a, stride, offset, rounds, threads=32):
    """Return the sums of one block.

    --8<-- [start:example]
    >>> a = np.arange(SPAN + 64)
    >>> reread(a, stride=1, offset=8, rounds=1)[:3]  # 8 + 520 + ... + 3592; each lane 8 more
    array([14400, 14408, 14416], dtype=int32)

    --8<-- [end:example]
    """
    d_a = cuda.to_device(np.asarray(a, dtype=np.int32))
    d_out = cuda.device_array(threads, np.int32)
    reread_warp_kernel[1, threads](d_a, stride, offset, rounds, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]
