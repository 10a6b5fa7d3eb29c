"""The known-wrong kernels of the lessons, and the tool that must catch each on a GPU.

``python -m tests.wrong_kernels NAME`` launches one, in a process of its own: it may do harm.
``make gpu`` runs each under compute-sanitizer and fails where the tool finds nothing.

The other modules of kernels/wrong access no memory outside an array and have no race in shared
memory, so no tool can see them: their results are wrong, and tests compare those.
"""

import sys
from importlib import import_module
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent


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


def one_barrier(cuda, kernel):
    """Several rounds of whole tiles."""
    a, b, c = (cuda.to_device(np.ones((32, 32), np.float32)) for _ in range(3))
    kernel[(2, 2), (16, 16)](a, b, c)


def own_wait(cuda, kernel):
    """Eight warps, which use each other's copies."""
    a, out = (cuda.to_device(np.arange(256, dtype=np.float32)) for _ in range(2))
    kernel[1, 256](a, out)


def first_guard(cuda, kernel):
    """Six rows of results in portions of four."""
    a = cuda.to_device(np.ones((7, 3), np.float32))
    kernel[(1, 2), (4, 1)](a, cuda.to_device(np.zeros((6, 3), np.float32)))


# CUDA C++, through CuPy. Each array is an allocation of its own and no multiple of the GPU's 512
# bytes, so that what follows it belongs to nobody.


def add(cp, kernel):
    """128 threads for 127 elements."""
    a, b, out = (cp.asarray(np.arange(127, dtype=np.float32)) for _ in range(3))
    kernel((2,), (64,), (a, b, out, np.int64(127)))


def square(cp, kernel):
    """128 threads for 127 elements."""
    kernel((2,), (64,), (cp.asarray(np.arange(127, dtype=np.float32)), np.int64(127)))


def whoami(cp, kernel):
    """128 threads for 127 elements."""
    arrays = [cp.asarray(np.zeros(127, np.int32)) for _ in range(3)]
    kernel((2,), (64,), (*arrays, np.int64(127)))


def matmul(cp, kernel):
    """Blocks that stick out to the right and below of a result of 3 x 4."""
    a, b, c = (cp.asarray(np.ones(size, np.float32)) for size in (3 * 5, 5 * 4, 3 * 4))
    kernel((1, 2), (8, 2), (a, b, c, np.int32(3), np.int32(4), np.int32(5)))


def gray(cp, kernel):
    """Blocks that stick out to the right and below of an image of 7 x 5 pixels."""
    color, result = (cp.asarray(np.ones(size, np.uint8)) for size in (3 * 35, 35))
    kernel((2, 3), (4, 2), (color, result, np.int32(7), np.int32(5)))


# name -> kernel, launch, tool, what the tool must say. The kernel is a function of the module
# kernels/wrong/<name>.py or, as CUDA C++, a file and the text to replace in it.
CASES = {
    "vector_add_no_guard": ("add_no_guard_kernel", no_guard, "memcheck", "Invalid __global__"),
    "matmul_or_guard": ("matmul_or_guard_kernel", or_guard, "memcheck", "Invalid __global__"),
    "coarsened_first_guard": (
        "coarsened_first_guard_kernel",
        first_guard,
        "memcheck",
        "Invalid __global__",
    ),
    "tiled_one_barrier": ("tiled_one_barrier_kernel", one_barrier, "racecheck", "hazard"),
    "pipeline_own_wait": ("pipeline_own_wait_kernel", own_wait, "racecheck", "hazard"),
    "transpose_no_barrier": ("transpose_no_barrier_kernel", no_barrier, "racecheck", "hazard"),
} | {
    f"{Path(file).name}: {new}": ((file, old, new), run, "memcheck", "Invalid __global__")
    for file, old, new, run in (
        ("snippets/vector_add/add.cu", "i < n", "i <= n", add),
        ("snippets/execution_model/square.cu", "i < n", "i <= n", square),
        ("snippets/threads_and_blocks/whoami.cu", "i < n", "i <= n", whoami),
        ("snippets/naive_matmul/matmul.cu", "row >= m", "row > m", matmul),
        ("snippets/naive_matmul/matmul.cu", "column >= n", "column > n", matmul),
        ("snippets/pmpp_1_4/gray.cu", "x < width", "x <= width", gray),
        ("snippets/pmpp_1_4/gray.cu", "y < height", "y <= height", gray),
    )
}
CUDA_CPP = [name for name, case in CASES.items() if not isinstance(case[0], str)]


def planted(name):
    """Return the CUDA C++ of a file with one guard made wrong, and the name of its kernel."""
    file, old, new = CASES[name][0]
    text = (ROOT / file).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{file} holds {old!r} {text.count(old)} times"
    wrong = text.replace(old, new)
    assert wrong != text
    return wrong, Path(file).stem


def launch(name):
    """Launch one wrong kernel and wait for it."""
    kernel, run, _, _ = CASES[name]
    if name in CUDA_CPP:
        import cupy

        code, symbol = planted(name)
        with cupy.cuda.using_allocator(None):  # CuPy's pool would hide what is outside
            run(cupy, cupy.RawModule(code=code).get_function(symbol))
        cupy.cuda.runtime.deviceSynchronize()
        return
    from numba import cuda

    run(cuda, getattr(import_module(f"kernels.wrong.{name}"), kernel))
    cuda.synchronize()


if __name__ == "__main__":
    launch(sys.argv[1])
