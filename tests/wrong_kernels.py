"""The known-wrong kernels of the lessons, and the tool that must catch each on a GPU.

``python -m tests.wrong_kernels NAME`` launches one, in a process of its own: it may do harm.
``make gpu`` runs each under compute-sanitizer and fails where the tool finds nothing.
"""

import sys
from importlib import import_module

import numpy as np


def no_guard(cuda, kernel):
    """Six threads for five elements. The tool must see the one that is outside."""
    a, b, out = (cuda.to_device(np.arange(5, dtype=np.float32)) for _ in range(3))
    kernel[3, 2](a, b, out)


def or_guard(cuda, kernel):
    """Blocks that stick out to the right and below."""
    a = cuda.to_device(np.arange(15, dtype=np.float32).reshape(3, 5))
    b = cuda.to_device(np.arange(20, dtype=np.float32).reshape(5, 4))
    kernel[(1, 2), (8, 2)](a, b, cuda.to_device(np.zeros((3, 4), np.float32)))


def no_barrier(cuda, kernel):
    """A matrix of several whole tiles."""
    a = cuda.to_device(np.arange(48 * 32, dtype=np.float32).reshape(48, 32))
    kernel[(2, 3), (16, 16)](a, cuda.to_device(np.zeros((32, 48), np.float32)))


# module of kernels/wrong -> kernel, launch, tool, what the tool must say
CASES = {
    "vector_add_no_guard": ("add_no_guard_kernel", no_guard, "memcheck", "Invalid __global__"),
    "matmul_or_guard": ("matmul_or_guard_kernel", or_guard, "memcheck", "Invalid __global__"),
    "transpose_no_barrier": ("transpose_no_barrier_kernel", no_barrier, "racecheck", "hazard"),
}


def launch(name):
    """Launch one wrong kernel and wait for it."""
    from numba import cuda

    kernel, run, _, _ = CASES[name]
    run(cuda, getattr(import_module(f"kernels.wrong.{name}"), kernel))
    cuda.synchronize()


if __name__ == "__main__":
    launch(sys.argv[1])
