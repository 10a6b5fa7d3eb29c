"""Little's law: how much must be in flight. Reads, and multiply-adds, with few or many threads."""

from numba import cuda, float32, uint32


@cuda.jit
def read_1_kernel(a, out):
    """Each thread has one load in flight."""
    n, step = uint32(a.size), uint32(cuda.gridsize(1))
    total = float32(0)
    i = uint32(cuda.grid(1))
    while i < n:
        total += a[i]
        i += step
    out[cuda.grid(1)] = total


@cuda.jit
def read_4_kernel(a, out):
    """Each thread has four loads in flight: the sum comes after all of them. a.size: by four."""
    quarter, step = uint32(a.size // 4), uint32(cuda.gridsize(1))
    total = float32(0)
    i = uint32(cuda.grid(1))
    while i < quarter:
        first, second = a[i], a[i + quarter]
        third, fourth = a[i + 2 * quarter], a[i + 3 * quarter]
        total += (first + second) + (third + fourth)
        i += step
    out[cuda.grid(1)] = total


@cuda.jit
def fma_1_kernel(rounds, out):
    """One chain of multiply-adds in each thread, 128 a round: the next needs the last."""
    x = float32(cuda.threadIdx.x)
    a, b = float32(0.999), float32(0.5)
    for _ in range(rounds):
        for _ in range(64):  # the compiler writes this out
            x = x * a + b
        for _ in range(64):
            x = x * a + b
    out[cuda.grid(1)] = x


@cuda.jit
def fma_4_kernel(rounds, out):
    """Four chains in each thread, with as many multiply-adds in all as the kernel above."""
    x = float32(cuda.threadIdx.x)
    y, z, w = x + float32(1), x + float32(2), x + float32(3)
    a, b = float32(0.999), float32(0.5)
    for _ in range(rounds):
        for _ in range(32):
            x = x * a + b
            y = y * a + b
            z = z * a + b
            w = w * a + b
    out[cuda.grid(1)] = (x + y) + (z + w)
