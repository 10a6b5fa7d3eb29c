"""What a launch of one small kernel costs by who launches it: four ways and a graph, in one run."""

import cupy as cp
from numba_cuda_mlir import cuda as mlir_cuda

from benchmarks.harness import BenchmarkError, WallTimer
from kernels.mlir_bridge.same_text import again
from kernels.vector_add.add import add_kernel

(add_again,) = again("kernels.vector_add.add")
ADD = "kernels/vector_add/add.py"
N, NODES = 32, 100
SOURCE = """
extern "C" __global__ void add(const float *a, const float *b, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] + b[i];
}
"""
METHOD = "wall clock for one of 100 launches in a row, GPU idle before, not waited for"


def run(bench):
    with bench.part("launches"):
        launches(bench)


def launches(bench):
    a, b, output = bench.random(N), bench.random(N), bench.output(N)
    arrays = a, b, output.array
    numba = [bench.device.numba(x) for x in arrays]
    mlir = [mlir_cuda.as_cuda_array(x, sync=False) for x in arrays]
    raw = cp.RawKernel(SOURCE, "add")
    elementwise = cp.ElementwiseKernel("float32 a, float32 b", "float32 out", "out = a + b", "add")
    ways = {
        "launch-cost-numba": ("Numba", ADD, lambda: add_kernel[1, 32](*numba)),
        "launch-cost-mlir": (
            "numba-cuda-mlir", ADD, lambda: add_again.add_kernel[1, 32](*mlir)
        ),
        "launch-cost-elementwise": (
            "CuPy ElementwiseKernel", None, lambda: elementwise(*arrays)
        ),
        "launch-cost-rawkernel": (
            "CuPy RawKernel", None, lambda: raw((1,), (32,), (*arrays, cp.int32(N)))
        ),
    }  # fmt: skip
    expected = a.astype(cp.float64) + b
    for id, (_, _, call) in ways.items():
        bench.check(id, call, output, expected, 1e-6)

    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        for _ in range(NODES):
            raw((1,), (32,), (*arrays, cp.int32(N)))
        graph = stream.end_capture()
    output.poison()
    bench.device.synchronize()  # the graph's stream does not wait for this one
    graph.launch(stream)
    bench.device.synchronize()
    if not output.error(expected) < 1e-6:
        raise BenchmarkError("the graph's sum is wrong")

    synchronize = bench.device.synchronize
    one_by_one = WallTimer(synchronize, calls=100, wait=False)
    times = bench.samples({id: call for id, (_, _, call) in ways.items()}, one_by_one)
    for id, (title, kernel, _) in ways.items():
        title = f"Launch of a sum of {N} numbers, three arrays: {title}"
        bench.micro(id, title, times[id], unit="us", method=METHOD, kernel=kernel,
                    terms=["launch-latency"])  # fmt: skip
    for id, wait, what, method in (
        ("launch-cost-graph", False, "the host's share", "not waited for"),
        ("launch-cost-graph-node", True, "until the GPU is done", "waited for"),
    ):
        timer = WallTimer(synchronize, calls=1, wait=wait)
        time = bench.samples({id: lambda: graph.launch(stream)}, timer)[id]
        bench.micro(
            id, f"One of {NODES} sums of {N} numbers in a graph: {what}", time, unit="us",
            amount=NODES, kernel=None, terms=["cuda-graph", "launch-latency"],
            method=f"wall clock for one launch of the graph, {method}, divided by {NODES}",
        )  # fmt: skip
