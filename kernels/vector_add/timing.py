"""Time a kernel honestly: warm up, keep the GPU busy, use its own clock, take the median."""
# ruff: noqa: I001  (the reader sees each section with the imports that it needs)

import cupy as cp
from kernels.vector_add.add import add_kernel
from numba import cuda

# --8<-- [start:timer]
from time import perf_counter


def median_ms(work, repeats=21):
    """Return the median time of ``work()`` on the GPU, in milliseconds."""
    for _ in range(3):
        work()  # warm-up: the first call compiles, the next ones fill caches
    times = []
    for _ in range(repeats):
        start, end = cp.cuda.Event(), cp.cuda.Event()
        work()  # not timed: while the GPU does this, Python queues the next three lines
        start.record()  # the GPU notes the time when it gets here ...
        work()
        end.record()  # ... and here
        end.synchronize()
        times.append(cp.cuda.get_elapsed_time(start, end))
    return sorted(times)[repeats // 2]


# --8<-- [end:timer]

# --8<-- [start:measure]
n = 2**28  # 1 GiB for each array: far more than any cache
a, b = cp.random.rand(2, n, dtype=cp.float32)
out = cp.empty_like(a)
blocks = -(-n // 256)

fresh_kernel = cuda.jit(add_kernel.py_func)  # the same kernel, not compiled yet


def clock(label):
    began = perf_counter()
    fresh_kernel[blocks, 256](a, b, out)
    print(f"{label}{1e3 * (perf_counter() - began):9.3f} ms")
    cp.cuda.Device().synchronize()


clock("first call, wall clock    ")
clock("second call, wall clock   ")

ms = median_ms(lambda: fresh_kernel[blocks, 256](a, b, out))
print(f"median of 21, GPU's clock {ms:9.3f} ms")
print(f"bytes moved per second    {3 * 4 * n / ms / 1e6:9.0f} GB/s")
# --8<-- [end:measure]
