"""Radix sort of 2^26 32-bit keys, against CuPy, which calls CUB."""

import cupy as cp

from benchmarks.harness import Case, Reference
from benchmarks.shapes import fastest
from kernels.radix_sort.masks import make_mask_sweep
from kernels.radix_sort.one_sweep import (
    BINS,
    PASSES,
    digit_counts_kernel,
    digit_starts_kernel,
    make_sweep,
)

PATH, MASKS = "kernels/radix_sort/one_sweep.py", "kernels/radix_sort/masks.py"
# Threads, items, blocks for each multiprocessor: the fastest is taken.
SHAPES = ((512, 16, 2), (512, 20, 2), (384, 16, 3), (256, 20, 4))
MASK_SHAPES = ((384, 23, 2), (384, 21, 2), (512, 20, 2), (256, 20, 4))
TITLE = "Radix sort of 2^26 uint32 keys, a copy of them included"
COUNTING = (4, 512)  # blocks for each multiprocessor, threads


def run(bench):
    n = 2**20 if bench.quick else 2**26
    with bench.part("sort"):
        sort(bench, n)


def sort(bench, n):
    random = cp.random.default_rng()
    x = random.integers(1, 2**32, n, dtype=cp.uint32)  # not 0, which is the poison of this type
    output = bench.output(n, "uint32")
    numba, many = bench.device.numba, bench.device.multiprocessors
    counts = cp.empty((PASSES, BINS), cp.int32)
    keys, spare = numba(output.array), numba(cp.empty_like(x))
    d_counts = numba(counts)

    def make(make_sweep, threads, items, resident):
        tiles = -(-n // (threads * items))
        state = cp.empty((PASSES, 1 + BINS * tiles), cp.uint32)
        per_pass = [(numba(counts[p]), numba(state[p]), 8 * p) for p in range(PASSES)]
        sweep = make_sweep(threads, items, resident)

        def call():
            output.array[:] = x
            counts.fill(0)
            state.fill(0)
            digit_counts_kernel[COUNTING[0] * many, COUNTING[1]](keys, d_counts)
            digit_starts_kernel[PASSES, BINS](d_counts)
            source, target = keys, spare
            for starts, words, shift in per_pass:
                sweep[tiles, threads](source, target, starts, words, shift)
                source, target = target, source

        return call

    def best_of(maker, shapes):
        calls = {shape: make(maker, *shape) for shape in shapes}
        return calls[fastest(bench, calls)]

    ballots, masks = best_of(make_sweep, SHAPES), best_of(make_mask_sweep, MASK_SHAPES)

    def theirs():
        output.array[:] = x
        output.array.sort()

    answer = cp.sort(x)
    rows = bench.compare(
        [
            Case("sort", f"{TITLE}, masks in shared memory", MASKS, masks, output),
            Case("sort-ballots", f"{TITLE}, ballots", PATH, ballots, output),
        ],
        Reference("CuPy, a copy and x.sort(): CUB", theirs, output),
        answer.astype(cp.float64),
        size=n,
        dtype="uint32",
        unit="ms",
        tolerance=0.0,
        bytes=2 * 4 * n * PASSES + 3 * 4 * n,
    )
    for row in rows:
        row["gkeys"] = round(n / row["us"] / 1e3, 3)
        row["reference_gkeys"] = round(n / row["reference_us"] / 1e3, 3)
