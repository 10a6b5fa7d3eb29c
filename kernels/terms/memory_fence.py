"""The last block to finish adds up what all blocks wrote: a fence makes their writes visible."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def last_block_sum_kernel(x, partial, done, total):
    block = cuda.blockIdx.x
    if cuda.threadIdx.x == 0:
        own = np.float32(0)
        for i in range(cuda.blockDim.x):
            if block * cuda.blockDim.x + i < x.size:
                own += x[block * cuda.blockDim.x + i]
        partial[block] = own
        cuda.threadfence()  # the partial sum is seen by others before the ticket is
        if cuda.atomic.add(done, 0, 1) == cuda.gridDim.x - 1:  # everybody else has been here
            cuda.threadfence()
            whole = np.float32(0)
            for b in range(cuda.gridDim.x):
                whole += partial[b]
            total[0] = whole


# --8<-- [end:kernel]


def last_block_sum(x, threads=64):
    """Return the sum of x as a float, computed in float32.

    --8<-- [start:example]
    >>> x = cuda.to_device(np.arange(1, 12, dtype=np.float32))  # 1 + 2 + ... + 11
    >>> partial, total = cuda.device_array(3, np.float32), cuda.device_array(1, np.float32)
    >>> done = cuda.to_device(np.zeros(1, dtype=np.int32))
    >>> last_block_sum_kernel[3, 4](x, partial, done, total)
    >>> total.copy_to_host()
    array([66.], dtype=float32)

    --8<-- [end:example]
    """
    x = cuda.to_device(np.asarray(x, dtype=np.float32))
    blocks = -(-x.size // threads)
    partial, total = cuda.device_array(blocks, np.float32), cuda.device_array(1, np.float32)
    done = cuda.to_device(np.zeros(1, dtype=np.int32))
    last_block_sum_kernel[blocks, threads](x, partial, done, total)
    return float(total.copy_to_host()[0])
