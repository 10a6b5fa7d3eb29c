"""Sums of blocks in OpenCL, on whatever device there is: here the CPU, by way of PoCL."""

# --8<-- [start:device]
import numpy as np
import pyopencl as cl

device = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
program = cl.Program(context, open("block_sums.cl").read()).build()
# --8<-- [end:device]


# --8<-- [start:sums]
def block_sums(x, size):
    """Return the sum of each ``size`` numbers; size is a power of two."""
    x = np.ascontiguousarray(x, dtype=np.float32)
    groups = -(-x.size // size)
    flags = cl.mem_flags
    d_x = cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x)
    sums = np.empty(groups, np.float32)
    d_sums = cl.Buffer(context, flags.WRITE_ONLY, sums.nbytes)
    kernel = cl.Kernel(program, "block_sums")
    kernel(
        queue, (groups * size,), (size,), d_x, np.int32(x.size), cl.LocalMemory(4 * size), d_sums
    )
    cl.enqueue_copy(queue, sums, d_sums)
    return sums


# --8<-- [end:sums]


def _example():
    """
    --8<-- [start:example]
    >>> block_sums(np.arange(10), 4)  # 0 + 1 + 2 + 3, 4 + 5 + 6 + 7, 8 + 9
    array([ 6., 22., 17.], dtype=float32)
    >>> x = np.random.default_rng(0).integers(-9, 10, 100_003)
    >>> all(block_sums(x, size).sum() == x.sum() for size in (1, 2, 32, 64, 256))
    True

    --8<-- [end:example]
    """
