"""The heat equation on one GPU and on two with MPI: halos by way of the host, and overlapped."""

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


def run(bench):
    with bench.part("heat equation, staged"):
        heat(bench, "staged")


def heat(bench, way, *options):
    """Add rows for one way of moving halos: on one rank and on two, overlapped and not."""
    rounds = 5 if bench.quick else 20
    one = measured(1, "staged", rounds)
    for how in ((), ("overlap",)):
        two = measured(GPUS, way, rounds, *how, options=options)
        for name, samples in two.items():
            kind, n = name.split()
            alone, both = summarize(one[name]), summarize(samples)
            ideal = 1 if kind == "weak" else 1 / GPUS
            bench.micro(
                f"heat-{kind}-{n}-{'-'.join([way, *how])}",
                f"A step of the heat equation on a plate of {n} x {n}"
                + (" for each GPU" if kind == "weak" else "")
                + f", {GPUS} GPUs, halos {way}{', overlapped' if how else ''}",
                both,
                unit="us",
                kernel=PROGRAM,
                method="mpi4py, a process a GPU, wall clock of the slowest rank over 20 steps",
                terms=["rank"],
                extra={
                    "efficiency": rounded(ideal * alone.median / both.median),
                    "one_us": rounded(1e6 * alone.median),
                },
            )


def measured(ranks, way, rounds, *how, options=()):
    """Return the seconds of a step in each round, for each plate. The program checks itself."""
    command = ["mpirun", "-n", str(ranks), *options, sys.executable, PROGRAM, way, *how]
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
