"""Scan, compaction and histogram against CUB itself, which nvcc compiles from its own headers."""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import cupy as cp

from benchmarks.compact import ONE_PASS, one_pass
from benchmarks.compact import SHAPES as COMPACT
from benchmarks.harness import BenchmarkError, Case, Reference
from benchmarks.histogram import LANES
from benchmarks.histogram import SHAPE as HISTOGRAM
from benchmarks.merge_in_flight import headers
from benchmarks.scan import SHAPE as SCAN
from benchmarks.shapes import fastest
from kernels.histogram.lanes import make_histogram_lanes
from kernels.scan.look_back import make_scan

SOURCE = r"""
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>

struct Positive {
    __device__ bool operator()(float x) const { return x > 0; }
};

// Each: where storage is null, only say in bytes how much memory it needs. Returns an error, or 0.
extern "C" int scan(void *storage, size_t *bytes, const int *x, int *out, long long n) {
    return cub::DeviceScan::InclusiveSum(storage, *bytes, x, out, n);
}

extern "C" int compact(void *storage, size_t *bytes, const float *x, float *out, long long *kept,
                       long long n) {
    return cub::DeviceSelect::If(storage, *bytes, x, out, kept, n, Positive{});
}

extern "C" int histogram(void *storage, size_t *bytes, const int *x, int *out, long long n) {
    return cub::DeviceHistogram::HistogramEven(storage, *bytes, x, out, 257, 0, 256, n);
}
"""
HISTOGRAMS = {
    "histogram-vs-cub": ("uniform", lambda r, n: r.integers(0, 256, n, dtype=cp.int32)),
    "histogram-constant-vs-cub": ("constant", lambda r, n: cp.full(n, 77, cp.int32)),
    "histogram-skewed-vs-cub": (
        "skewed",
        lambda r, n: cp.minimum(12 * abs(r.standard_normal(n, cp.float32)), 255).astype(cp.int32),
    ),
}


def run(bench):
    n = 2**20 if bench.quick else 2**28
    library = compiled()
    with bench.part("scan"):
        scan(bench, library, n)
    with bench.part("compaction"):
        compact(bench, library, n)
    for id in HISTOGRAMS:
        with bench.part(id):
            histogram(bench, library, n, id)


def compiled():
    """Compile CUB's three functions by nvcc and return them as a library of ctypes."""
    if not shutil.which("nvcc"):
        raise BenchmarkError("CUB is compiled by nvcc, which is not on the PATH")
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "cub.cu", Path(folder) / "cub.so"
        source.write_text(SOURCE, encoding="utf-8")
        command = ["nvcc", "-O3", "-std=c++17", "-shared", "-Xcompiler=-fPIC", "-o", library]
        command += [source, f"-arch=sm_{cp.cuda.Device().compute_capability}"]
        for options in headers():
            done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
            if not done.returncode:
                return ctypes.CDLL(str(library))
    raise BenchmarkError(f"nvcc does not compile CUB: {done.stderr[:1000]}")


def reference(name, function, output, *arguments):
    """Return a Reference that calls a compiled function on CuPy arrays and sizes."""
    bytes = ctypes.c_size_t()
    places = [a if isinstance(a, int) else a.data.ptr for a in arguments]
    kinds = [ctypes.c_longlong if isinstance(a, int) else ctypes.c_void_p for a in arguments]
    function.argtypes = [ctypes.c_void_p, ctypes.c_void_p, *kinds]

    def call(storage=None):
        error = function(storage, ctypes.byref(bytes), *places)
        if error:
            raise BenchmarkError(f"{name}: CUDA error {error}")

    call()
    storage = cp.empty(max(bytes.value, 1), cp.uint8)
    return Reference(name, lambda: call(storage.data.ptr), output)


def scan(bench, library, n):
    x, output = (1000 * bench.random(n)).astype(cp.int32), bench.output(n, "int32")
    threads, rows = SCAN
    tiles = -(-n // (threads * rows * 4))
    state = cp.empty(1 + tiles, cp.int64)
    arrays = [bench.device.numba(a) for a in (x, output.array, state)]
    kernel = make_scan(threads, rows)

    def call():
        state.fill(0)
        kernel[tiles, threads](*arrays)

    bench.compare(
        [Case("scan-vs-cub", "Scan in one pass, against CUB", "kernels/scan/look_back.py", call,
              output)],
        reference("cub::DeviceScan::InclusiveSum", library.scan, output, x, output.array, n),
        cp.cumsum(x, dtype=cp.int64).astype(cp.int32).astype("f8"),
        size=n, dtype="int32", unit="GB/s", tolerance=0.0, bytes=8 * n,
    )  # fmt: skip


def compact(bench, library, n):
    x = bench.random(n)
    answer = x[x > 0]
    output, kept = bench.output(answer.size), cp.zeros(1, cp.int64)
    d_x, d_out, d_kept = (bench.device.numba(a) for a in (x, output.array, kept))

    calls = {shape: one_pass(bench.device.numba, d_x, d_out, d_kept, *shape) for shape in COMPACT}
    call = calls[fastest(bench, calls)]
    bench.compare(
        [Case("compact-vs-cub", "Compaction in one pass, against CUB", ONE_PASS, call, output)],
        reference("cub::DeviceSelect::If", library.compact, output, x, output.array, kept, n),
        answer.astype(cp.float64),
        size=n, dtype="float32", unit="GB/s", tolerance=0.0, bytes=4 * n + 4 * answer.size,
    )  # fmt: skip


def histogram(bench, library, n, id):
    kind, make = HISTOGRAMS[id]
    x, output = make(cp.random.default_rng(), n), bench.output(256, "int32")
    d_x, d_out = bench.device.numba(x), bench.device.numba(output.array)
    threads, vectors, per = HISTOGRAM
    launch = make_histogram_lanes(threads, vectors)[per * bench.device.multiprocessors, threads]

    def call():
        output.array.fill(0)
        launch(d_x, d_out)

    name = "cub::DeviceHistogram::HistogramEven"
    bench.compare(
        [Case(id, f"Histogram of {kind} data, a column for each lane, against CUB", LANES, call,
              output)],
        reference(name, library.histogram, output, x, output.array, n),
        cp.bincount(x, minlength=256).astype(cp.float64),
        size=n, dtype="int32", unit="GB/s", tolerance=0.0, bytes=4 * n,
    )  # fmt: skip
