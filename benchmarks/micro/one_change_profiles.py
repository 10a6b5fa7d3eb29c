"""More experiments of one change each, under Nsight Compute: barriers, empty places, instructions.

``run`` starts this module under the profiler, which launches each kernel once.
"""

import csv
import io
import os
import shutil
import subprocess
import sys
from functools import partial

import cupy as cp
import numpy as np
import torch
from numba import cuda

from benchmarks.harness import ROOT, BenchmarkError, Summary, rounded
from benchmarks.micro.one_change_code import with_constants
from benchmarks.micro.one_change_threads import (
    station_while_kernel,
    stride_1_loop_32_kernel,
    stride_1_loop_kernel,
)
from benchmarks.micro.profiles import METRICS, STALL, STALLS, number
from kernels.convolution.image import filter_launch
from kernels.gemm.coarsened import make_sums
from kernels.gemm.tiled import make_tiled
from kernels.in_triton.attention import flash_triton
from kernels.latency_hiding.stations import station_sums_4_kernel, station_sums_kernel
from kernels.memory_hierarchy.strided_read import strided_kernel
from kernels.norms.row import EPS, make_norm
from kernels.pmpp_15_20 import convolution
from kernels.vector_add.add import add_kernel

N = 4096


def launches():
    """Return (id, title, part of the kernel's name, launch), in the order of the launches."""
    a, b, c = (cuda.device_array((N, N), np.float32) for _ in range(3))
    flat_a, flat_b, flat_c = (x.reshape(N * N) for x in (a, b, c))
    many, few = N * N // 256, 8 * cuda.get_current_device().MULTIPROCESSOR_COUNT
    yield "add", "vector addition, an element a thread", "add_kernel", partial(
        add_kernel[many, 256], flat_a, flat_b, flat_c)  # fmt: skip
    for name, kernel, grid in (
        ("copy", strided_kernel, many),
        ("copy-loop", stride_1_loop_kernel, few),
        ("copy-loop-32", stride_1_loop_32_kernel, few),
    ):
        yield name, "reads side by side", kernel.py_func.__name__, partial(
            kernel[grid, 256], flat_a, 1, flat_c)  # fmt: skip
    for side in (16, 32):
        yield f"tile-{side}", f"SGEMM {N}, tiles of {side}", "tiled", partial(
            make_tiled(side)[(N // side, N // side), (side, side)], a, b, c)  # fmt: skip
    table, stations = cuda.device_array((8760, 2**15), np.float32), flat_c[: 2**15]
    for name, kernel in (
        ("range", station_sums_kernel),
        ("while", station_while_kernel),
        ("4", station_sums_4_kernel),
    ):
        yield f"stations-{name}", "sums for 32,768 stations", kernel.py_func.__name__, partial(
            kernel[256, 128], table, stations)  # fmt: skip
    weight, norm = flat_b[:128], make_norm(32, 4, True)
    for each in (1, 4):
        rows = N * N // 128
        yield f"layernorm-{each}", f"layernorm of rows of 128, {each} a block", "norm_kernel", (
            partial(norm[rows // each, (32, each)], flat_a, weight, weight, np.uint32(rows),
                    np.uint32(128), EPS, flat_c))  # fmt: skip
    tall = cuda.device_array((N + 7, N), np.float32)
    for factor in (1, 2, 4, 8):
        grid = N // 32, N // (8 * factor)
        yield f"coarsened-{factor}", f"sums of 8, {factor} results a thread", "sums_kernel", (
            partial(make_sums(8, factor)[grid, (32, 8)], tall, c))  # fmt: skip
    x, out = (cuda.device_array((8, 64, side, side), np.float32) for side in (56, 54))
    weights, pixels, tile = cuda.device_array((64, 576), np.float32), 8 * 54 * 54, convolution.TILE
    for name, kernel in (
        ("implicit", convolution.implicit_kernel),
        ("constants", convolution.make_product(with_constants(3, 54, 54, False))),
        ("constants-32", convolution.make_product(with_constants(3, 54, 54, True))),
    ):
        yield f"conv-{name}", f"a layer, {name}", "product_kernel", partial(
            kernel[(-(-pixels // tile), 64 // tile), (tile, tile)], weights, x, 3, out)  # fmt: skip
    photo, filtered = (cuda.device_array((1, 3000, 4000), np.float32) for _ in range(2))
    five = cuda.device_array((5, 5), np.float32)
    yield "photo-filter", "a 5 x 5 filter of a photo", "filter", partial(
        filter_launch, photo, five, filtered)  # fmt: skip
    for depth in (64, 128):
        q, k, v, out = (torch.zeros(1, 4096 // depth, 4096, depth, device="cuda").bfloat16()
                        for _ in range(4))  # fmt: skip
        yield f"attention-{depth}", f"attention of depth {depth}, Triton", "flash_kernel", partial(
            flash_triton, q, k, v, False, out=out)  # fmt: skip


def once():
    for *_, launch in launches():
        launch()
        cuda.synchronize()


def profile():
    """Return (kernel's name, {metric: number}) for every launch of a kernel that is named above."""
    ncu = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin")
    if not ncu:
        raise BenchmarkError("ncu is not on the PATH: Nsight Compute comes with the CUDA toolkit")
    metrics = [*METRICS.values(), *(STALL.format(reason) for reason in STALLS)]
    names = "add_kernel|strided|stride_1|tiled|station|norm_k|sums_k|product|filter|flash"
    options = "--clock-control none --csv --page raw --print-units base".split()
    done = subprocess.run(
        [ncu, *options, "-k", f"regex:{names}", "--metrics", ",".join(metrics),
         sys.executable, "-m", __spec__.name],
        cwd=ROOT, env=os.environ | {"LOCKSTEP_TARGET": "numba-cuda"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = [row for row in csv.DictReader(io.StringIO("\n".join(lines))) if row.get("ID")]
    if done.returncode or not rows:
        raise BenchmarkError(f"ncu ended with {done.returncode}: {done.stdout[-2000:]}")
    return [(row["Kernel Name"], {m: number(row.get(m)) for m in metrics}) for row in rows]


def run(bench):
    with bench.part("Nsight Compute"):
        seen, about = profile(), [each[:3] for each in launches()]
        cp.get_default_memory_pool().free_all_blocks()
        if len(seen) != len(about) or any(
            name not in got for (*_, name), (got, _) in zip(about, seen, strict=True)
        ):
            raise BenchmarkError(f"the profiler saw other kernels: {[name for name, _ in seen]}")
        for (id, title, _), (_, values) in zip(about, seen, strict=True):
            fields = {f: values[m] for f, m in METRICS.items()}
            fields |= {f"stall_{reason}": values[STALL.format(reason)] for reason in STALLS}
            extra = {f: rounded(value / (100 if f.endswith("_share") else 1))
                     for f, value in fields.items() if value is not None}  # fmt: skip
            bench.micro(
                f"one-change-profile-{id}", f"Issue slots in use, {title}",
                Summary(extra["issue_share"], 0.0, 1), unit="%",
                method="Nsight Compute, one launch, the clock left alone; stalls are warps that"
                " wait for a reason, for each instruction that is issued",
                terms=["nsight-compute", "stall"], extra=extra,
            )  # fmt: skip
            told = "occupancy_share", "instructions", "stall_barrier", "stall_long_scoreboard"
            bench.say(f"[{bench.name}]   {id}: { ({f: extra.get(f) for f in told}) }")


if __name__ == "__main__":
    once()
