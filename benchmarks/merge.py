"""Merge of two sorted arrays of 2^27 uint32: both rungs, against a sort of both in CuPy."""

import cupy as cp

from benchmarks.harness import Case
from benchmarks.patterns import copy_of, library
from kernels.merge.merge_path import make_merge, merge_ranks_kernel

PATH = "kernels/merge/merge_path.py"
SHAPES = ((256, 8), (256, 12), (512, 8))  # threads, results of each


def run(bench):
    n = 2**20 if bench.quick else 2**27
    random = cp.random.default_rng()
    a, b = (cp.sort(random.integers(1, 2**32, n, dtype=cp.uint32)) for _ in range(2))
    answer = cp.sort(cp.concatenate([a, b]))
    output = bench.output(2 * n, "uint32")
    d_a, d_b, d_out = map(bench.device.numba, (a, b, output.array))

    def ranks():
        merge_ranks_kernel[-(-2 * n // 256), 256](d_a, d_b, d_out)

    def path(threads, items):
        tiles = -(-2 * n // (threads * items))
        splits = bench.device.numba(cp.empty(tiles + 1, cp.int64))
        splits_kernel, merge_kernel = make_merge(cp.uint32, threads, items)

        def call():
            splits_kernel[-(-splits.size // 128), 128](d_a, d_b, splits)
            merge_kernel[tiles, threads](d_a, d_b, splits, d_out)

        return call

    first, *others = SHAPES
    cases = [
        Case("merge-ranks", "Merge, a search for each element", PATH, ranks, output),
        Case("merge-path", "Merge along the merge path", PATH, path(*first), output),
    ]
    for threads, items in others:
        title = f"Merge along the merge path, {threads} threads, {items} results of each"
        case = Case(f"merge-path-{threads}-{items}", title, PATH, path(threads, items), output)
        cases.append(case)
    common = dict(size=2 * n, dtype="uint32", unit="GB/s", tolerance=0.0, bytes=16 * n)
    expected = answer.astype(cp.float64)
    with bench.part("merge"):
        bench.compare(cases, copy_of(bench, answer, output), expected, **common)
    with bench.part("merge against a sort"):
        title = "Merge along the merge path, against a sort of both"
        bench.compare(
            [Case("merge-vs-sort", title, PATH, path(*first), output)],
            library("CuPy, cp.sort of both", lambda: cp.sort(cp.concatenate([a, b]))),
            expected,
            **common,
        )
