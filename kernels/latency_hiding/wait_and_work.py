"""Latency hiding: at each step a thread waits for one load, then has 64 multiply-adds to do."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32, uint32

# --8<-- [end:imports]

# --8<-- [start:kernel]
WORK = 64  # multiply-adds for each load


@cuda.jit
def wait_and_work_kernel(table, steps, out):
    """Walk through ``table`` in jumps of 128 bytes, one warp to a row of 32 elements.

    table: float32 in [0, 0.5), a power of two of rows. out: one float32 for each thread, the sum of
    twice the values that it read. Blocks are whole warps.
    """
    last_row = uint32(table.size // 32 - 1)
    lane = uint32(cuda.threadIdx.x % 32)
    row = uint32(cuda.grid(1) // 32)
    x = total = float32(0)
    for _ in range(steps):
        # Far from the row before, so in no cache. uint32(x) is 0, and the compiler cannot know:
        # the next load has to wait for this step's arithmetic.
        row = (row * uint32(221) + uint32(12345) + uint32(x)) & last_row
        value = table[row * uint32(32) + lane]  # wait: all that follows needs it
        for _ in range(WORK):
            x = x * float32(0.5) + value  # work: a chain that ends at twice the value
        total += x
    out[cuda.grid(1)] = total


# --8<-- [end:kernel]


# --8<-- [start:host]
def wait_and_work(table, steps, blocks, threads):
    """Return what each of ``blocks * threads`` threads summed up, as float32.

    --8<-- [start:example]
    >>> table = np.full(4 * 32, 0.25)  # four rows
    >>> wait_and_work(table, steps=3, blocks=1, threads=32)[:4]
    array([1.5, 1.5, 1.5, 1.5], dtype=float32)

    --8<-- [end:example]
    """
    d_table = cuda.to_device(np.asarray(table, dtype=np.float32))
    d_out = cuda.device_array(blocks * threads, np.float32)
    wait_and_work_kernel[blocks, threads](d_table, steps, d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]
