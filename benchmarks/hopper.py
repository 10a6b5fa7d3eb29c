"""Hopper's features, each against the version without: TMA, clusters, specialized warps, FP8."""

from functools import partial

import cupy as cp
import numpy as np
import torch
from numba import int32

from benchmarks.ampere import check_sum
from benchmarks.harness import ROOT, Case, Reference
from benchmarks.patterns import library
from benchmarks.shapes import fastest
from benchmarks.tensor_cores import Bfloat16, as_torch, narrow, widen
from kernels.hopper import multistage
from kernels.hopper.numba_clusters import cluster_softmax
from kernels.tensor_cores import wgmma
from kernels.tensor_cores.tma import tensor_map

SOURCES = "snippets/hopper/"
SUM_IDS = {32: "sum-bulk-32", 128: "sum-bulk-128", 256: "sum-bulk-256", 1024: "sum-bulk-1024"}
COUNT_IDS = {
    "uniform": ("histogram16-global", "histogram16-halves", "histogram16-cluster"),
    "sound": (
        "histogram16-global-sound",
        "histogram16-halves-sound",
        "histogram16-cluster-sound",
    ),
}


def run(bench):
    with bench.part("sums by the copy engine"):
        sums(bench, 2**20 + 3 if bench.quick else 2**28 + 3)
    for data, ids in COUNT_IDS.items():
        with bench.part(f"histogram of 65,536 values, {data}"):
            histogram(bench, ids, data, 2**20 + 5 if bench.quick else 2**29 + 5)
    with bench.part("softmax of a vocabulary"):
        softmax(bench, 33 if bench.quick else 2048, 128_256)
    for n, ids in {
        4096: ("gemm-multistage-4096", "gemm-specialized-4096"),
        8192: ("gemm-multistage-8192", "gemm-specialized-8192"),
    }.items():
        with bench.part(f"warp specialization, {n}"):
            products(bench, ids, 512 if bench.quick else n)
    with bench.part("FP8 weights"):
        gemv(bench, *((1024, 512) if bench.quick else (16_384, 16_384)))


def module(file):
    text = (ROOT / SOURCES / file).read_text("utf-8")
    return cp.RawModule(code=text, options=("-std=c++17",))


def sums(bench, n):
    x = abs(bench.random(n))
    right = float(x.sum(dtype=cp.float64))
    kernel, ring = module("sums.cu").get_function("sum_bulk"), 8 * 2048 * 4
    kernel.max_dynamic_shared_size_bytes = ring
    out = cp.zeros((), cp.float64)
    calls = {}
    for threads, id in SUM_IDS.items():
        arguments = (bench.device.multiprocessors,), (threads,), (x, cp.int64(n), out)
        calls[id] = partial(kernel, *arguments, shared_mem=ring)
        check_sum(id, calls[id], out, right)
    times = bench.samples(calls)
    for threads, id in SUM_IDS.items():
        bench.micro(
            id,
            f"Sum of {n} float32, a block of {threads} threads on each SM: 64 KB in flight by TMA",
            times[id],
            unit="GB/s",
            method="CuPy RawModule, CUDA events, cold L2; right first",
            kernel=SOURCES + "sums.cu",
            amount=4 * n,
        )


def histogram(bench, ids, data, n):
    if data == "uniform":
        x = cp.random.default_rng().integers(0, 65536, n, dtype=cp.uint32).astype(cp.uint16)
    else:
        x = cp.clip(32768 + 4000 * bench.random(n), 0, 65535).astype(cp.uint16)
    output, kernels = bench.output(65536, "int32"), module("histogram.cu")

    def count(way):
        kernel, shared = kernels.get_function(way), 0 if way == "histogram_global" else 131_072
        kernel.max_dynamic_shared_size_bytes = shared
        blocks = bench.device.multiprocessors // 2 * 2

        def call():
            output.array.fill(0)
            kernel((blocks,), (1024,), (x, cp.int64(n), output.array), shared_mem=shared)

        return call

    hows = {
        "histogram_global": "counters in global memory",
        "histogram_halves": "two blocks read all and count half of the values each",
        "histogram_cluster": "counters spread over a cluster of two blocks",
    }
    right = cp.zeros(65536, cp.int64)
    for piece in cp.array_split(x, 16):  # bincount widens to 8 bytes each
        right += cp.bincount(piece, minlength=65536)
    bench.compare(
        [
            Case(id, f"Counts of 65,536 values, {data} data: {how}", SOURCES + "histogram.cu",
                 count(way), output)
            for id, (way, how) in zip(ids, hows.items(), strict=True)
        ],
        library("CuPy, cp.bincount", lambda: cp.bincount(x, minlength=65536)),
        right.astype(cp.float64),
        size=n,
        dtype="uint16",
        unit="GB/s",
        tolerance=0.0,
        bytes=2 * n,
    )  # fmt: skip


def softmax(bench, rows, columns):
    x, output = bench.random((rows, columns)), bench.output((rows, columns))
    kernels, fours = module("softmax.cu"), columns // 4
    cluster, shared = kernels.get_function("softmax_cluster"), 16 * -(-fours // 8)
    cluster.max_dynamic_shared_size_bytes = shared
    arguments = (512,), (x, output.array, cp.uint32(fours))
    t_x, t_out = (torch.as_tensor(a, device="cuda") for a in (x, output.array))
    right = x.astype(cp.float64)
    right -= right.max(axis=1, keepdims=True)
    cp.exp(right, out=right)
    right /= right.sum(axis=1, keepdims=True)
    twice = partial(kernels.get_function("softmax_twice"), (rows,), *arguments)
    once = partial(cluster, (8 * rows,), *arguments, shared_mem=shared)
    flat = bench.device.numba(x.reshape(-1)), bench.device.numba(output.array.reshape(-1))

    def from_numba(blocks, threads):
        kernel, _, _ = cluster_softmax(columns, blocks, threads)
        configured = kernel[rows * blocks, threads]
        return lambda: configured(flat[0], np.uint32(columns), flat[1])

    ways = {shape: from_numba(*shape) for shape in ((8, 512), (4, 1024), (8, 1024))}
    numba = ways[fastest(bench, ways)]
    title = f"Softmax of {rows} rows of {columns}"
    bench.compare(
        [
            Case("softmax-vocabulary-twice", f"{title}: a block a row, read twice",
                 SOURCES + "softmax.cu", twice, output),
            Case("softmax-vocabulary-cluster", f"{title}: a cluster of eight blocks a row",
                 SOURCES + "softmax.cu", once, output),
            Case("softmax-vocabulary-numba", f"{title}: a cluster a row, in registers, Numba",
                 "kernels/hopper/numba_clusters.py", numba, output),
        ],
        Reference("torch.softmax", lambda: torch.softmax(t_x, dim=1, out=t_out), output),
        right,
        size=rows * columns,
        dtype="float32",
        unit="GB/s",
        tolerance=2e-6,
        bytes=2 * 4 * rows * columns,
    )  # fmt: skip


def products(bench, ids, n):
    a, b = (narrow(bench.random((n, n))) for _ in range(2))
    output = Bfloat16(bench.xp, (n, n))
    expected = widen(a).astype(cp.float64) @ widen(b).astype(cp.float64)
    tiles = ((a, wgmma.BM), (b, wgmma.BK), (output.array, 64))
    maps = cp.asarray(np.concatenate([tensor_map(x, box) for x, box in tiles]))
    arguments = (bench.device.numba(maps), int32(n), int32(n), int32(n))

    def call(kernel, threads):
        shape = (bench.device.multiprocessors, threads)
        wgmma.launch(kernel, *shape, wgmma.SHARED, *arguments)  # sets the limit of shared memory
        return partial(kernel[(*shape, 0, wgmma.SHARED)], *arguments)

    left, right, out = as_torch(a), as_torch(b), as_torch(output.array)
    bench.compare(
        [
            Case(ids[0], f"bfloat16 product {n}, every warp fetches and multiplies",
                 "kernels/hopper/multistage.py", call(multistage.multistage_kernel, 256), output),
            Case(ids[1], f"bfloat16 product {n}, a producer and two consumers",
                 "kernels/tensor_cores/wgmma.py", call(wgmma.wgmma_kernel, 384), output),
        ],
        Reference("cuBLAS, through torch.matmul", lambda: torch.matmul(left, right, out=out),
                  output),
        expected,
        size=n,
        dtype="bfloat16",
        unit="TFLOP/s",
        tolerance=5e-3,
        bytes=2 * 3 * n * n,
        flops=2 * n**3,
    )  # fmt: skip


def gemv(bench, rows, columns):
    """The same weights in both formats: e4m3 numbers, which float16 holds exactly."""
    small = torch.as_tensor(bench.random((rows, columns)), device="cuda").to(torch.float8_e4m3fn)
    half = small.to(torch.float16)
    x, scale = bench.random(columns).astype(cp.float16), cp.ones(rows, cp.float32)
    t_x, output, kernels = torch.as_tensor(x, device="cuda"), bench.output(rows), module("gemv.cu")
    expected = cp.zeros(rows, cp.float64)
    for first in range(0, rows, 1024):
        part = cp.asarray(half[first : first + 1024]).astype(cp.float64)
        expected[first : first + 1024] = part @ x.astype(cp.float64)

    def call(way, weights):
        sizes = cp.int32(rows), cp.int32(columns)
        arguments = (cp.asarray(weights), scale, x, output.array, *sizes)
        return partial(kernels.get_function(way), (-(-rows // 32),), (256,), arguments)

    title = f"{rows} x {columns} weights times a vector"
    bench.compare(
        [
            Case("gemv-half", f"{title}, float16", SOURCES + "gemv.cu", call("gemv_half", half),
                 output),
            Case("gemv-fp8", f"{title}, FP8 e4m3", SOURCES + "gemv.cu",
                 call("gemv_fp8", small.view(torch.uint8)), output),
        ],
        library("torch.mv in float16", lambda: cp.asarray(torch.mv(half, t_x))),
        expected,
        size=rows * columns,
        dtype="float16 and float8_e4m3",
        unit="us",
        tolerance=2e-3,
        bytes=2 * rows * columns,
    )  # fmt: skip
