"""Attention in Triton with room for one program on a multiprocessor, beside two: do they wait?

Four stages take so much shared memory that a second program doesn't fit. ``run`` times both with
the clock read, and starts this module under the profiler, which says how many warps there were.
"""

import csv
import io
import os
import shutil
import subprocess
import sys
from functools import partial

import torch

from benchmarks.harness import ROOT, BenchmarkError, Summary, rounded
from benchmarks.micro.one_change_clock import Clocked, near
from benchmarks.micro.profiles import METRICS, STALL, STALLS, number
from kernels.in_triton.attention import flash_triton

KERNEL = "kernels/in_triton/attention.py"
DEPTH, HEADS = 128, 16
WAYS = {
    "two": ("two programs a multiprocessor", {}),
    "alone": ("one program a multiprocessor, four stages", {"num_stages": 4}),
    "8-warps": ("one tile of 128 by eight warps", {"BM": 128, "num_warps": 8}),
}


def calls(length):
    """Return {id: launch}, and the inputs and output that they share."""
    make = partial(torch.randn, 1, HEADS, length, DEPTH, device="cuda")
    q, k, v = (make().to(torch.bfloat16) for _ in range(3))
    out = torch.empty_like(q)
    made = {id: partial(flash_triton, q, k, v, False, out=out, **options)
            for id, (_, options) in WAYS.items()}  # fmt: skip
    return made, (q, k, v, out)


def run(bench):
    length = 1024 if bench.quick else 16384
    with bench.part("the clock"):
        clocked, (made, (q, k, v, out)) = Clocked(bench), calls(length)
        right = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        for id, call in made.items():
            out.fill_(float("nan"))
            call()
            near(f"attention, {id}", out.float(), right.float())
        for id, call in made.items():
            title = f"attention, {HEADS} heads x {length} x {DEPTH}, bfloat16: {WAYS[id][0]}"
            clocked.row(f"one-change-alone-{id}", title, call, 4 * HEADS * length**2 * DEPTH,
                        KERNEL)  # fmt: skip
    with bench.part("Nsight Compute"):
        for (id, (what, _)), values in zip(WAYS.items(), profile(), strict=True):
            fields = {f: values[m] for f, m in METRICS.items()}
            fields |= {f"stall_{reason}": values[STALL.format(reason)] for reason in STALLS}
            extra = {f: rounded(value / (100 if f.endswith("_share") else 1))
                     for f, value in fields.items() if value is not None}  # fmt: skip
            bench.micro(
                f"one-change-alone-profile-{id}", f"Issue slots in use, attention: {what}",
                Summary(extra["issue_share"], 0.0, 1), unit="%", kernel=KERNEL,
                method="Nsight Compute, one launch, the clock left alone; stalls are warps that"
                " wait for a reason, for each instruction that is issued",
                terms=["nsight-compute", "occupancy"], extra=extra,
            )  # fmt: skip
            told = "occupancy_share", "issue_share", "stall_barrier", "stall_wait"
            bench.say(f"[{bench.name}]   {id}: { ({f: extra.get(f) for f in told}) }")


def profile():
    """Return {metric: number} for the launch of each way."""
    ncu = shutil.which("ncu") or shutil.which("ncu", path="/usr/local/cuda/bin")
    if not ncu:
        raise BenchmarkError("ncu is not on the PATH: Nsight Compute comes with the CUDA toolkit")
    metrics = [*METRICS.values(), *(STALL.format(reason) for reason in STALLS)]
    options = "--clock-control none --csv --page raw --print-units base -k regex:flash".split()
    done = subprocess.run(
        [ncu, *options, "--metrics", ",".join(metrics), sys.executable, "-m", __spec__.name],
        cwd=ROOT, env=os.environ | {"LOCKSTEP_TARGET": "numba-cuda"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    rows = [row for row in csv.DictReader(io.StringIO("\n".join(lines))) if row.get("ID")]
    if done.returncode or len(rows) != len(WAYS):
        raise BenchmarkError(f"ncu ended with {done.returncode}: {done.stdout[-2000:]}")
    return [{m: number(row.get(m)) for m in metrics} for row in rows]


if __name__ == "__main__":
    for launch in calls(4096)[0].values():
        launch()
        torch.cuda.synchronize()
