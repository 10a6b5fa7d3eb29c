"""Profiles of one-line changes: a multistage product, a warp's lanes, a norm, L1, a merge.

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
from numba import cuda, int32

from benchmarks.harness import MIB, ROOT, BenchmarkError, Summary, rounded
from benchmarks.micro.one_change_gemm import launch_of, variants
from benchmarks.micro.profiles import METRICS, STALL, STALLS, number
from benchmarks.tensor_cores import narrow
from kernels.hopper.multistage import multistage_kernel
from kernels.memory_hierarchy.working_set import reread_kernel
from kernels.merge.in_flight import make_merge_in_flight
from kernels.merge.merge_path import make_merge
from kernels.norms.row import EPS, FULL, make_full_norm
from kernels.tensor_cores import wgmma
from kernels.tensor_cores.tma import tensor_map

N = 4096
MORE = METRICS | {
    "l1_hit_share": "l1tex__t_sector_hit_rate.pct",
    "registers": "launch__registers_per_thread",
}
NAMES = "tuned|warps|multistage|wgmma_k|reread|full_norm|merge_in_flight"


def launches():
    """Return (id, title, part of the kernel's name, launch), in the order of the launches."""
    a, b, c = (cuda.device_array((N, N), np.float32) for _ in range(3))
    for id, (what, *of) in variants().items():
        yield f"sgemm-{id}", f"SGEMM {N}, {what}", of[1].py_func.__name__, partial(
            launch_of(*of, N), a, b, c)  # fmt: skip
    bits = [narrow(cp.random.default_rng(1).standard_normal((N, N), dtype=cp.float32))
            for _ in range(2)]  # fmt: skip
    out = cp.empty((N, N), cp.uint16)
    boxes = zip((*bits, out), (wgmma.BM, wgmma.BK, 64), strict=True)
    maps = cuda.as_cuda_array(cp.asarray(np.concatenate([tensor_map(*box) for box in boxes])))
    blocks = cuda.get_current_device().MULTIPROCESSOR_COUNT
    for id, kernel, threads in (
        ("multistage", multistage_kernel, 256),
        ("specialized", wgmma.wgmma_kernel, 384),
    ):
        yield id, f"bfloat16 product of {N}, {id}", kernel.py_func.__name__, partial(
            wgmma.launch, kernel, blocks, threads, wgmma.SHARED, maps,
            *(int32(N),) * 3)  # fmt: skip
    rows, columns = 8192, 32768
    x, to = (cuda.device_array(rows * columns, np.float32) for _ in range(2))
    weight = cuda.device_array(columns, np.float32)
    for far in (0, 16, 66, 132):
        how = FULL[columns, False] | {"ahead": far}
        kernel = make_full_norm(width=columns // how["threads"], centered=False, **how)
        sizes = np.uint32(rows), np.uint32(columns)
        yield f"rmsnorm-ahead-{far}", f"RMSnorm of rows of {columns}, {far} ahead", "norm", partial(
            kernel[rows, (how["threads"], 1)], x, weight, weight, *sizes, EPS, to)  # fmt: skip
    sums = cuda.device_array(8 * blocks * 256, np.int64)
    for size in (1, 16, 64):
        data = cuda.to_device(np.ones(size * MIB // 8, np.int64))
        yield f"reread-{size}mib", f"{size} MiB read again and again", "reread", partial(
            reread_kernel[8 * blocks, 256], data, 1000, sums)  # fmt: skip
    yield from merges(2**26)


def merges(n):
    """Merges of the same arrays by blocks of other shapes: registers, occupancy, who waits."""
    random = cp.random.default_rng(1)
    a, b = (cp.sort(random.integers(1, 2**32, n, dtype=cp.uint32)) for _ in range(2))
    out = cp.empty(2 * n, cp.uint32)
    for threads, items in ((256, 15), (256, 19), (256, 23), (512, 15)):
        tiles = -(-2 * n // (threads * items))
        splits = cp.empty(tiles + 1, cp.int64)
        first, _ = make_merge(cp.uint32, threads, items)
        first[-(-splits.size // 128), 128](a, b, splits)
        title = f"merge of 2^26 and 2^26 keys, {threads} threads and {items} results each"
        yield (
            f"merge-{threads}-{items}",
            title,
            "merge_in_flight",
            partial(
                make_merge_in_flight(cp.uint32, threads, items)[tiles, threads], a, b, splits, out
            ),
        )


def once():
    for *_, launch in launches():
        launch()
        cuda.synchronize()


def profile():
    """Return (kernel's name, {metric: number}) for every launch of a kernel that is named above."""
    ncu = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin")
    if not ncu:
        raise BenchmarkError("ncu is not on the PATH: Nsight Compute comes with the CUDA toolkit")
    metrics = [*MORE.values(), *(STALL.format(reason) for reason in STALLS)]
    options = "--clock-control none --csv --page raw --print-units base".split()
    done = subprocess.run(
        [ncu, *options, "-k", f"regex:{NAMES}", "--metrics", ",".join(metrics),
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
            fields = {f: values[m] for f, m in MORE.items()}
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
            told = {f: extra.get(f) for f in ("shared_wavefronts", "l1_hit_share", "profiled_us")}
            worst = sorted((-v, f) for f, v in extra.items() if f.startswith("stall_"))[:4]
            bench.say(f"[{bench.name}]   {id}: {told} {worst}")


if __name__ == "__main__":
    once()
