"""Spilled registers: one kernel, compiled with enough registers and with too few."""

from numba import cuda, float32

VALUES = 96  # floats that each thread keeps


def sums(rounds, out):
    """Rotate and add 96 values of a thread, all in use all the time."""
    values = cuda.local.array(VALUES, float32)
    for k in range(VALUES):
        values[k] = float32(cuda.threadIdx.x + k)
    for _ in range(rounds):
        first = values[0]
        for k in range(VALUES - 1):
            values[k] = values[k + 1] * float32(0.5) + values[k]
        values[VALUES - 1] = first * float32(0.5) + values[VALUES - 1]
    total = float32(0)
    for k in range(VALUES):
        total += values[k]
    out[cuda.grid(1)] = total


enough_kernel = cuda.jit(sums)


def with_registers(most):
    """Return the kernel compiled for at most so many registers. Not in the simulator."""
    return cuda.jit(max_registers=most)(sums)
