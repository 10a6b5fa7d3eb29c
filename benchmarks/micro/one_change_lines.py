"""One-line changes: how far a norm asks ahead, counts that stay at home, a loop, a tile, the ends.

The last part is no change: each warp of the latency-hiding kernel also writes when it ended.
"""

import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import cupy as cp
import numpy as np
from numba import cuda, float32, uint32

from benchmarks.harness import GIB, MIB, ROOT, BenchmarkError, rounded, summarize
from benchmarks.micro.common import COLD
from benchmarks.micro.galaxy import FIXES, load
from benchmarks.micro.galaxy import PATH as GALAXY
from benchmarks.micro.latency_hiding import expected as sums_of
from benchmarks.micro.latency_hiding import launch_of
from benchmarks.norms import expected as normalized
from kernels.latency_hiding.wait_and_work import WORK
from kernels.memory_access.transpose import make_transpose
from kernels.norms.row import EPS, FULL, make_full_norm
from kernels.tensor_cores.ptx import ptx

HERE = "benchmarks/micro/one_change_lines.py"
ROW, COUNTS = "kernels/norms/row.py", "snippets/hopper/histogram.cu"
TILE = "kernels/memory_access/transpose.py"


def run(bench):
    small = bench.quick
    with bench.part("norms of 32,768 columns that ask ahead"):
        ahead(bench, 256 if small else 8192, 32768)
    with bench.part("counts that stay at home"):
        at_home(bench, 2**20 + 5 if small else 2**29 + 5)
    with bench.part("a tile of 16 rows"):
        tiles(bench, 512 if small else 8192)
    with bench.part("when warps end"):
        ends(bench, *((64 * MIB, 64) if small else (2 * GIB, 512)))
    with bench.part("stars, counted in 32 bits"):
        stars(bench, *((1024, 2**16) if small else (131_072, 2**20)))


def ahead(bench, rows, columns):
    x, weight, bias = bench.random((rows, columns)), bench.random(columns), bench.random(columns)
    output = bench.output((rows, columns))
    flat, w, b = (bench.device.numba(a) for a in (x.reshape(-1), weight, bias))
    to, sizes = bench.device.numba(output.array.reshape(-1)), map(np.uint32, (rows, columns))
    sizes, calls = tuple(sizes), {}
    for name, centered in (("rmsnorm", False), ("layernorm", True)):
        right = normalized(x, weight, bias if centered else None)
        for far in (0, 16, 66, 132):
            how = FULL[columns, centered] | {"ahead": far}
            kernel = make_full_norm(width=columns // how["threads"], centered=centered, **how)
            id = f"one-change-{name}-ahead-{far}"
            calls[id] = partial(
                kernel[rows, (how["threads"], 1)], flat, w, b if centered else w, *sizes, EPS, to
            )
            bench.check(id, calls[id], output, right, 2e-6)
        del right
    for id, summary in bench.samples(calls).items():
        _, _, name, _, far = id.split("-")
        bench.micro(id, f"{name} of {rows} rows of {columns} float32, asked for {far} rows ahead",
                    summary, unit="GB/s", amount=8 * rows * columns, method=COLD, kernel=ROW,
                    extra={"us": rounded(summary.median * 1e6)})  # fmt: skip


AWAY = """        unsigned there;  // the same place"""
HOME = """        if (value % CLUSTER == rank) {  // an ordinary atomic addition
            atomicAdd(own + value / CLUSTER, 1u);
            return;
        }
        unsigned there;  // the same place"""


def at_home(bench, n):
    x = cp.random.default_rng().integers(0, 65536, n, dtype=cp.uint32).astype(cp.uint16)
    right = cp.zeros(65536, cp.int64)
    for piece in cp.array_split(x, 16):  # bincount widens to 8 bytes each
        right += cp.bincount(piece, minlength=65536)
    text, output = (ROOT / COUNTS).read_text(encoding="utf-8"), bench.output(65536, "int32")
    if AWAY not in text:
        raise BenchmarkError(f"{COUNTS}: the line to change is not there")
    blocks, calls = bench.device.multiprocessors // 2 * 2, {}
    for name, way, code in (
        ("cluster", "histogram_cluster", text),
        ("cluster-at-home", "histogram_cluster", text.replace(AWAY, HOME)),
        ("halves", "histogram_halves", text),
    ):
        kernel = cp.RawModule(code=code, options=("-std=c++17",)).get_function(way)
        kernel.max_dynamic_shared_size_bytes = 131_072

        def call(kernel=kernel):
            output.array.fill(0)
            kernel((blocks,), (1024,), (x, cp.int64(n), output.array), shared_mem=131_072)

        calls[f"one-change-histogram-{name}"] = call
        bench.check(name, call, output, right.astype(cp.float64), 0.0)
    titles = ("two blocks share the counters, all counts through the cluster",
              "the same, but a block's own counts by atomicAdd",
              "two blocks that read all and count a half")  # fmt: skip
    for (id, summary), title in zip(bench.samples(calls).items(), titles, strict=True):
        bench.micro(id, f"Counts of 65,536 values, uniform: {title}", summary, unit="GB/s",
                    amount=2 * n, method=COLD, kernel=COUNTS, terms=["thread-block-cluster"],
                    extra={"us": rounded(summary.median * 1e6)})  # fmt: skip


@cuda.jit
def tile_16_kernel(a, out):
    """A tile of 16 x 32 by 512 threads, an element each; sides are multiples of 32."""
    tile = cuda.shared.array((16, 33), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    left, top = cuda.blockIdx.x * 32, cuda.blockIdx.y * 16
    tile[y, x] = a[top + y, left + x]
    cuda.syncthreads()
    thread = 32 * y + x
    out[left + thread // 16, top + thread % 16] = tile[thread % 16, thread // 16]


def tiles(bench, n):
    a, output = bench.random((n, n)), bench.output((n, n))
    d_a, d_out = bench.device.numba(a), bench.device.numba(output.array)
    calls, titles = {}, {}
    for rows in (32, 16, 8):
        id = f"one-change-transpose-32x{rows}"
        titles[id] = f"tiles of 32 x 32, {32 // rows} elements a thread"
        calls[id] = partial(make_transpose(rows, 1)[(n // 32, n // 32), (32, rows)], d_a, d_out)
    id = "one-change-transpose-tile-16"
    titles[id] = "tiles of 16 x 32, an element a thread, 512 threads"
    calls[id] = partial(tile_16_kernel[(n // 32, n // 16), (32, 16)], d_a, d_out)
    for id, call in calls.items():
        bench.check(id, call, output, a.T.astype(cp.float64), 0.0)
    for id, summary in bench.samples(calls).items():
        bench.micro(id, f"Transpose of {n} x {n} float32, padded, {titles[id]}", summary,
                    unit="GB/s", amount=8 * n * n, method=COLD, kernel=TILE,
                    extra={"us": rounded(summary.median * 1e6)})  # fmt: skip


time_now = ptx("mov.u64 %0, %globaltimer;", "=l")
processor = ptx("mov.u32 %0, %smid;", "=r")


@cuda.jit
def ends_kernel(table, steps, out, began, ended, where):
    """``wait_and_work_kernel``, but each warp also writes when it began, and ended, and where."""
    warp = uint32(cuda.grid(1) // 32)
    if cuda.threadIdx.x % 32 == 0:
        began[warp], where[warp] = time_now(), processor()
    last_row = uint32(table.size // 32 - 1)
    lane = uint32(cuda.threadIdx.x % 32)
    row = uint32(cuda.grid(1) // 32)
    x = total = float32(0)
    for _ in range(steps):
        row = (row * uint32(221) + uint32(12345) + uint32(x)) & last_row
        value = table[row * uint32(32) + lane]
        for _ in range(WORK):
            x = x * float32(0.5) + value
        total += x
    out[cuda.grid(1)] = total
    if cuda.threadIdx.x % 32 == 0:
        ended[warp] = time_now()


def ends(bench, size, steps):
    """Of 64 warps on a multiprocessor: how many are there on average until the last one ends."""
    warps = 64 * bench.device.multiprocessors
    table = (cp.random.default_rng().random(size // 4, dtype=cp.float32) / 2).clip(0, 0.4999)
    d_table, output = bench.device.numba(table), bench.output(32 * warps)
    wanted = sums_of(table, steps, warps)
    began, ended = (cp.zeros(warps, cp.uint64) for _ in range(2))
    where = cp.zeros(warps, cp.uint32)
    blocks, threads = launch_of(64)
    call = partial(
        ends_kernel[blocks * bench.device.multiprocessors, threads], d_table, steps,
        *map(bench.device.numba, (output.array, began, ended, where)),
    )  # fmt: skip
    bench.check("ends", call, output, wanted, 1e-4)
    there, first, half = [], [], []
    for _ in range(20):
        call()
        start, end, place = (a.get().astype(np.int64) for a in (began, ended, where))
        parts = []
        for one in np.unique(place):
            mine = place == one
            origin = start[mine].min()
            parts.append((end[mine] - origin) / (end[mine].max() - origin))
        parts = np.concatenate(parts)
        there.append(float(parts.mean()))
        first.append(float(np.percentile(parts, 5)))
        half.append(float(np.percentile(parts, 50)))
    bench.micro(
        "one-change-warps-there", "64 warps that wait and work: the share of them that is there,"
        " from the first one's start to the last one's end, on average over multiprocessors",
        summarize(there), unit="%", kernel=HERE,
        method=f"the global timer at each warp's start and end, {steps} steps, {len(there)}"
        " launches", terms=["latency-hiding", "occupancy"],
        extra={"first_share": rounded(float(np.median(first))),
               "half_share": rounded(float(np.median(half)))},
    )  # fmt: skip
    bench.say(f"[{bench.name}]   {bench.rows['microbenchmarks'][-1]}")


def stars(bench, count, grains):
    """The loop over stars as a range of 64 bits, and as a while loop in uint32."""
    loop = "        for j in range(np.uint64(x.size)):\n"
    counted = "        j, n = np.uint32(0), np.uint32(x.size)\n        while j < n:\n"
    last = "            sz += pull * dz\n"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / GALAXY, folder)
        for script in FIXES:
            subprocess.run(["bash", ROOT / script], cwd=folder, check=True, capture_output=True)
        text = (Path(folder) / "galaxy3.py").read_text(encoding="utf-8")
        if loop not in text or last not in text:
            raise BenchmarkError("galaxy3.py: the loop to change is not there")
        text = text.replace(loop, counted).replace(last, last + "            j += np.uint32(1)\n")
        (Path(folder) / "galaxy4.py").write_text(text, encoding="utf-8")
        modules = {name: load(Path(folder) / f"{name}.py") for name in ("galaxy3", "galaxy4")}
        for module in modules.values():
            module.step(count, grains, 1056, 256)  # checks each kernel against NumPy
        given = [bench.device.numba(bench.random(count)) for _ in range(4)]
        pulls = [bench.device.numba(cp.empty(count, cp.float32)) for _ in range(3)]
        calls = {
            f"one-change-stars-{way}": partial(
                modules[name].pull_kernel[-(-count // 256), 256], *given, *pulls
            )
            for way, name in (("range", "galaxy3"), ("while", "galaxy4"))
        }
        for id, summary in bench.samples(calls).items():
            way = "for j in range(np.uint64(n))" if "range" in id else "while j < n, in uint32"
            bench.micro(id, f"{count} stars pull, float32, fastmath: {way}", summary, unit="ms",
                        method=COLD, kernel=GALAXY,
                        extra={"gpairs": rounded(count**2 / summary.median / 1e9)})  # fmt: skip
