"""Dropout with 16-byte loads and stores: a counter's four numbers for a thread's four elements."""

# --8<-- [start:imports]
from numba import cuda, float32, uint32, uint64

# --8<-- [end:imports]
from kernels.patterns.wide import load4, store4
from kernels.random_numbers.philox import philox


# --8<-- [start:kernel]
@cuda.jit
def dropout_fours_kernel(x, drop, seed, out):
    """As ``dropout_kernel``, with the same mask, for arrays that are a multiple of four long."""
    i = uint32(cuda.grid(1))
    if 4 * i < x.size:
        below = uint64(float32(drop) * float32(4294967296.0))
        scale = float32(1) / (float32(1) - float32(drop))
        zero = float32(0)
        p, q, r, s = philox(uint64(i), uint64(seed))
        a, b, c, d = load4(x, uint64(4 * i))
        a, b = a * scale if p >= below else zero, b * scale if q >= below else zero
        c, d = c * scale if r >= below else zero, d * scale if s >= below else zero
        store4(out, uint64(4 * i), (a, b, c, d))


# --8<-- [end:kernel]


def fours_example():
    """Show that the mask is the same.

    --8<-- [start:example]
    >>> x = np.arange(1000, dtype=np.float32)
    >>> d_x = cuda.to_device(x)
    >>> out = cuda.device_array_like(d_x)
    >>> dropout_fours_kernel[1, 256](d_x, np.float32(0.5), 7, out)
    >>> np.array_equal(out.copy_to_host(), dropout(x, 0.5, seed=7))
    True

    --8<-- [end:example]
    """
