"""Collatz: halve what is even, triple what is odd and add one. How many steps until 1?"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, int32, int64

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def collatz_kernel(first, steps):
    i = cuda.grid(1)
    if i < steps.size:
        n, count = int64(first + i), int32(0)
        while n > 1:  # each thread as long as it must
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            count += 1
        steps[i] = count


# --8<-- [end:kernel]


# --8<-- [start:host]
def collatz(first, count):
    """Return the steps of the numbers first, first + 1, ..., count of them.

    --8<-- [start:example]
    >>> collatz(1, 10)  # 7, 22, 11, 34, 17, 52, 26, 13, 40, 20, 10, 5, 16, 8, 4, 2, 1
    array([ 0,  1,  7,  2,  5,  8, 16,  3, 19,  6], dtype=int32)

    --8<-- [end:example]
    """
    steps = cuda.device_array(count, np.int32)
    collatz_kernel[-(-count // 128), 128](first, steps)
    return steps.copy_to_host()


# --8<-- [end:host]
