"""One-line changes of matrix products: order of the blocks, of the products, of a warp's lanes."""

import types
from functools import partial

import cupy as cp
import numpy as np
from numba import cuda

from benchmarks.gemm import BEST, STEPS, square
from benchmarks.harness import ROOT, BenchmarkError, rounded
from benchmarks.micro.common import COLD
from benchmarks.tensor_cores import MMA_STAGES, MMA_WIDTH, STAGE, Bfloat16, narrow, widen
from kernels.gemm.tuned import make_tuned
from kernels.gemm.warps import make_warps

HERE = "benchmarks/micro/one_change_gemm.py"
TUNED, WARPS = "kernels/gemm/tuned.py", "kernels/gemm/warps.py"
MMA = "snippets/tensor_cores/mma_sync.cu"
STAGES = dict((id, of) for id, _, of in STEPS)["stages"]
# Neighbors n and n ^ 1 share a row of the warp's lanes, n and n ^ 2 a column: both reads take two.
LANES = (
    ("lane // 4 * 4)", "(lane // 2 % 2 + lane // 8 * 2) * 4)"),
    ("lane % 4 * 4)", "(lane % 2 + lane // 4 % 2 * 2) * 4)"),
)
IN_ORDER = (
    "from kernels.gemm.vectors import add_products, fetch, write",
    "from kernels.gemm.vectors import fetch, write\n"
    "from benchmarks.micro.one_change_gemm import add_in_order as add_products",
)


def run(bench):
    small = bench.quick
    with bench.part("float32 products"):
        products(bench, 512 if small else 4096)
    with bench.part("mma.sync, its blocks in plain order"):
        plain_order(bench, 512 if small else 8192)


def edited(path, *changes):
    """Return a module made of a file's text with some words changed."""
    text = (ROOT / path).read_text(encoding="utf-8")
    for old, new in changes:
        if old not in text:
            raise BenchmarkError(f"{path}: {old!r} is not there")
        text = text.replace(old, new)
    module = types.ModuleType("edited_" + path.split("/")[-1].removesuffix(".py"))
    exec(compile(text, path, "exec"), module.__dict__)
    return module


@cuda.jit(device=True, forceinline=True)
def add_in_order(a_frag, b_frag, acc):
    """``add_products`` with every row from left to right."""
    for i in range(a_frag.size):
        for j in range(b_frag.size):
            acc[i, j] += a_frag[i] * b_frag[j]


def tuned(make, of, group=None):
    """Return a kernel, its tile and its threads."""
    BM, BN, BK, warps_y, warps_x, stages, blocks, own = of
    kernel = make(BM, BN, BK, warps_y, warps_x, stages, blocks, group=group or own)
    return kernel, (BM, BN), 32 * warps_y * warps_x


def variants():
    """Return {id: (what, file, kernel, tile, threads)}."""
    in_order = edited(TUNED, IN_ORDER).make_tuned
    by_pairs = edited(TUNED, *LANES).make_tuned
    warps_by_pairs = edited(WARPS, *LANES).make_warps
    big = (128, 128)
    return {
        "stages": ("a third stage", TUNED, *tuned(make_tuned, STAGES)),
        "stages-plain": ("a third stage, blocks in plain order", TUNED,
                         *tuned(make_tuned, STAGES, group=1)),
        "tuned": ("tuned", TUNED, *tuned(make_tuned, BEST)),
        "tuned-in-order": ("tuned, no serpentine", TUNED, *tuned(in_order, BEST)),
        "tuned-by-pairs": ("tuned, lanes renumbered", TUNED, *tuned(by_pairs, BEST)),
        "warps": ("warp tiles", WARPS, make_warps(128, 128, 8, 2, 4), big, 256),
        "warps-by-pairs": ("warp tiles, lanes renumbered", WARPS,
                           warps_by_pairs(128, 128, 8, 2, 4), big, 256),
    }  # fmt: skip


def launch_of(file, kernel, tile, threads, n):
    """Return the configured kernel for n x n matrices: one dimension where it is a tuned one."""
    down, across = -(-n // tile[0]), -(-n // tile[1])
    return kernel[down * across if file == TUNED else (across, down), threads]


def products(bench, n):
    _, _, arrays, output, _, expected = square(bench, n)
    calls, found = {}, variants()
    for name, (_, *of) in found.items():
        calls[f"one-change-sgemm-{name}"] = call = partial(launch_of(*of, n), *arrays)
        bench.check(name, call, output, expected, 1e-5)
    for (id, summary), (what, file, *_) in zip(
        bench.samples(calls).items(), found.values(), strict=True
    ):
        bench.micro(id, f"SGEMM {n} x {n} x {n} in Numba, {what}", summary, unit="TFLOP/s",
                    amount=2 * n**3, method=COLD, kernel=file,
                    extra={"us": rounded(summary.median * 1e6)})  # fmt: skip


def plain_order(bench, n):
    bits = [narrow(bench.random((n, n))) for _ in range(2)]
    expected = widen(bits[0]).astype(cp.float64) @ widen(bits[1]).astype(cp.float64)
    output, text = Bfloat16(bench.xp, (n, n)), (ROOT / MMA).read_text(encoding="utf-8")
    grid, calls = (-(-n // 128) * -(-n // MMA_WIDTH),), {}
    for band in (16, 1):
        code = text.replace("BAND = 16;", f"BAND = {band};")
        if f"BAND = {band};" not in code:
            raise BenchmarkError(f"{MMA}: BAND = 16 is not there")
        kernel = cp.RawModule(code=code, options=("-std=c++17",)).get_function("mma_sync")
        kernel.max_dynamic_shared_size_bytes = shared = MMA_STAGES * STAGE
        given = *bits, output.array, *(np.int32(n),) * 3
        id = f"one-change-mma-sync-band-{band}"
        calls[id] = partial(kernel, grid, (MMA_WIDTH,), given, shared_mem=shared)
        bench.check(id, calls[id], output, expected, 5e-3)
    for id, summary in bench.samples(calls).items():
        bench.micro(id, f"mma.sync, CUDA C++, bfloat16, {n} x {n} x {n}, {id.split('-')[-1]} tile"
                    " rows at a time", summary, unit="TFLOP/s", amount=2 * n**3, method=COLD,
                    kernel=MMA)  # fmt: skip
