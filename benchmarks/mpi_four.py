"""The heat equation on one, two and four GPUs of a machine, with MPI: halos by way of the host."""

import json
import os
import subprocess
import sys

from benchmarks.harness import BenchmarkError, rounded, summarize
from benchmarks.mpi import MPI, PROGRAM

GPUS = 4
RANKS = (2, 4)


def run(bench):
    rounds = 5 if bench.quick else 20
    one = measured(bench, 1, rounds, "staged")
    for ranks in RANKS:
        for how in (["staged"], ["staged", "overlap"]):
            with bench.part(f"{ranks} GPUs, {' '.join(how)}"):
                rows(bench, how, ranks, one, measured(bench, ranks, rounds, *how))


def rows(bench, how, ranks, one, several):
    """Add a row for each plate: the ranks' time, and how far it is from the ideal."""
    for name, samples in several.items():
        kind, n = name.split()
        alone, together = summarize(one[name]), summarize(samples)
        ideal = 1 if kind == "weak" else 1 / ranks
        bench.micro(
            f"heat-{kind}-{n}-{'-'.join(how)}-{ranks}",
            f"A step of the heat equation on a plate of {n} x {n}"
            + (" for each GPU" if kind == "weak" else "")
            + f", {ranks} of {GPUS} GPUs, halos {', '.join(how)}",
            together,
            unit="us",
            kernel=PROGRAM,
            method="mpi4py with Open MPI, a process a GPU, wall clock of the slowest rank over 20 "
            "steps",
            terms=["rank"],
            extra={
                "efficiency": rounded(ideal * alone.median / together.median),
                "one_us": rounded(1e6 * alone.median),
                "gpus": ranks,
            },
        )


def measured(bench, ranks, rounds, *how):
    """Return the seconds of a step in each round, for each plate. The program checks itself."""
    command = ["mpirun", "-n", str(ranks), sys.executable, PROGRAM, *how, "json", str(rounds)]
    bench.say(f"  {' '.join(command)}")
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, env=os.environ | MPI
        )
    except subprocess.TimeoutExpired:
        raise BenchmarkError(f"{' '.join(command)} did not end within 60 s") from None
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode or len(lines) != 1:
        raise BenchmarkError(f"{' '.join(command)}: {done.stderr[-400:]}")
    found = json.loads(lines[0])
    for name in ("strong 16384", "weak 16384"):
        bench.say(f"  {ranks} ranks, {name}: {1e6 * summarize(found[name]).median:.0f} us a step")
    return found
