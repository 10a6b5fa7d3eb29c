"""Six mistakes of timing, each beside the right way."""
# ruff: noqa: I001  (the reader sees each section with the imports that it needs)

import cupy as cp
from kernels.benchmarking.compare import a, b, n, out
from kernels.benchmarking.half import add_kernel
from kernels.benchmarking.events import by_events
from kernels.benchmarking.harness import summary
from numba import cuda

# --8<-- [start:no_wait]
from time import perf_counter


def by_wall(call, wait=True):
    """Return the seconds that a call takes on the host's clock, the GPU idle before."""
    cp.cuda.Device().synchronize()
    began = perf_counter()
    call()
    if wait:
        cp.cuda.Device().synchronize()
    return perf_counter() - began


add = add_kernel[-(-n // 256), 256]
for wait in (False, True):
    times = [by_wall(lambda: add(a, b, out), wait) for _ in range(20)]
    print(f"wall clock, {'waited' if wait else 'not waited'}: {1e6 * summary(times)[0]:.0f} us")
print(f"events: {1e6 * summary([by_events(lambda: add(a, b, out)) for _ in range(20)])[0]:.0f} us")
# --8<-- [end:no_wait]

# --8<-- [start:no_warmup]
fresh_kernel = cuda.jit(add_kernel.py_func)  # the same kernel, not compiled yet
for turn in ("first", "second", "third"):
    seconds = by_wall(lambda: fresh_kernel[-(-n // 256), 256](a, b, out))
    print(f"{turn} call: {1e3 * seconds:.2f} ms")
# --8<-- [end:no_warmup]

# --8<-- [start:zeros]
size = 8192
random = cp.random.standard_normal((size, size), dtype=cp.float32).astype(cp.float16)
product = cp.empty_like(random)
for what, matrix in {"random": random, "zeros": cp.zeros_like(random)}.items():

    def twenty(matrix=matrix):
        for _ in range(20):  # long enough for the GPU's power to matter
            cp.matmul(matrix, matrix, out=product)

    middle, _ = summary([by_events(twenty) for _ in range(5)])
    print(f"{what}: {20 * 2 * size**3 / middle / 1e12:.0f} TFLOP/s")
# --8<-- [end:zeros]

# --8<-- [start:one_sample]
small = 2**20
x, y, z = a[:small], b[:small], out[:small]
add_small = add_kernel[small // 256, 256]
times = sorted(1e6 * by_wall(lambda: add_small(x, y, z)) for _ in range(500))
print(f"least {times[0]:.0f} us, median {times[250]:.0f} us, most {times[-1]:.0f} us")
# --8<-- [end:one_sample]


# --8<-- [start:small_kernel]
def hundred():
    for _ in range(100):
        add_small(x, y, z)


def one():
    add_small(x, y, z)


ways = {
    "wall clock, one call": lambda: by_wall(one),
    "wall clock, one of a hundred": lambda: by_wall(hundred) / 100,
    "events": lambda: by_events(one),
}
for name, way in ways.items():
    print(f"{name}: {1e6 * summary([way() for _ in range(20)])[0]:.1f} us")
# --8<-- [end:small_kernel]
