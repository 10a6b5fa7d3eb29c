"""Profiles: what Nsight Compute says of the matmul rungs and of 1 to 64 warps, as records.

``run`` starts this module under the profiler, ``python -m benchmarks.micro.profiles N``, which
launches each kernel once at the size N.
"""

import csv
import io
import os
import re
import shutil
import subprocess
import sys

from benchmarks.harness import ROOT, BenchmarkError, Summary, rounded

SIZE = 4096
# Why a warp that is there does not issue, by the names of Nsight Compute
STALLS = (
    "barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle",
    "long_scoreboard", "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instruction",
    "not_selected", "selected", "short_scoreboard", "sleeping", "tex_throttle", "wait",
)  # fmt: skip
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
# field of a record: metric of Nsight Compute. A field that ends in _share is a percentage there.
METRICS = {
    "issue_share": "smsp__issue_active.avg.pct_of_peak_sustained_active",
    "shared_share": "l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
    "l1_data_share": "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed",
    "l2_share": "lts__t_sectors.avg.pct_of_peak_sustained_elapsed",
    "l2_hit_share": "lts__t_sector_hit_rate.pct",
    "dram_share": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "fma_pipe_share": "sm__inst_executed_pipe_fma.avg.pct_of_peak_sustained_active",
    "occupancy_share": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "eligible_warps": "smsp__warps_eligible.avg.per_cycle_active",
    "instructions": "smsp__inst_executed.sum",
    "multiply_adds": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
    "shared_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "bank_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
    "l1_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "l2_sectors": "lts__t_sectors.sum",
    "l2_read_requests": "lts__t_requests_srcunit_tex_op_read.sum",
    "l2_read_sectors": "lts__t_sectors_srcunit_tex_op_read.sum",
    "l1_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "l1_wavefronts": "l1tex__data_pipe_lsu_wavefronts.sum",
    "dram_read_bytes": "dram__bytes_read.sum",
    "dram_bytes": "dram__bytes.sum",
    "profiled_us": "gpu__time_duration.sum",
    "sm_cycles": "sm__cycles_elapsed.max",
}
NEEDED = ("issue_share", "instructions", "shared_wavefronts", "l2_sectors", "dram_bytes")
WARPS = (1, 4, 8, 16, 32, 48, 64)
OFFSETS, STRIDES = (0, 1, 8, 16, 32, 64), (1, 8, 16, 32)
READS = 2**24  # threads of the reads with an offset and with a stride
IN_CUDA = ("naive", "tiled", "column", "rectangle")  # the twins that are profiled too


def kernels(n: int, multiprocessors: int) -> list[tuple]:
    """Return (id, title, path, name of the function, launch) for each launch, in order.

    ``launch`` takes device arrays a, b, c of n x n float32 and a table, and launches once.
    """
    from benchmarks.gemm import LADDER, STEPS, TWINS
    from benchmarks.micro.latency_hiding import launch_of
    from kernels.gemm.tuned import make_tuned
    from kernels.latency_hiding.wait_and_work import wait_and_work_kernel
    from kernels.memory_hierarchy.offset_read import offset_kernel
    from kernels.memory_hierarchy.strided_read import strided_kernel
    from kernels.naive_matmul.matmul import matmul_swapped_kernel

    found = []
    for id, title, kernel, tile, threads in LADDER:
        wide, high = -(-n // tile[1]), -(-n // tile[0])
        grid = (high, wide) if kernel is matmul_swapped_kernel else (wide, high)
        path = kernel.py_func.__module__.replace(".", "/") + ".py"

        def launch(a, b, c, table, kernel=kernel, grid=grid, threads=threads):
            kernel[grid, threads](a, b, c)

        name = kernel.py_func.__name__
        found.append((f"profile-sgemm-{id}", f"{title}, Numba", path, name, launch))
    for id, title, tile in STEPS:
        kernel = make_tuned(*tile[:-1], group=tile[-1])
        grid = -(-n // tile[0]) * -(-n // tile[1])

        def launch(a, b, c, table, kernel=kernel, grid=grid, threads=32 * tile[3] * tile[4]):
            kernel[grid, threads](a, b, c)

        name, path = kernel.py_func.__name__, "kernels/gemm/tuned.py"
        found.append((f"profile-sgemm-{id}", f"{title}, Numba", path, name, launch))
    for id, title, _, tile, threads in LADDER:
        if id in IN_CUDA:
            path, name = TWINS[id]
            grid = (-(-n // tile[1]), -(-n // tile[0]))
            launch = cuda_cpp(path, name, grid, threads, n)
            found.append((f"profile-sgemm-cuda-{id}", f"{title}, CUDA C++", path, name, launch))
    for count in WARPS:
        blocks, threads = launch_of(count)

        def launch(a, b, c, table, grid=blocks * multiprocessors, threads=threads):
            wait_and_work_kernel[grid, threads](table, 64, c.reshape(n * n))

        path, title = (
            "kernels/latency_hiding/wait_and_work.py",
            f"{count} warps on a multiprocessor",
        )
        found.append(
            (f"profile-hiding-{count}", title, path, wait_and_work_kernel.py_func.__name__, launch)
        )
    for offset in OFFSETS:

        def launch(a, b, c, table, offset=offset):
            offset_kernel[READS // 256, 256](table, offset, c.reshape(n * n)[:READS])

        path, title = "kernels/memory_hierarchy/offset_read.py", f"reads from element {offset} on"
        found.append((f"profile-read-offset-{offset}", title, path, "offset_kernel", launch))
    for stride in STRIDES:

        def launch(a, b, c, table, stride=stride):
            strided_kernel[READS // 256, 256](table, stride, c.reshape(n * n)[:READS])

        path, title = "kernels/memory_hierarchy/strided_read.py", f"reads {stride} elements apart"
        found.append((f"profile-read-stride-{stride}", title, path, "strided_kernel", launch))
    return found


def cuda_cpp(path, name, grid, threads, n):
    """Return a launch of a kernel in CUDA C++, made for the GPU at hand."""
    import cupy as cp

    code = (ROOT / path).read_text(encoding="utf-8")
    kernel = cp.RawModule(code=code, options=("-std=c++17",)).get_function(name)
    sizes = (cp.int32(n),) * 3

    def launch(a, b, c, table):
        kernel(grid, threads, (*map(cp.asarray, (a, b, c)), *sizes))

    return launch


def once(n: int) -> None:
    """Launch every kernel once, in order; no other kernel of a GPU runs in this process."""
    import numpy as np
    from numba import cuda

    random = np.random.default_rng(1)
    a, b = (cuda.to_device(random.standard_normal((n, n), dtype=np.float32)) for _ in range(2))
    c = cuda.device_array((n, n), np.float32)
    rows = 2**24  # of 128 bytes: 2 GiB
    table = cuda.to_device(np.full(32 * rows, 0.25, np.float32))
    for *_, launch in kernels(n, cuda.get_current_device().MULTIPROCESSOR_COUNT):
        launch(a, b, c, table)
    cuda.synchronize()


def profile(n: int) -> list[tuple[str, dict[str, float]]]:
    """Return (kernel's name, {metric: number}) for every launch that the profiler saw."""
    ncu = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin")
    if not ncu:
        raise BenchmarkError("ncu is not on the PATH: Nsight Compute comes with the CUDA toolkit")
    metrics = [*METRICS.values(), *(STALL.format(reason) for reason in STALLS)]
    while True:
        options = "--clock-control none --csv --page raw --print-units base --metrics".split()
        done = subprocess.run(
            [ncu, *options, ",".join(metrics), sys.executable, "-m", __spec__.name, str(n)],
            cwd=ROOT, env=os.environ | {"LOCKSTEP_TARGET": "numba-cuda"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        unknown = {
            m for m in metrics if re.search(rf"(?i)find metric.*{re.escape(m)}", done.stdout)
        }
        if not unknown:
            break
        print(f"this profiler has no {', '.join(sorted(unknown))}", flush=True)
        metrics = [m for m in metrics if m not in unknown]
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = [row for row in csv.DictReader(io.StringIO("\n".join(lines))) if row.get("ID")]
    if done.returncode or not rows:
        raise BenchmarkError(f"ncu ended with {done.returncode}: {done.stdout[-2000:]}")
    return [(row["Kernel Name"], {m: number(row.get(m)) for m in metrics}) for row in rows]


def number(text: str | None) -> float | None:
    """Return a cell of the profiler's table as a number, or None where it has none."""
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        return None


def run(bench):
    n = 1024 if bench.quick else SIZE
    with bench.part("Nsight Compute"):
        seen = profile(n)
        about = kernels(n, bench.device.multiprocessors)
        if len(seen) != len(about) or any(
            name not in got for (*_, name, _), (got, _) in zip(about, seen, strict=True)
        ):
            raise BenchmarkError(f"the profiler saw other kernels: {[name for name, _ in seen]}")
        for (id, title, path, _, _), (_, values) in zip(about, seen, strict=True):
            fields = {f: values.get(m) for f, m in METRICS.items()}
            fields |= {f"stall_{reason}": values.get(STALL.format(reason)) for reason in STALLS}
            lacking = [f for f in NEEDED if fields.get(f) is None]
            if lacking:
                raise BenchmarkError(f"{id}: Nsight Compute gave no {', '.join(lacking)}")
            extra = {
                field: rounded(value / (100 if field.endswith("_share") else 1))
                for field, value in fields.items()
                if value is not None
            }
            if "profiled_us" in extra:  # base units: ns
                extra["profiled_us"] = rounded(extra["profiled_us"] / 1e3)
            bench.say(
                f"[{bench.name}]   {id}: " + ", ".join(f"{k} {v:.4g}" for k, v in extra.items())
            )
            bench.micro(
                id,
                f"Issue slots in use, {title}" + (f", {n} x {n}" if "sgemm" in id else ""),
                Summary(extra["issue_share"], 0.0, 1),
                unit="%",
                kernel=path,
                method="Nsight Compute, one launch, the clock left alone; stalls are warps that"
                " wait for a reason, for each instruction that is issued",
                terms=["nsight-compute", "stall", "warp-scheduler"],
                extra=extra,
            )


if __name__ == "__main__":
    once(int(sys.argv[1]))
