"""The bfloat16 product for any shape, in Numba, against cuBLAS: language models and odd sizes."""

import math

import cupy as cp
import torch

from benchmarks import harness
from benchmarks.harness import Case, Reference
from benchmarks.tensor_cores import Bfloat16, as_torch, narrow, widen
from kernels.tensor_cores import shapes

FILE = "kernels/tensor_cores/shapes.py"
# id -> rows (tokens), columns, k: layers of models with 4,096 and 8,192 features, squares, odd ones
SHAPES = {
    "gemm-shapes-16-8192-8192": (16, 8192, 8192),
    "gemm-shapes-16-6144-4096": (16, 6144, 4096),
    "gemm-shapes-16-28672-4096": (16, 28672, 4096),
    "gemm-shapes-16-4096-14336": (16, 4096, 14336),
    "gemm-shapes-64-8192-8192": (64, 8192, 8192),
    "gemm-shapes-64-28672-4096": (64, 28672, 4096),
    "gemm-shapes-128-4096-4096": (128, 4096, 4096),
    "gemm-shapes-128-4096-14336": (128, 4096, 14336),
    "gemm-shapes-256-6144-4096": (256, 6144, 4096),
    "gemm-shapes-512-8192-8192": (512, 8192, 8192),
    "gemm-shapes-512-4096-14336": (512, 4096, 14336),
    "gemm-shapes-1024-4096-4096": (1024, 4096, 4096),
    "gemm-shapes-2048-6144-4096": (2048, 6144, 4096),
    "gemm-shapes-2048-28672-4096": (2048, 28672, 4096),
    "gemm-shapes-2048-4096-14336": (2048, 4096, 14336),
    "gemm-shapes-4096-14336-4096": (4096, 14336, 4096),
    "gemm-shapes-8192-10240-8192": (8192, 10240, 8192),
    "gemm-shapes-8192-4096-16384": (8192, 4096, 16384),
    "gemm-shapes-1024-1024-1024": (1024, 1024, 1024),
    "gemm-shapes-2048-2048-2048": (2048, 2048, 2048),
    "gemm-shapes-4096-4096-4096": (4096, 4096, 4096),
    "gemm-shapes-8192-8192-8192": (8192, 8192, 8192),
    "gemm-shapes-1000-1000-1000": (1000, 1000, 1000),
    "gemm-shapes-1001-4096-4096": (1001, 4096, 4096),
    "gemm-shapes-3000-3000-3000": (3000, 3000, 3000),
    "gemm-shapes-777-1032-4104": (777, 1032, 4104),
    "gemm-shapes-4097-4104-520": (4097, 4104, 520),
}


def run(bench):
    chosen = dict(list(SHAPES.items())[:2]) if bench.quick else SHAPES
    rows = []
    for id, shape in chosen.items():
        with bench.part(f"{shape}"):
            rows += product(bench, id, *shape)
    if len(rows) == len(chosen):
        together(bench, rows)


def product(bench, id, m, n, k):
    a, b = (narrow(bench.random(shape)) for shape in ((m, k), (k, n)))
    output = Bfloat16(bench.xp, (m, n))
    call = shapes.product(*map(bench.device.numba, (a, b, output.array)))
    t_a, t_b, t_c = map(as_torch, (a, b, output.array))
    rows, columns, splits = shapes.choose(m, n, k, bench.device.multiprocessors)
    return bench.compare(
        [
            Case(
                id,
                f"Matrix product for any shape, Numba, bfloat16, {m} x {n} x {k}",
                FILE,
                call,
                output,
                {"tile_rows": rows, "tile_columns": columns, "splits": splits},
            )
        ],
        Reference("cuBLAS bfloat16, torch.matmul", lambda: torch.matmul(t_a, t_b, out=t_c), output),
        widen(a).astype(cp.float64) @ widen(b).astype(cp.float64),
        size=m,
        dtype="bfloat16",
        unit="TFLOP/s",
        tolerance=3e-3,  # the rounding of a result to 8 bits
        bytes=2 * (m * k + k * n + m * n),
        flops=2 * m * n * k,
    )


def together(bench, rows):
    """Add a row of geometric means over the shapes, and one of the shape with the least ratio."""
    worst = min(rows, key=lambda row: row["ratio"])
    title = f"The least favorable of {len(rows)} shapes: {worst['title']}"
    bench._add("benchmarks", worst | {"id": "gemm-shapes-worst", "title": title})
    means = {
        key: harness.rounded(math.exp(sum(math.log(row[key]) for row in rows) / len(rows)))
        for key in ("ours", "reference", "ratio", "reference_share", "us", "reference_us", "tflops")
    }
    widest = {key: max(row[key] for row in rows) for key in ("spread", "reference_spread", "error")}
    kept = {"id": "gemm-shapes", "title": f"Geometric means over {len(rows)} shapes of a product"}
    same = ("kernel", "sha256", "dtype", "reference_name", "unit", "repeats", "copy_gbps")
    same += ("cublas_tflops", "reference_error")
    kept |= {key: rows[0][key] for key in same} | {"size": len(rows)}
    bench._add("benchmarks", kept | means | widest)
