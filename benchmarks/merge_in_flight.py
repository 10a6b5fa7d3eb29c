"""Merge of two sorted arrays of 2^27 uint32 with all reads in flight, against CUB."""

import ctypes
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import cupy as cp

from benchmarks.harness import BenchmarkError, Case, Reference
from benchmarks.patterns import copy_of
from kernels.merge.in_flight import make_merge_in_flight
from kernels.merge.merge_path import make_merge

PATH, IN_FLIGHT = "kernels/merge/merge_path.py", "kernels/merge/in_flight.py"
# Threads, and results of each. An odd number of results has no bank conflicts in its store.
SHAPES = ((256, 7), (256, 15))
SHAPES_IN_FLIGHT = ((256, 15), (256, 8), (256, 11), (256, 19), (256, 23), (512, 15), (128, 15))

CUB = r"""
#include <cub/device/device_merge.cuh>

// Where storage is null, only say in bytes how much memory it needs. Returns an error, or 0.
extern "C" int merge(void *storage, size_t *bytes, const unsigned *a, long long a_size,
                     const unsigned *b, long long b_size, unsigned *out) {
    return cub::DeviceMerge::MergeKeys(storage, *bytes, a, a_size, b, b_size, out);
}
"""


def run(bench):
    n = 2**20 if bench.quick else 2**27
    random = cp.random.default_rng()
    a, b = (cp.sort(random.integers(1, 2**32, n, dtype=cp.uint32)) for _ in range(2))
    answer = cp.sort(cp.concatenate([a, b]))
    output = bench.output(2 * n, "uint32")
    d_a, d_b, d_out = map(bench.device.numba, (a, b, output.array))

    def path(threads, items, in_flight):
        tiles = -(-2 * n // (threads * items))
        splits = bench.device.numba(cp.empty(tiles + 1, cp.int64))
        splits_kernel, merge_kernel = make_merge(cp.uint32, threads, items)
        if in_flight:
            merge_kernel = make_merge_in_flight(cp.uint32, threads, items)

        def call():
            splits_kernel[-(-splits.size // 128), 128](d_a, d_b, splits)
            merge_kernel[tiles, threads](d_a, d_b, splits, d_out)

        return call

    cases = []
    for id, title, kernel, shapes in (
        ("merge", "Merge along the merge path, reads in flight", IN_FLIGHT, SHAPES_IN_FLIGHT),
        ("merge-path", "Merge along the merge path", PATH, SHAPES),
    ):
        for threads, items in shapes:
            best = (threads, items) == SHAPES_IN_FLIGHT[0] and kernel is IN_FLIGHT
            of = "" if best else f", {threads} threads, {items} results of each"
            own = id if best else f"{id}-{threads}-{items}"
            call = path(threads, items, kernel is IN_FLIGHT)
            cases.append(Case(own, title + of, kernel, call, output))
    common = dict(size=2 * n, dtype="uint32", unit="GB/s", tolerance=0.0, bytes=16 * n)
    expected = answer.astype(cp.float64)
    with bench.part("merge"):
        bench.compare(cases, copy_of(bench, answer, output), expected, **common)
    with bench.part("merge against CUB"):
        title = f"{cases[0].title}, against CUB"
        case = Case("merge-vs-cub", title, IN_FLIGHT, cases[0].call, output)
        bench.compare([case], cub(a, b, output), expected, **common)


def headers():
    """Yield nvcc's options for CUB's headers: its own, those of pip, and those that CuPy brings."""
    yield []
    for base in sys.path:
        cccl = Path(base) / "nvidia" / "cu13" / "include" / "cccl"
        bundle = Path(base) / "cupy" / "_core" / "include" / "cupy" / "_cccl"
        for parts in ([cccl], [bundle / name for name in ("cub", "thrust", "libcudacxx")]):
            if all(part.is_dir() for part in parts):
                yield [f"-I{part}" for part in parts]


def cub(a, b, output):
    """Return a Reference that merges by cub::DeviceMerge::MergeKeys, compiled by nvcc."""
    if not shutil.which("nvcc"):
        raise BenchmarkError("CUB's merge is compiled by nvcc, which is not on the PATH")
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "merge.cu", Path(folder) / "merge.so"
        source.write_text(CUB, encoding="utf-8")
        command = ["nvcc", "-O3", "-std=c++17", "-shared", "-Xcompiler=-fPIC", "-o", library]
        command += [source, f"-arch=sm_{cp.cuda.Device().compute_capability}"]
        for options in headers():
            done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
            if not done.returncode:
                break
        else:
            raise BenchmarkError(f"nvcc does not compile CUB's merge: {done.stderr[:1000]}")
        function = ctypes.CDLL(str(library)).merge
    pointer, size, bytes = ctypes.c_void_p, ctypes.c_longlong, ctypes.c_size_t()
    function.argtypes = (pointer, pointer, pointer, size, pointer, size, pointer)
    out = output.array
    places = a.data.ptr, a.size, b.data.ptr, b.size, out.data.ptr

    def call(storage=None):
        error = function(storage, ctypes.byref(bytes), *places)
        if error:
            raise BenchmarkError(f"CUB's merge: CUDA error {error}")

    call()
    storage = cp.empty(max(bytes.value, 1), cp.uint8)
    return Reference("cub::DeviceMerge::MergeKeys", lambda: call(storage.data.ptr), output)
