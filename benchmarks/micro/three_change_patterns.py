"""Experiments that pages of patterns ask for: one cure at a time, and the ways not taken.

What each cure of a top-k brings; a compaction by an atomic counter, and by tiles of other sizes;
rows of a norm that are asked for ahead, and hints that change places.
"""

from functools import partial

import cupy as cp
import numpy as np
from numba import cuda, int32, uint32

from benchmarks.compact import one_pass
from benchmarks.harness import BenchmarkError, rounded
from benchmarks.micro.common import COLD
from benchmarks.micro.one_change_gemm import edited
from benchmarks.norms import expected as normalized
from kernels.norms.hints import load4_first, load4_kept, load4_once, load4_shared
from kernels.norms.row import EPS, FULL, make_full_norm
from kernels.top_k.select import BINS, choose_kernel, collect_kernel, count_kernel
from kernels.top_k.wide import choose_block_kernel, make_collect, make_count

WIDE = "kernels/top_k/wide.py"


def run(bench):
    small = bench.quick
    with bench.part("top-k, one cure after the other"):
        cures(bench, 2**20 if small else 2**28)
    with bench.part("compaction by a counter, and by smaller tiles"):
        compactions(bench, 2**20 if small else 2**28)
    with bench.part("norms of 16,384 columns that ask ahead"):
        ahead(bench, 256 if small else 16384, 16384)
    with bench.part("norms of 32,768 columns with each other's hints"):
        hints(bench, 256 if small else 8192, 32768)


# ---------------------------------------------------------------- top-k

ONE_COLUMN = (
    ("COUNTERS = 32 * BINS", "COUNTERS = BINS"),
    ("np.uint32(digit * np.uint32(32) + lane)", "digit"),
    ("        for d in range(tid // 32, BINS, threads // 32):"
     "  # a warp adds up the lanes of a digit\n"
     "            total = local[32 * d + lane]\n"
     "            for half in (16, 8, 4, 2, 1):\n"
     "                total += cuda.shfl_down_sync(0xFFFFFFFF, total, half)\n"
     "            if lane == 0 and total > 0:\n"
     "                cuda.atomic.add(counts, d, total)\n",
     "        for d in range(tid, BINS, threads):\n"
     "            if local[d] > 0:\n"
     "                cuda.atomic.add(counts, d, local[d])\n"),
)  # fmt: skip


def cures(bench, n, k=1000, threads=1024, vectors=4):
    x = cp.random.default_rng().integers(1, 2**31, n, dtype=cp.uint32)
    answer, output = cp.sort(x)[-k:].astype(cp.float64), bench.output(k, "uint32")
    known, counts, taken = cp.empty(3, cp.int64), cp.zeros(BINS, cp.int32), cp.empty(2, cp.int32)
    start, blocks = cp.array([0, 0, k]), 2 * bench.device.multiprocessors
    d_x, d_known, d_counts, d_taken, d_out = map(
        bench.device.numba, (x, known, counts, taken, output.array)
    )
    alone, together = choose_kernel[1, 1], choose_block_kernel[1, BINS]
    one_column = edited(WIDE, *ONE_COLUMN).make_count(threads, vectors)
    columns, collect = make_count(threads, vectors), make_collect(threads, vectors)
    ways = {
        "4-byte": (count_kernel, alone, collect_kernel),
        "block-chooses": (count_kernel, together, collect_kernel),
        "16-byte": (one_column, together, collect),
        "columns": (columns, together, collect),
    }
    said = {
        "4-byte": "4 bytes a read, one thread chooses",
        "block-chooses": "4 bytes a read, a block chooses",
        "16-byte": "16 bytes a read, a block chooses",
        "columns": "16 bytes a read, a block chooses, counters for each lane",
    }

    def select(count, choose, collect):
        known[:] = start
        taken.fill(0)
        for shift in (24, 16, 8, 0):
            count[blocks, threads](d_x, d_known, shift, d_counts)
            choose(d_counts, shift, d_known)
        collect[blocks, threads](d_x, d_known, d_taken, d_out)
        output.array.sort()  # in no order until here

    calls = {f"three-change-top-k-{name}": partial(select, *way) for name, way in ways.items()}
    for id, call in calls.items():
        bench.check(id, call, output, answer, 0)
    for id, summary in bench.samples(calls).items():
        what = said[id.removeprefix("three-change-top-k-")]
        bench.micro(id, f"The {k:,} largest of 2^28, {what}", summary, unit="ms", method=COLD,
                    kernel=WIDE, terms=["atomic-operation"])  # fmt: skip


# ---------------------------------------------------------------- compaction


@cuda.jit
def lanes_draw_kernel(x, out, count):
    i = cuda.grid(1)
    if i < x.size and x[i] > 0:
        out[cuda.atomic.add(count, 0, 1)] = x[i]


@cuda.jit
def warps_draw_kernel(x, out, count):
    """A warp draws once: as many places as its lanes keep."""
    i, lane = cuda.grid(1), uint32(cuda.laneid)
    keeps = i < x.size and x[i] > 0
    kept = uint32(cuda.ballot_sync(0xFFFFFFFF, keeps))
    first = int32(0)
    if lane == 0 and kept != 0:
        first = cuda.atomic.add(count, 0, int32(cuda.popc(kept)))
    first = cuda.shfl_sync(0xFFFFFFFF, first, 0)
    if keeps:
        before = kept & uint32((uint32(1) << lane) - uint32(1))
        out[first + cuda.popc(before)] = x[i]


def compactions(bench, n):
    x, numba = bench.random(n), bench.device.numba
    answer = x[x > 0]
    output = bench.output(answer.size)
    d_x, d_out, count = numba(x), numba(output.array), cp.zeros(1, cp.int32)
    d_count, calls = numba(count), {}

    def draw(kernel):
        count.fill(0)
        kernel[-(-n // 256), 256](d_x, d_out, d_count)

    in_order = cp.sort(answer)
    for name, kernel in (("lanes", lanes_draw_kernel), ("warps", warps_draw_kernel)):
        id = f"three-change-compact-{name}"
        calls[id] = partial(draw, kernel)
        output.poison()
        calls[id]()
        if not bool((cp.sort(output.array) == in_order).all()):
            raise BenchmarkError(f"{id}: wrong")
    del in_order
    kept = cp.zeros(1, cp.int64)
    d_kept = numba(kept)
    for threads, rows in ((128, 2), (128, 4), (128, 6), (128, 8), (128, 10), (256, 4), (256, 6)):
        id = f"three-change-compact-{threads}x{rows}"
        calls[id] = one_pass(numba, d_x, d_out, d_kept, threads, rows)
        bench.check(id, calls[id], output, answer, 0)
    said = {
        "lanes": "each lane draws its place from a counter",
        "warps": "a warp draws the places of its lanes from a counter",
    }
    for id, summary in bench.samples(calls).items():
        name = id.removeprefix("three-change-compact-")
        threads, _, rows = name.partition("x")
        what = said.get(name, f"one pass, {threads} threads and {rows} rows a warp")
        gbps = rounded(4 * (n + answer.size) / summary.median / 1e9)
        bench.micro(id, f"Compaction of 2^28 float32: {what}", summary, unit="us", method=COLD,
                    terms=["atomic-operation"], extra={"gbps": gbps})  # fmt: skip


# ---------------------------------------------------------------- norms


def norms(bench, rows, columns, ways):
    """Check and time norms: id to (title, a layernorm?, how ``make_full_norm`` makes it)."""
    x, weight, bias = bench.random((rows, columns)), bench.random(columns), bench.random(columns)
    output = bench.output((rows, columns))
    flat, w, b = (bench.device.numba(a) for a in (x.reshape(-1), weight, bias))
    to, sizes = bench.device.numba(output.array.reshape(-1)), (np.uint32(rows), np.uint32(columns))
    calls = {}
    for centered in (False, True):
        right = normalized(x, weight, bias if centered else None)
        for id, (_, of, how) in ways.items():
            if of == centered:
                kernel = make_full_norm(width=columns // how["threads"], centered=of, **how)
                calls[id] = partial(
                    kernel[rows, (how["threads"], 1)], flat, w, b if of else w, *sizes, EPS, to
                )
                bench.check(id, calls[id], output, right, 2e-6)
        del right
    for id, summary in bench.samples(calls).items():
        bench.micro(id, f"{ways[id][0]} of {rows} rows of {columns} float32", summary, unit="GB/s",
                    amount=8 * rows * columns, method=COLD, kernel="kernels/norms/row.py",
                    extra={"us": rounded(summary.median * 1e6)})  # fmt: skip


def ahead(bench, rows, columns):
    ways = {}
    for name, centered in (("rmsnorm", False), ("layernorm", True)):
        for far in (0, 66, 132, 264):
            how = {"threads": 512, "blocks": 2, "ahead": far}
            ways[f"three-change-{name}-{columns}-ahead-{far}"] = (
                f"{name}, asked for {far} rows ahead,", centered, how)  # fmt: skip
    norms(bench, rows, columns, ways)


def hints(bench, rows, columns):
    pairs = {
        "evict": {"load": load4_first, "load_weights": load4_kept},
        "allocate": {"load": load4_once, "load_weights": load4_shared},
    }
    ways = {}
    for name, centered in (("rmsnorm", False), ("layernorm", True)):
        for pair, loads in pairs.items():
            ways[f"three-change-{name}-{pair}"] = (
                f"{name}, hints {pair},", centered, FULL[columns, centered] | loads)  # fmt: skip
    norms(bench, rows, columns, ways)
