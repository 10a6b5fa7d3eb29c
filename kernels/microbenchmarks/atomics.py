"""Atomic additions: to how many places, in which memory, with or without the old value."""

from numba import cuda, int32, uint32


@cuda.jit
def global_kernel(counts, rounds):
    """Every thread adds ``rounds`` times; thread i to place i modulo the number of places."""
    at = uint32(cuda.grid(1)) % uint32(counts.size)
    for _ in range(rounds):
        cuda.atomic.add(counts, at, int32(1))


@cuda.jit
def global_old_kernel(counts, rounds, out):
    """The same, and the old value is used: the thread has to wait for it."""
    at = uint32(cuda.grid(1)) % uint32(counts.size)
    last = int32(0)
    for _ in range(rounds):
        last += cuda.atomic.add(counts, at, int32(1))
    out[cuda.grid(1)] = last


@cuda.jit
def global_float_kernel(sums, rounds):
    at = uint32(cuda.grid(1)) % uint32(sums.size)
    for _ in range(rounds):
        cuda.atomic.add(sums, at, 1.0)


@cuda.jit
def global_cas_kernel(counts, rounds):
    """Compare and swap: what an operation that the hardware does not have is made of."""
    at = uint32(cuda.grid(1)) % uint32(counts.size)
    for i in range(rounds):
        cuda.atomic.cas(counts, at, int32(i), int32(i + 1))


@cuda.jit
def shared_kernel(places, rounds, out):
    """Each block adds in its own shared memory, and at the end once in global memory.

    Odd threads add 1 and even ones 0: equal additions of a warp would be made one by the compiler.
    """
    counts = cuda.shared.array(1024, int32)
    counts[cuda.threadIdx.x] = 0
    cuda.syncthreads()
    at = uint32(cuda.threadIdx.x) % uint32(places)
    mine = int32(cuda.threadIdx.x & 1)
    for _ in range(rounds):
        cuda.atomic.add(counts, at, mine)
    cuda.syncthreads()
    if cuda.threadIdx.x < places:
        cuda.atomic.add(out, cuda.threadIdx.x, counts[cuda.threadIdx.x])
