"""A product that cuTile Python compiled, beside Triton and cuBLAS. To run it takes no cuTile."""

from functools import partial

import cupy as cp
import numpy as np
import torch
import triton

from benchmarks.harness import ROOT, Case, Reference
from benchmarks.tensor_cores import Bfloat16, as_torch, narrow, widen
from kernels.in_triton import matmul

FOLDER = "kernels/in_cutile/"
TILES = {  # id -> rows, columns and depth of a tile
    "cutile-matmul": (128, 128, 64),
    "cutile-matmul-64x256": (64, 256, 64),
    "cutile-matmul-128x256": (128, 256, 64),
}


def run(bench):
    n = 1024 if bench.quick else 8192
    bits = [narrow(bench.random((n, n))) for _ in range(2)]
    out = Bfloat16(bench.xp, (n, n))
    a, b, c = map(as_torch, (*bits, out.array))
    expected = widen(bits[0]).astype(cp.float64) @ widen(bits[1]).astype(cp.float64)
    shape = matmul.SHAPE
    programs = (triton.cdiv(n, shape["BM"]) * triton.cdiv(n, shape["BN"]),)
    in_triton = Case(
        "cutile-matmul-triton",
        f"bfloat16, {n} x {n} x {n}, Triton beside cuTile",
        "kernels/in_triton/matmul.py",
        lambda: matmul.matmul_kernel[programs](a, b, c, n, n, n, **shape),
        out,
    )
    # As cuTile passes an array: its address, its shape, and its strides in elements.
    arrays = [part for x in (*bits, out.array) for part in (x, *map(np.int32, (n, n, n, 1)))]
    for id, tile in TILES.items():
        with bench.part(f"{id}, tile {tile}"):
            path = FOLDER + "matmul_{}x{}x{}.cubin".format(*tile)
            kernel = cp.RawModule(path=str(ROOT / path)).get_function("matmul_kernel")
            grid = n // tile[1], n // tile[0]
            title = f"bfloat16, {n} x {n} x {n}, cuTile Python, tile {tile[0]} x {tile[1]}"
            # Its compiler gives a block its threads; the launch says one.
            cases = [Case(id, title, path, partial(kernel, grid, (1,), tuple(arrays)), out)]
            bench.compare(
                [*cases, in_triton] if id == "cutile-matmul" else cases,
                Reference("cuBLAS bfloat16, torch.matmul", lambda: torch.matmul(a, b, out=c), out),
                expected,
                size=n,
                dtype="bfloat16",
                unit="TFLOP/s",
                tolerance=3e-3,  # the rounding of a result to 8 bits
                bytes=3 * 2 * n * n,
                flops=2 * n**3,
            )
