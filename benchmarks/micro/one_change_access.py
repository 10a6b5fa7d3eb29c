"""Experiments of one change each: widths of indices, of reads, and what a flush leaves behind."""

from functools import partial

import cupy as cp
import numpy as np

from benchmarks.harness import ROOT, BenchmarkError
from benchmarks.micro.common import COLD
from benchmarks.micro.one_change_gemm import edited
from kernels.convolution.filter import HIGH, WIDE, make_filter_tile
from kernels.elementwise.wide import copy4_kernel
from kernels.gather.gather import gather_kernel
from kernels.gather.rows import gather_rows_kernel
from kernels.histogram.counts import BINS, histogram_shared_kernel
from kernels.matvec.wide import THREADS, make_matvec, plan
from kernels.merge.in_flight import make_merge_in_flight
from kernels.merge.merge_path import make_merge
from kernels.transpose.tile import (
    BM,
    BY,
    transpose_direct_kernel,
    transpose_tile_kernel,
)

TILE, FILTER = "kernels/transpose/tile.py", "kernels/convolution/filter.py"
COUNTS = "kernels/histogram/counts.py"
SWIGLU = "snippets/torch_extension/swiglu.cu"


def run(bench):
    small = bench.quick
    with bench.part("transpose"):
        transposes(bench, 512 if small else 16384)
    with bench.part("a filter through a tile"):
        filters(bench, 512 if small else 8192)
    with bench.part("a histogram"):
        histograms(bench, 2**20 if small else 2**28)
    with bench.part("gather"):
        gathers(bench, 2**20 if small else 2**27)
    with bench.part("what the flush leaves in L2"):
        flushes(bench, 2**22 if small else 2**26, *((2048, 2048) if small else (4096, 14336)))
    with bench.part("SwiGLU in CUDA C++"):
        gates(bench, 2**20 if small else 2**26)
    with bench.part("merge"):
        merges(bench, 2**20 if small else 2**27)


# ---- What changes: (words of the file, words in their place)

COLUMNS_FIRST = (("x, y = cuda.grid(2)", "y, x = cuda.grid(2)"),)
LOOP = "    for y in range(ty, BM, BY):\n"
COUNTED = ((LOOP, "    for k in range(BM // BY):\n        y = ty + k * BY\n"),)
# Every index as uint32: none can be below zero, and Numba asks that of none.
UINT32 = (
    ("from numba import cuda", "from numba import cuda, uint32"),
    ("= cuda.threadIdx.x, cuda.threadIdx.y",
     "= uint32(cuda.threadIdx.x), uint32(cuda.threadIdx.y)"),
    ("= cuda.blockIdx.x * BM, cuda.blockIdx.y * BM",
     "= uint32(cuda.blockIdx.x * BM), uint32(cuda.blockIdx.y * BM)"),
    ("rows, columns = a.shape\n    for",
     "rows, columns = uint32(a.shape[0]), uint32(a.shape[1])\n    for"),
    *((there, f"uint32({there})") for there in ("top + y", "left + tx", "left + y", "top + tx")),
)  # fmt: skip
STRIDED_UINT32 = (
    (LOOP, "    for step in range(ty, BM, BY):\n        y = uint32(step)\n"), *UINT32,
)  # fmt: skip
COUNTED_UINT32 = (
    (LOOP, "    for k in range(BM // BY):\n        y = uint32(ty + k * BY)\n"), *UINT32,
)  # fmt: skip
FILTER_UINT32 = (
    ("from numba import cuda, float32, int32", "from numba import cuda, float32, int32, uint32"),
    ("tx, ty = int32(cuda.threadIdx.x), int32(cuda.threadIdx.y)",
     "tx, ty = uint32(cuda.threadIdx.x), uint32(cuda.threadIdx.y)"),
    ("for r in range(ty, tile_high, HIGH):\n            for s in range(tx, tile_wide, WIDE):\n",
     "for step_r in range(ty, tile_high, HIGH):\n"
     "            for step_s in range(tx, tile_wide, WIDE):\n"
     "                r, s = uint32(step_r), uint32(step_s)\n"),
    ("value = x[row, column]", "value = x[uint32(row), uint32(column)]"),
    ("tile[ty + r, tx + s] * taps[r, s]",
     "tile[uint32(ty + r), uint32(tx + s)] * taps[uint32(r), uint32(s)]"),
    ("out[i, j] = total", "out[uint32(i), uint32(j)] = total"),
)  # fmt: skip
SIXTEEN_BYTES = (
    ("import numpy as np\n",
     "import numpy as np\nfrom kernels.elementwise.vectors import load4\n"),
    ("    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):\n"
     "        if 0 <= x[i] < BINS:\n"
     "            cuda.atomic.add(local, x[i], np.uint32(1))\n",
     "    for i in range(4 * cuda.grid(1), x.size, 4 * cuda.gridsize(1)):\n"
     "        for value in load4(x, i):\n"
     "            if 0 <= value < BINS:\n"
     "                cuda.atomic.add(local, value, np.uint32(1))\n"),
)  # fmt: skip


# ---------------------------------------------------------------- transpose


def transposes(bench, n):
    a, output = bench.random((n, n)), bench.output((n, n))
    d_a, d_out = bench.device.numba(a), bench.device.numba(output.array)
    tiles, direct = (-(-n // BM), -(-n // BM)), (-(-n // 32), -(-n // 8))
    calls = {
        "direct": transpose_direct_kernel[direct, (32, 8)],
        "columns-first": edited(TILE, *COLUMNS_FIRST).transpose_direct_kernel[direct, (32, 8)],
        "tile": transpose_tile_kernel[tiles, (BM, BY)],
        "tile-uint32": edited(TILE, *STRIDED_UINT32).transpose_tile_kernel[tiles, (BM, BY)],
        "tile-counted": edited(TILE, *COUNTED).transpose_tile_kernel[tiles, (BM, BY)],
        "tile-uint32-counted": edited(TILE, *COUNTED_UINT32).transpose_tile_kernel[tiles, (BM, BY)],
    }
    said = {
        "direct": "reads along rows, writes down columns",
        "columns-first": "reads down columns, writes along rows",
        "tile": "a padded tile, indices as Numba types them",
        "tile-uint32": "a padded tile, indices uint32",
        "tile-counted": "a padded tile, loops over range(4)",
        "tile-uint32-counted": "a padded tile, indices uint32 and loops over range(4)",
    }
    calls = {f"one-change-transpose-{name}": partial(call, d_a, d_out)
             for name, call in calls.items()}  # fmt: skip
    expected = cp.ascontiguousarray(a.T)
    for id, call in calls.items():
        bench.check(id, call, output, expected, 0)
    for id, summary in bench.samples(calls).items():
        what = said[id.removeprefix("one-change-transpose-")]
        bench.micro(id, f"Transpose of {n} x {n} float32: {what}", summary, unit="GB/s",
                    amount=8 * n * n, method=COLD, terms=["memory-coalescing"])  # fmt: skip


# ---------------------------------------------------------------- convolution


def filters(bench, n):
    x, output = bench.random((n, n)), bench.output((n, n))
    w = np.random.default_rng(7).standard_normal((7, 7)).astype(np.float32)
    d_x, d_out = bench.device.numba(x), bench.device.numba(output.array)
    grid, narrow = (-(-n // WIDE), -(-n // HIGH)), edited(FILTER, *FILTER_UINT32).make_filter_tile
    calls = {
        "one-change-filter-tile": partial(make_filter_tile(w)[grid, (WIDE, HIGH)], d_x, d_out),
        "one-change-filter-uint32": partial(narrow(w)[grid, (WIDE, HIGH)], d_x, d_out),
    }
    wide = cp.pad(x, 3).astype(cp.float64)
    expected = sum(w[r, s] * wide[r : r + n, s : s + n] for r in range(7) for s in range(7))
    for id, call in calls.items():
        bench.check(id, call, output, expected, 1e-5)
    del wide, expected
    for id, summary in bench.samples(calls).items():
        what = "uint32" if id.endswith("32") else "int32"
        bench.micro(id, f"7 x 7 filter of {n} x {n} through a tile, indices {what}", summary,
                    unit="us", method=COLD, terms=["shared-memory"])  # fmt: skip


# ---------------------------------------------------------------- histogram


def histograms(bench, n):
    x = cp.random.default_rng().integers(0, 256, n, dtype=cp.int32)
    output = bench.output(BINS, "uint32")
    d_x, d_out = bench.device.numba(x), bench.device.numba(output.array)
    blocks = 2 * bench.device.multiprocessors
    kernels = {
        "one-change-histogram-4-bytes": histogram_shared_kernel,
        "one-change-histogram-16-bytes": edited(COUNTS, *SIXTEEN_BYTES).histogram_shared_kernel,
    }

    def launch(kernel):
        output.array.fill(0)
        kernel[blocks, 1024](d_x, d_out)

    calls = {id: partial(launch, kernel) for id, kernel in kernels.items()}
    expected = cp.bincount(x, minlength=BINS).astype(cp.uint32)
    for id, call in calls.items():
        bench.check(id, call, output, expected, 0)
    for id, summary in bench.samples(calls).items():
        width = id.split("-")[-2]
        bench.micro(id, f"Histogram of 2^28 int32, atomics in shared memory, {width} bytes a read",
                    summary, unit="GB/s", amount=4 * n, method=COLD,
                    terms=["atomic-operation"])  # fmt: skip


# ---------------------------------------------------------------- gather


def gathers(bench, n):
    x, output = bench.random(n), bench.output(n)
    d_x, d_out = bench.device.numba(x), bench.device.numba(output.array)
    calls, kept = {}, {}
    for piece in (1, 2, 4, 8, 16, 32):
        starts = cp.random.permutation(n // piece).astype(cp.int32) * piece
        kept[piece] = (starts[:, None] + cp.arange(piece, dtype=cp.int32)).ravel()
        d_indices = bench.device.numba(kept[piece])
        id = f"one-change-gather-{piece}"
        calls[id] = partial(gather_kernel[-(-n // 256), 256], d_x, d_indices, d_out)
        bench.check(id, calls[id], output, x[kept[piece]], 0)
    for id, summary in bench.samples(calls).items():
        piece = id.split("-")[-1]
        what = f"{piece} neighbors at a time" if piece != "1" else "each at random"
        bench.micro(id, f"Gather of 2^27 float32, {what}", summary, unit="GB/s",
                    amount=12 * n, method=COLD, terms=["memory-coalescing"])  # fmt: skip
    width = 1024
    table, rows = x.reshape(-1, width), output.array.reshape(-1, width)
    count = len(table)
    orders = {
        "in-order": cp.arange(count, dtype=cp.int32),
        "random": cp.random.permutation(count).astype(cp.int32),
    }
    calls = {}
    for name, order in orders.items():
        arrays = [bench.device.numba(array) for array in (table, order, rows)]
        id = f"one-change-rows-{name}"
        calls[id] = partial(gather_rows_kernel[-(-32 * count // 256), 256], *arrays)
        bench.check(id, calls[id], output, x.reshape(-1, width)[order].ravel(), 0)
    for id, summary in bench.samples(calls).items():
        what = "in order" if id.endswith("order") else "at random"
        bench.micro(id, f"Gather of rows of {width} float32, {what}", summary, unit="GB/s",
                    amount=8 * n + 4 * count, method=COLD, terms=["memory-coalescing"])  # fmt: skip


# ---------------------------------------------------------------- the harness's flush


class ReadingTimer:
    """The harness's timer, whose large buffer is read after it was written: what L2 holds then is
    clean, and no line of it has to be written to memory while the call runs."""

    def __init__(self, timer):
        self.timer = timer
        self.numbers = timer.buffer.view(cp.float32)
        self.total = cp.empty((), cp.float32)

    def __call__(self, call):
        timer = self.timer
        timer.buffer.data.memset_async(1, timer.buffer.nbytes, cp.cuda.Stream.null)
        cp.sum(self.numbers, out=self.total)
        timer.start.record(cp.cuda.Stream.null)
        call()
        timer.end.record(cp.cuda.Stream.null)
        timer.end.synchronize()
        return cp.cuda.get_elapsed_time(timer.start, timer.end) / 1e3


def flushes(bench, n, rows, columns):
    a, b = bench.random(n), cp.empty(n, cp.float32)
    d_a, d_b = bench.device.numba(a), bench.device.numba(b)
    matrix, x = bench.random((rows, columns)), bench.random(columns)
    lanes, per, count, share = plan(rows, columns)
    parts = cp.empty((count, rows), cp.float32)
    blocks = -(-rows * lanes // (per * THREADS)), count
    kernel = make_matvec(lanes, per, True)[blocks, THREADS]
    numba = bench.device.numba
    arguments = (numba(matrix.reshape(-1)), numba(x), np.uint32(rows), np.uint32(columns),
                 np.uint32(share), numba(parts))  # fmt: skip
    calls = {
        "copy": (partial(copy4_kernel[-(-n // 1024), 256], d_a, d_b), 8 * n, f"A copy of {n}"),
        "matvec": (partial(kernel, *arguments), 4 * rows * columns,
                   f"A matrix of {rows} x {columns} times a vector"),
    }  # fmt: skip
    calls["copy"][0](), calls["matvec"][0]()
    right = matrix.astype(cp.float64) @ x.astype(cp.float64)
    if (
        not bool((a == b).all())
        or not float(abs(parts.sum(axis=0) - right).max() / abs(right).max()) < 1e-4
    ):
        raise BenchmarkError("what the flush leaves: wrong")
    timers = {"written": bench.device.timer, "read": ReadingTimer(bench.device.timer)}
    for how, timer in timers.items():
        times = bench.samples({name: call for name, (call, *_) in calls.items()}, timer)
        for name, summary in times.items():
            _, _, what = calls[name]
            bench.micro(f"one-change-flush-{how}-{name}",
                        f"{what}, after a large buffer was {how} last", summary, unit="us",
                        method=COLD, terms=["l2-cache"])  # fmt: skip


# ---------------------------------------------------------------- the extension's kernel

WIDE_GATE = """
extern "C" __global__ void wide(const float4* gate, const float4* up, float4* out, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 g = gate[i], u = up[i];
    out[i] = make_float4(g.x * sigmoid(g.x) * u.x, g.y * sigmoid(g.y) * u.y,
                         g.z * sigmoid(g.z) * u.z, g.w * sigmoid(g.w) * u.w);
  }
}
"""
EXACT, FAST = "T(1) / (T(1) + exp(-x))", "__fdividef(T(1), T(1) + __expf(-x))"


def gates(bench, n):
    source = (ROOT / SWIGLU).read_text(encoding="utf-8")
    if source.count(EXACT) != 1:
        raise BenchmarkError(f"{SWIGLU} has no {EXACT}")
    gate, up, output = bench.random(n), bench.random(n), bench.output(n)
    arguments, calls = (gate, up, output.array, np.int64(n)), {}
    for how, text in {"exact": source, "fast": source.replace(EXACT, FAST)}.items():
        names = ("forward<float>", "wide")
        module = cp.RawModule(code=text + WIDE_GATE, options=("-std=c++17",),
                              name_expressions=names[:1])  # fmt: skip
        one, four = map(module.get_function, names)
        calls[f"one-change-gate-{how}"] = partial(one, (-(-n // 256),), (256,), arguments)
        calls[f"one-change-gate-{how}-16-bytes"] = partial(
            four, (-(-n // 1024),), (256,), arguments
        )
    wide = gate.astype(cp.float64)
    expected = wide / (1 + cp.exp(-wide)) * up
    for id, call in calls.items():
        bench.check(id, call, output, expected, 1e-5)
    for id, summary in bench.samples(calls).items():
        how = "exact" if "exact" in id else "__expf and __fdividef"
        width = 16 if id.endswith("bytes") else 4
        bench.micro(id, f"SwiGLU of 2^26 in CUDA C++, {how}, {width} bytes a read", summary,
                    unit="GB/s", amount=12 * n, method=COLD, kernel=SWIGLU,
                    terms=["kernel-fusion"])  # fmt: skip


# ---------------------------------------------------------------- merge


def merges(bench, n):
    random = cp.random.default_rng()
    a, b = (cp.sort(random.integers(1, 2**32, n, dtype=cp.uint32)) for _ in range(2))
    answer, output = cp.sort(cp.concatenate([a, b])), bench.output(2 * n, "uint32")
    d_a, d_b, d_out = map(bench.device.numba, (a, b, output.array))
    calls = {}
    for items in (7, 8, 9, 11, 15):
        tiles = -(-2 * n // (256 * items))
        splits = bench.device.numba(cp.empty(tiles + 1, cp.int64))
        first, _ = make_merge(cp.uint32, 256, items)
        second = make_merge_in_flight(cp.uint32, 256, items)
        first[-(-splits.size // 128), 128](d_a, d_b, splits)
        id = f"one-change-merge-{items}"
        calls[id] = partial(second[tiles, 256], d_a, d_b, splits, d_out)
        bench.check(id, calls[id], output, answer, 0)
    for id, summary in bench.samples(calls).items():
        items = id.split("-")[-1]
        bench.micro(id, f"The second kernel of a merge, {items} results a thread, 256 threads",
                    summary, unit="GB/s", amount=16 * n, method=COLD,
                    terms=["shared-memory"])  # fmt: skip
