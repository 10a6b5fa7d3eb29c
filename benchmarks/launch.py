"""What a launch costs: an empty kernel from Numba and from CuPy, and in the GPU's queue."""

import cupy as cp
from numba import cuda

from benchmarks.harness import WallTimer

METHOD = "wall clock for one of 100 calls in a row, GPU idle before, not waited for"
QUEUED = 20  # few enough to be queued before the GPU gets to them


@cuda.jit
def empty_kernel():
    pass


@cuda.jit
def one_kernel(a):
    pass


@cuda.jit
def three_kernel(a, b, c):
    pass


def run(bench):
    with bench.part("the host's side"):
        host(bench)
    with bench.part("the GPU's side"):
        queue(bench)


def host(bench):
    arrays = tuple(bench.random(32) for _ in range(3))
    views = [bench.device.numba(array) for array in arrays]
    empty = cp.RawKernel('extern "C" __global__ void empty() {}', "empty")
    one = cp.RawKernel('extern "C" __global__ void one(float* a) {}', "one")
    source = 'extern "C" __global__ void three(float* a, float* b, float* c) {}'
    three = cp.RawKernel(source, "three")
    elementwise = cp.ElementwiseKernel("float32 a, float32 b", "float32 c", "c = a + b", "add_32")
    bound = three_kernel[1, 32]
    rows = {
        "launch-numba-0": ("Numba, no argument", lambda: empty_kernel[1, 32]()),
        "launch-numba-1": ("Numba, one array", lambda: one_kernel[1, 32](views[0])),
        "launch-numba-3": ("Numba, three arrays", lambda: three_kernel[1, 32](*views)),
        "launch-numba-3-bound": (
            "Numba, three arrays, launch = kernel[1, 32] made once",
            lambda: bound(*views),
        ),
        "launch-numba-3-cupy": (
            "Numba, three CuPy arrays, as they are",
            lambda: three_kernel[1, 32](*arrays),
        ),
        "launch-rawkernel-0": ("CuPy RawKernel, no argument", lambda: empty((1,), (32,), ())),
        "launch-rawkernel-1": ("CuPy RawKernel, one array", lambda: one((1,), (32,), arrays[:1])),
        "launch-rawkernel-3": (
            "CuPy RawKernel, three arrays",
            lambda: three((1,), (32,), arrays),
        ),
        "launch-elementwise": (
            "CuPy ElementwiseKernel, 32 elements, three arrays",
            lambda: elementwise(*arrays),
        ),
        "launch-cupy-add": (
            "CuPy cp.add(a, b, out=c), 32 elements",
            lambda: cp.add(arrays[0], arrays[1], out=arrays[2]),
        ),
    }
    timer = WallTimer(bench.device.synchronize, calls=100, wait=False)
    times = bench.samples({id: call for id, (_, call) in rows.items()}, timer)
    for id, (title, _) in rows.items():
        bench.micro(id, f"Launch: {title}", times[id], unit="us", method=METHOD)


def queue(bench):
    empty = cp.RawKernel('extern "C" __global__ void empty() {}', "empty")

    def many():
        for _ in range(QUEUED):
            empty((1,), (32,), ())

    bench.micro(
        "launch-queued",
        "An empty kernel after another, when they wait in the GPU's queue",
        bench.samples({"queued": many})["queued"],
        unit="us",
        amount=QUEUED,
        method=f"CUDA events around {QUEUED} launches queued while the GPU is busy, divided",
    )
