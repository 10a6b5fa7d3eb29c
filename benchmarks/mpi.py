"""The heat equation on two GPUs with a CUDA-aware MPI: halos by way of the host, and direct."""

import json
import os
import subprocess
import sys

from benchmarks.harness import BenchmarkError, rounded, summarize

GPUS = 2
PROGRAM = "snippets/mpi/heat_gpu.py"
MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_plm": "isolated",
}
TRANSPORT = ["--mca", "pml", "ob1", "--mca", "btl", "smcuda,self"]  # maps a peer's GPU memory


def run(bench):
    asked = subprocess.run(
        ["ompi_info", "--parsable", "--all"], capture_output=True, text=True, timeout=60
    )
    if "mpi_built_with_cuda_support:value:true" not in asked.stdout:
        raise BenchmarkError("the Open MPI on the PATH is not CUDA-aware: build one that is")
    rounds = 5 if bench.quick else 20
    with bench.part("heat equation"):
        one = measured(1, rounds, "staged")
        for how in (["staged"], ["staged", "overlap"], ["direct"], ["direct", "overlap"]):
            rows(bench, how, one, measured(GPUS, rounds, *how))


def rows(bench, how, one, two):
    """Add a row for each plate: two GPUs, and how far they are from the ideal."""
    for name, samples in two.items():
        kind, n = name.split()
        alone, both = summarize(one[name]), summarize(samples)
        ideal = 1 if kind == "weak" else 1 / GPUS
        bench.micro(
            f"heat-{kind}-{n}-{'-'.join(how)}",
            f"A step of the heat equation on a plate of {n} x {n}"
            + (" for each GPU" if kind == "weak" else "")
            + f", {GPUS} GPUs, halos {', '.join(how)}",
            both,
            unit="us",
            kernel=PROGRAM,
            method="mpi4py with an Open MPI built for CUDA, a process a GPU, wall clock of the "
            "slowest rank over 20 steps",
            terms=["rank"],
            extra={
                "efficiency": rounded(ideal * alone.median / both.median),
                "one_us": rounded(1e6 * alone.median),
            },
        )


def measured(ranks, rounds, *how):
    """Return the seconds of a step in each round, for each plate. The program checks itself."""
    command = ["mpirun", "-n", str(ranks), *TRANSPORT, sys.executable, PROGRAM, *how]
    done = subprocess.run(
        [*command, "json", str(rounds)],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | MPI,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or len(lines) != 1:
        raise BenchmarkError(f"{' '.join(command)}: {done.stderr[-400:]}")
    return json.loads(lines[0])
