"""The matmul ladder: every rung right at awkward sizes, and the machine code that its page names.

The rungs with instructions of our own need a compiler, so Numba's simulator runs the others. Where
it runs, what numba-cuda makes of each rung is looked at instead, in a process without simulator.
"""

import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numba import cuda

from kernels.gemm.ceiling import ceiling
from kernels.gemm.coarsened import make_sums, sums
from kernels.gemm.registers import make_column, make_rectangle
from kernels.gemm.running_sums import row_sums
from kernels.gemm.tiled import asked_bytes, make_tiled, matmul_tiled
from kernels.gemm.tiled_transposed import make_tiled_transposed, matmul_tiled_transposed
from lockstep_site.gpu import languages

# Read by `python -m lockstep gpu`; the pages of these kernels say the same.
NOT_ON = {"numba-cuda-mlir": "the kernels need intrinsics, which it has in another form"}
ROOT = Path(__file__).resolve().parent.parent
SIMULATOR = os.environ.get("NUMBA_ENABLE_CUDASIM") == "1"
GUARD = 37
# Shapes (m, k, n) of products; k and n that are multiples of four take another way.
SHAPES = [(1, 1, 1), (5, 3, 7), (9, 8, 12)]
LARGER = [(127, 129, 131), (129, 20, 132), (1, 131, 260), (257, 7, 1), (1153, 5, 260)]

# name -> kernel, rows and columns of a block's tile, threads, and whether the grid is flat
if SIMULATOR:
    RUNGS = {
        "tiled": (make_tiled(4), (4, 4), (4, 4), False),
        "column": (make_column(8, 8, 4, 4), (8, 8), (8, 2), False),
        "rectangle": (make_rectangle(8, 8, 4, 4, 2), (8, 8), (4, 2), False),
    }
else:
    from kernels.gemm.pipeline import make_pipeline
    from kernels.gemm.tuned import make_tuned
    from kernels.gemm.vectors import make_vectors
    from kernels.gemm.warps import make_warps

    SHAPES += LARGER
    big, wide = (128, 128), (128, 256)
    RUNGS = {
        "tiled": (make_tiled(16), (16, 16), (16, 16), False),
        "column": (make_column(64, 64, 16, 16), (64, 64), (64, 4), False),
        "rectangle": (make_rectangle(128, 128, 8, 8, 8), big, (16, 16), False),
        "vectors": (make_vectors(128, 128, 8, 8, 8), big, (16, 16), False),
        "pipeline": (make_pipeline(128, 128, 8, 8, 8), big, (16, 16), False),
        "pipeline, any": (make_pipeline(128, 128, 8, 8, 8, 3, 1), big, (16, 16), False),
        "warps": (make_warps(128, 128, 8, 2, 4), big, 256, False),
        "warps, any": (make_warps(128, 128, 8, 2, 4, vector_width=1), big, 256, False),
        "tuned": (make_tuned(128, 256, 8, 2, 4, 3, 1), wide, 256, True),
        "tuned, any": (make_tuned(128, 256, 8, 2, 4, 3, 1, 1), wide, 256, True),
        "padded": (make_vectors(128, 128, 8, 8, 8, 4), big, (16, 16), False),
        "ahead": (make_tuned(128, 128, 8, 2, 4, 2, 2, group=1), big, 256, True),
        "ahead, any": (make_tuned(128, 128, 8, 2, 4, 2, 2, 1, 1), big, 256, True),
        "grouped": (make_tuned(128, 128, 8, 2, 4, 2, 2), big, 256, True),
        "stages": (make_tuned(128, 128, 8, 2, 4, 3, 2), big, 256, True),
    }
# Their rows of b start at multiples of 16 bytes.
NEED_PIECES = {"pipeline", "warps", "tuned", "ahead", "grouped", "stages"}


def numbers(*shape):
    """Return small integers, so that every order of summation gives the same float32."""
    return np.random.default_rng(math.prod(shape)).integers(-9, 10, shape).astype(np.float32)


def check(launch, shape, expected):
    """Launch on a poisoned output with a guard behind it, and compare."""
    size = math.prod(shape)
    whole = cuda.to_device(np.full(size + GUARD, np.nan, np.float32))
    launch(whole[:size].reshape(*shape))
    host = whole.copy_to_host()
    assert np.isnan(host[size:]).all(), "written past the end"
    np.testing.assert_array_equal(host[:size].reshape(shape), expected)


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("shape", SHAPES)
def test_products(rung, shape):
    kernel, tile, threads, flat = RUNGS[rung]
    m, k, n = shape
    if rung in NEED_PIECES:
        n = -(-n // 4) * 4
    a, b = numbers(m, k), numbers(k, n)
    blocks = -(-n // tile[1]), -(-m // tile[0])
    grid = math.prod(blocks) if flat else blocks
    d_a, d_b = cuda.to_device(a), cuda.to_device(b)
    check(lambda c: kernel[grid, threads](d_a, d_b, c), (m, n), a @ b)


def test_products_on_the_host():
    a, b = numbers(7, 5), numbers(5, 9)
    np.testing.assert_array_equal(matmul_tiled(a, b, tile=4), a @ b)
    np.testing.assert_array_equal(matmul_tiled_transposed(a, b.T, tile=4), a @ b)


@pytest.mark.parametrize("shape", SHAPES[:3])
def test_tiled_transposed(shape):
    m, k, n = shape
    a, bt = numbers(m, k), numbers(n, k)
    grid, d_a, d_bt = (-(-n // 4), -(-m // 4)), cuda.to_device(a), cuda.to_device(bt)
    kernel = make_tiled_transposed(4)
    check(lambda c: kernel[grid, (4, 4)](d_a, d_bt, c), (m, n), a @ bt.T)


@pytest.mark.parametrize("coarse_factor", [1, 4])
@pytest.mark.parametrize("shape", [(2, 1), (5, 3), (14, 5)])
def test_sums(shape, coarse_factor):
    a = numbers(*shape)
    expected = a[:-1] + a[1:]
    grid = -(-shape[1] // 4), -(-expected.shape[0] // (2 * coarse_factor))
    d_a, kernel = cuda.to_device(a), make_sums(2, coarse_factor)
    check(lambda out: kernel[grid, (4, 2)](d_a, out), expected.shape, expected)
    np.testing.assert_array_equal(sums(a, 2, coarse_factor, threads=(4, 2)), expected)


@pytest.mark.parametrize("shape", [(1, 2), (3, 9), (2, 18)])
def test_row_sums(shape):
    a = numbers(*shape)
    np.testing.assert_array_equal(row_sums(a, 2, coarse_factor=4, threads=2), a[:, :-1] + a[:, 1:])


def test_ceiling():
    """As many operations as NVIDIA's data sheet gives an H200: 67 TFLOP/s."""
    assert round(ceiling(1, 1)) == 67 and ceiling(3, 4) == pytest.approx(0.75 * ceiling(1, 1))


def test_a_tile_divides_the_traffic():
    assert asked_bytes(64, 1) == 16 * asked_bytes(64, 16) == 2 * 64**3 * 4


def compiled(file, *names):
    """Compile CUDA C++ and assert that the kernels are in the cubin, under their plain names."""
    text = (ROOT / "snippets/gemm" / file).read_text(encoding="utf-8")
    cubin = languages.compile_cuda(SimpleNamespace(text=text, where=file))
    for name in names:
        assert f".text.{name}\0".encode() in cubin


def exact(array):
    """Return a copy on the GPU in an allocation of its own, so that a tool sees its end."""
    import cupy as cp

    with cp.cuda.using_allocator(None):
        return cp.asarray(array)


def loaded(file, *names):
    return made((ROOT / "snippets/gemm" / file).read_text(encoding="utf-8"), *names)


def made(text, *names):
    import cupy as cp

    module = cp.RawModule(code=text, options=("-std=c++17",))
    return [module.get_function(name) for name in names]


def test_cuda_cpp_copies():
    names = "copy_one", "copy_four"
    if SIMULATOR:
        return compiled("copies.cu", *names)
    for kernel, each in zip(loaded("copies.cu", *names), (1, 4), strict=True):
        for n in (1, 3, 4, 127, 129, 1009):
            a, out = exact(numbers(n)), exact(np.zeros(n, np.float32))
            kernel((-(-n // (32 * each)) + 1,), (32,), (a, out, np.int64(n)))
            assert np.array_equal(out.get(), a.get())


# The last rungs in CUDA C++ are one file with other constants.
SMALLER = {"BN": 128, "BK": 8, "TN": 8, "BLOCKS": 2}
CONSTANTS = {
    "deeper tiles": {},
    "tuned": {"BK": 8},
    "stages": SMALLER | {"STAGES": 3, "GROUP": 8},
    "grouped": SMALLER | {"STAGES": 2, "GROUP": 8},
    "ahead": SMALLER | {"STAGES": 2, "GROUP": 1},
}


@pytest.mark.parametrize("rung", CONSTANTS)
def test_cuda_cpp_sgemm(rung):
    names, given = ("sgemm", "sgemm_any"), CONSTANTS[rung]
    text = (ROOT / "snippets/gemm/sgemm.cu").read_text(encoding="utf-8")
    for name, value in given.items():
        text, found = re.subn(rf"\b{name} = \d+", f"{name} = {value}", text)
        assert found == 1, name
    if SIMULATOR:
        return None if given else compiled("sgemm.cu", *names)
    BN, BK = given.get("BN", 256), given.get("BK", 16)
    shared = 4 * given.get("STAGES", 3) * BK * (128 + 4 + BN)
    for kernel, n_of in zip(made(text, *names), (lambda n: -(-n // 4) * 4, int), strict=True):
        kernel.max_dynamic_shared_size_bytes = shared
        for m, k, n in ((m, k, n_of(n)) for m, k, n in SHAPES):
            a, b, c = map(
                exact, (numbers(m, k), numbers(k, n), np.full((m, n), np.nan, np.float32))
            )
            blocks, sizes = -(-m // 128) * -(-n // BN), map(np.int32, (m, n, k))
            kernel((blocks,), (256,), (a, b, c, *sizes), shared_mem=shared)
            np.testing.assert_array_equal(c.get(), a.get() @ b.get())


# CUDA C++: file, kernel, rows and columns of a block's results, its threads
TWINS = [
    ("tiled.cu", "tiled", (16, 16), (16, 16)),
    ("registers.cu", "column", (64, 64), (64, 4)),
    ("registers.cu", "rectangle", (128, 128), (16, 16)),
    ("vectors.cu", "vectors", (128, 128), (16, 16)),
    ("vectors.cu", "padded", (128, 128), (16, 16)),
    ("pipeline.cu", "pipeline", (128, 128), (16, 16)),
    ("pipeline.cu", "pipeline_any", (128, 128), (16, 16)),
    ("pipeline.cu", "warps", (128, 128), (256,)),
    ("pipeline.cu", "warps_any", (128, 128), (256,)),
]


@pytest.mark.parametrize(("file", "name", "tile", "threads"), TWINS, ids=[x[1] for x in TWINS])
def test_cuda_cpp_rungs(file, name, tile, threads):
    if SIMULATOR:
        return compiled(file, name)
    [kernel] = loaded(file, name)
    for m, k, n in SHAPES:
        if name in NEED_PIECES:
            n = -(-n // 4) * 4
        a, b, c = map(exact, (numbers(m, k), numbers(k, n), np.full((m, n), np.nan, np.float32)))
        sizes = map(np.int32, (m, n, k))
        kernel((-(-n // tile[1]), -(-m // tile[0])), threads, (a, b, c, *sizes))
        np.testing.assert_array_equal(c.get(), a.get() @ b.get())


if SIMULATOR:
    # What the page says of a kernel's innermost loop.
    MADE = {
        "registers:make_rectangle(128, 128, 8, 8, 8)": {"FFMA": 64, "LDS.128": 0},
        "vectors:make_vectors(128, 128, 8, 8, 8)": {"FFMA": 64, "LDS.128": 4},
        "pipeline:make_pipeline(128, 128, 8, 8, 8)": {"FFMA": 64, "LDS.128": 4},
        "warps:make_warps(128, 128, 8, 2, 4)": {"FFMA": 64, "LDS.128": 4},
        "tuned:make_tuned(128, 256, 8, 2, 4, 3, 1)": {"FFMA": 1024, "LDS.128": 48},
    }

    def test_machine_code():
        """In one process, without the simulator: what numba-cuda makes of the rungs for sm_90."""
        command = [sys.executable, "-m", "benchmarks.sass", *(f"kernels.gemm.{k}" for k in MADE)]
        env = {k: v for k, v in os.environ.items() if k != "NUMBA_ENABLE_CUDASIM"}
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-2000:]
        made = json.loads(done.stdout)
        for kernel, expected in MADE.items():
            facts = made[f"kernels.gemm.{kernel}"]
            assert {name: facts[name] for name in expected} == expected, kernel
            own = kernel.startswith("registers")
            assert own or facts["STG.E.128"] > 0, kernel
            assert own or kernel.startswith("vectors") or facts["LDGSTS"] >= 8, kernel
            squeezed = kernel.startswith(("vectors", "pipeline"))  # into 128 registers
            assert facts["local"] <= (20 if squeezed else 0), kernel
