"""What two constants without a type cost: the MLIR lesson's kernel in double and single."""

import contextlib
import io
import tempfile

import cupy as cp

from benchmarks.harness import MIB, BenchmarkError, rounded
from benchmarks.micro.common import COLD

KERNEL = "kernels/compilers/fahrenheit.py"


def run(bench):
    # The file writes its machine code into the working directory, and prints it.
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        with contextlib.redirect_stdout(io.StringIO()):
            from kernels.compilers.fahrenheit import cuda, to_fahrenheit, to_fahrenheit_single
    with bench.part("constants in double and in single precision"):
        count = (1 if bench.quick else 256) * MIB // 4
        c, f = bench.random(count), cp.zeros(count, cp.float32)
        exact = 1.8 * c.astype(cp.float64) + 32
        here, there = (cuda.as_cuda_array(a, sync=False) for a in (c, f))
        calls = {
            "fahrenheit-double": to_fahrenheit,
            "fahrenheit-single": to_fahrenheit_single,
        }
        launches = {id: kernel[-(-count // 256), 256] for id, kernel in calls.items()}
        for id, launch in launches.items():
            f.fill(cp.nan)
            launch(here, there)
            if not cp.allclose(f, exact, rtol=1e-6, atol=1e-5):
                raise BenchmarkError(f"{id}: wrong")
        times = bench.samples({id: lambda go=go: go(here, there) for id, go in launches.items()})
        for id, words in (("double", "without a type"), ("single", "of float32")):
            seconds = times[f"fahrenheit-{id}"].median
            bench.micro(
                f"fahrenheit-{id}",
                f"Celsius to Fahrenheit of {count:,} float32, constants {words}",
                times[f"fahrenheit-{id}"], unit="us", kernel=KERNEL,
                method=f"{COLD}; numba-cuda-mlir, a thread for each element",
                terms=["mlir-and-llvm"],
                extra={
                    "gbps": rounded(8 * count / seconds / 1e9),
                    "gain": rounded(times["fahrenheit-double"].median / seconds),
                },
            )  # fmt: skip
