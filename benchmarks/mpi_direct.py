"""The heat equation on two GPUs with a CUDA-aware MPI: halos straight from GPU memory."""

import subprocess

from benchmarks.harness import BenchmarkError
from benchmarks.mpi import heat

GPUS = 2


def run(bench):
    asked = subprocess.run(
        ["ompi_info", "--parsable", "--all"], capture_output=True, text=True, timeout=60
    )
    if "mpi_built_with_cuda_support:value:true" not in asked.stdout:
        raise BenchmarkError("the Open MPI on the PATH is not CUDA-aware: build one that is")
    with bench.part("heat equation, direct"):
        heat(bench, "direct", "--mca", "pml", "ob1", "--mca", "btl", "smcuda,self")
