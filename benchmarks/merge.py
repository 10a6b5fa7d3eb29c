"""Merge of two sorted arrays of 2^27 uint32: every rung, against a copy, CUB and a sort of both."""

import tempfile

import cupy as cp

from benchmarks.harness import Case, Reference
from benchmarks.patterns import copy_of, library
from kernels.merge.in_flight import make_merge_in_flight
from kernels.merge.merge_path import make_merge, merge_ranks_kernel
from lockstep_site.gpu import languages

PATH, IN_FLIGHT = "kernels/merge/merge_path.py", "kernels/merge/in_flight.py"
# Threads, and results of each. An odd number of results has no bank conflicts in its store.
SHAPES = ((256, 8), (256, 7), (256, 12), (256, 15), (512, 8))
SHAPES_IN_FLIGHT = ((256, 15), (256, 8), (256, 11), (256, 19), (256, 23), (512, 15), (128, 15))

# The two launches of cub::DeviceMerge::MergeKeys for keys of four bytes. Its dispatch_merge.cuh is
# for a host's compiler; the agent is not, and the numbers are those of its tuning, policy600.
CUB_TILE = 512 * 15
CUB = r"""
#include <cub/agent/agent_merge.cuh>

using In = const unsigned*;
using None = cub::NullType*;
using Less = cuda::std::less<unsigned>;
using Policy = cub::detail::merge::agent_policy_t<
    512, 15, cub::BLOCK_LOAD_WARP_TRANSPOSE, cub::LOAD_DEFAULT, cub::BLOCK_STORE_WARP_TRANSPOSE>;
using Agent =
    cub::detail::merge::agent_t<Policy, In, None, In, None, unsigned*, None, long long, Less>;

extern "C" __global__ void cub_splits(In a, long long a_size, In b, long long b_size,
                                      long long count, long long* splits) {
    long long t = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (t >= count) return;
    long long at = cuda::std::min(t * Policy::ITEMS_PER_TILE, a_size + b_size);
    splits[t] = cub::MergePath(a, b, a_size, b_size, at, Less{});
}

extern "C" __global__ void __launch_bounds__(Policy::BLOCK_THREADS)
    cub_merge(In a, long long a_size, In b, long long b_size, unsigned* out, long long* splits) {
    using THRUST_NS_QUALIFIER::cuda_cub::core::detail::make_load_iterator;
    __shared__ typename Agent::TempStorage storage;
    auto nothing = make_load_iterator(Policy{}, None{});
    Agent{storage.Alias(), make_load_iterator(Policy{}, a), nothing, a_size,
          make_load_iterator(Policy{}, b), nothing, b_size, out, nullptr, Less{}, splits}();
}
"""


def run(bench):
    n = 2**20 if bench.quick else 2**27
    random = cp.random.default_rng()
    a, b = (cp.sort(random.integers(1, 2**32, n, dtype=cp.uint32)) for _ in range(2))
    answer = cp.sort(cp.concatenate([a, b]))
    output = bench.output(2 * n, "uint32")
    d_a, d_b, d_out = map(bench.device.numba, (a, b, output.array))

    def ranks():
        merge_ranks_kernel[-(-2 * n // 256), 256](d_a, d_b, d_out)

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

    cases = [Case("merge-ranks", "Merge, a search for each element", PATH, ranks, output)]
    for id, title, kernel, shapes in (
        ("merge-path", "Merge along the merge path", PATH, SHAPES),
        ("merge", "Merge along the merge path, reads in flight", IN_FLIGHT, SHAPES_IN_FLIGHT),
    ):
        for threads, items in shapes:
            first = (threads, items) == shapes[0]
            call = path(threads, items, kernel is IN_FLIGHT)
            of = "" if first else f", {threads} threads, {items} results of each"
            own = id if first else f"{id}-{threads}-{items}"
            cases.append(Case(own, title + of, kernel, call, output))
    common = dict(size=2 * n, dtype="uint32", unit="GB/s", tolerance=0.0, bytes=16 * n)
    expected = answer.astype(cp.float64)
    with bench.part("merge"):
        bench.compare(cases, copy_of(bench, answer, output), expected, **common)
    best = path(*SHAPES_IN_FLIGHT[0], in_flight=True)
    for id, title, reference in (
        ("merge-vs-cub", "against CUB", cub(a, b, output)),
        (
            "merge-vs-sort",
            "against a sort of both",
            library("CuPy, cp.sort of both", lambda: cp.sort(cp.concatenate([a, b]))),
        ),
    ):
        with bench.part(f"merge {title}"):
            title = f"Merge along the merge path, reads in flight, {title}"
            bench.compare([Case(id, title, IN_FLIGHT, best, output)], reference, expected, **common)


def cub(a, b, output):
    """Return a Reference that merges as cub::DeviceMerge does, by two launches."""
    # Not by a RawModule's compiler: CuPy has CUB's headers of another version in its path.
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(languages._cubin(CUB, f"sm_{cp.cuda.Device().compute_capability}"))
        file.flush()
        module = cp.RawModule(path=file.name)
        splits_kernel, merge_kernel = map(module.get_function, ("cub_splits", "cub_merge"))
    tiles = -(-output.array.size // CUB_TILE)
    splits = cp.empty(tiles + 1, cp.int64)
    sizes = cp.int64(a.size), cp.int64(b.size)

    def call():
        of_splits = a, sizes[0], b, sizes[1], cp.int64(splits.size), splits
        splits_kernel((-(-splits.size // 256),), (256,), of_splits)
        merge_kernel((tiles,), (512,), (a, sizes[0], b, sizes[1], output.array, splits))

    return Reference("cub::DeviceMerge::MergeKeys", call, output)
