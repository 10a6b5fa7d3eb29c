"""Experiments of one change each: is it an index's sign or its width, and where do counts meet?"""

from functools import partial

import cupy as cp

from benchmarks.harness import BenchmarkError
from benchmarks.micro.common import COLD
from benchmarks.micro.one_change_access import (
    COUNTED_UINT32,
    COUNTS,
    SIXTEEN_BYTES,
    STRIDED_UINT32,
    TILE,
)
from benchmarks.micro.one_change_gemm import edited
from kernels.histogram.counts import BINS, histogram_global_kernel, histogram_shared_kernel
from kernels.transpose.tile import BM, BY


def run(bench):
    small = bench.quick
    with bench.part("a transpose, by the type of its indices"):
        transposes(bench, 512 if small else 16384)
    with bench.part("a histogram of other values"):
        histograms(bench, 2**20 if small else 2**28)
    with bench.part("counters side by side, again"):
        counters(bench, 2**20 if small else 2**28)


def typed(changes, kind):
    """The changes that make each index uint32, with another type in its place."""
    return [(old, new.replace("uint32", kind)) for old, new in changes]


def transposes(bench, n):
    a, output = bench.random((n, n)), bench.output((n, n))
    d_a, d_out = bench.device.numba(a), bench.device.numba(output.array)
    tiles, calls = (-(-n // BM), -(-n // BM)), {}
    for kind in ("int32", "uint32", "int64", "uint64"):
        for loop, changes in (("", STRIDED_UINT32), ("-counted", COUNTED_UINT32)):
            kernel = edited(TILE, *typed(changes, kind)).transpose_tile_kernel
            id = f"one-change-index-{kind}{loop}"
            calls[id] = partial(kernel[tiles, (BM, BY)], d_a, d_out)
    expected = cp.ascontiguousarray(a.T)
    for id, call in calls.items():
        bench.check(id, call, output, expected, 0)
    for id, summary in bench.samples(calls).items():
        kind = id.split("-")[3]
        loop = "loops over range(4)" if id.endswith("counted") else "loops with a step"
        bench.micro(id, f"Transpose of {n} x {n} float32, a padded tile: {kind} indices, {loop}",
                    summary, unit="GB/s", amount=8 * n * n, method=COLD,
                    terms=["memory-coalescing"])  # fmt: skip


def histograms(bench, n):
    output, calls = bench.output(BINS, "uint32"), {}
    d_out, blocks = bench.device.numba(output.array), 2 * bench.device.multiprocessors
    values = {
        "constant": cp.full(n, 7, cp.int32),
        "skewed": cp.minimum(12 * abs(bench.random(n)), BINS - 1).astype(cp.int32),
    }
    kernels = {
        "4": histogram_shared_kernel,
        "16": edited(COUNTS, *SIXTEEN_BYTES).histogram_shared_kernel,
    }
    for name, x in values.items():
        d_x, expected = bench.device.numba(x), cp.bincount(x, minlength=BINS).astype(cp.uint32)
        for width, kernel in kernels.items():

            def launch(kernel=kernel, d_x=d_x):
                output.array.fill(0)
                kernel[blocks, 1024](d_x, d_out)

            launch()
            if not bool((output.array == expected).all()):  # zeros are right here: no poison
                raise BenchmarkError(f"histogram of {name} values by {width} bytes: wrong")
            calls[f"one-change-histogram-{name}-{width}-bytes"] = launch
    for id, summary in bench.samples(calls).items():
        name, width = id.split("-")[3:5]
        bench.micro(id, f"Histogram of 2^28 {name} int32, atomics in shared memory, {width} bytes "
                    "a read", summary, unit="GB/s", amount=4 * n, method=COLD,
                    terms=["atomic-operation"])  # fmt: skip


def counters(bench, n):
    """Four arrays of uniform values; each counted in three places of memory."""
    blocks, calls = 8 * bench.device.multiprocessors, {}
    places = cp.zeros(BINS * 4096, cp.uint32)
    for array in "abcd":
        x = cp.random.default_rng().integers(0, BINS, n, dtype=cp.int32)
        expected = cp.bincount(x, minlength=BINS).astype(cp.uint32)
        d_x = bench.device.numba(x)
        for place in (0, 1, 2048):
            counts = places[BINS * place : BINS * (place + 1)]
            d_counts = bench.device.numba(counts)

            def launch(counts=counts, d_x=d_x, d_counts=d_counts):
                counts.fill(0)
                histogram_global_kernel[blocks, 256](d_x, d_counts)

            launch()
            if not bool((counts == expected).all()):
                raise BenchmarkError(f"counters of array {array} in place {place}: wrong")
            calls[f"one-change-counters-{array}-{place}"] = launch
    for id, summary in bench.samples(calls).items():
        array, place = id.split("-")[-2:]
        bench.micro(id, f"Histogram of 2^28 uniform int32 (array {array}), 256 counters in global "
                    f"memory {int(place)} KiB into an array", summary, unit="us", method=COLD,
                    terms=["atomic-operation"])  # fmt: skip
