"""Many small products and systems of equations, against cuBLAS in batches."""

from functools import partial

import cupy as cp
import numpy as np

from benchmarks.harness import Case, Reference
from kernels.batched.plain import products_thread_kernel
from kernels.batched.products import WARPS as PRODUCT_WARPS
from kernels.batched.products import make_products
from kernels.batched.solve import WARPS as SOLVE_WARPS
from kernels.batched.solve import make_solve

PLAIN, PRODUCTS, SOLVE = (f"kernels/batched/{name}.py" for name in ("plain", "products", "solve"))
PRODUCT_IDS = {
    4: "batched-product-4",
    8: "batched-product-8",
    16: "batched-product-16",
    24: "batched-product-24",
    32: "batched-product-32",
}
SOLVE_IDS = {
    4: "batched-solve-4",
    8: "batched-solve-8",
    16: "batched-solve-16",
    32: "batched-solve-32",
}


def run(bench):
    for n, id in PRODUCT_IDS.items():
        with bench.part(id):
            products(bench, id, n, 2**16 if bench.quick else 2**25)
        bench.xp.get_default_memory_pool().free_all_blocks()
    for n, id in SOLVE_IDS.items():
        with bench.part(id):
            systems(bench, id, n, 2**16 if bench.quick else 2**24)
        bench.xp.get_default_memory_pool().free_all_blocks()


def products(bench, id, n, elements):
    count = elements // (n * n)
    a, b = bench.random((count, n, n)), bench.random((count, n, n))
    output = bench.output((count, n, n))
    kernel, each = make_products(n)
    numba = bench.device.numba
    flat = [numba(array.reshape(-1)) for array in (a, b)]
    ours = partial(
        kernel[-(-count // each), (32, PRODUCT_WARPS)],
        *flat,
        np.uint64(count),
        numba(output.array.reshape(-1)),
    )
    title = f"{count} products of {n} x {n} float32"
    cases = [Case(id, f"{title}, a lane a column, Numba", PRODUCTS, ours, output)]
    if n == 4:
        arrays = map(numba, (a, b, output.array))
        thread = partial(products_thread_kernel[-(-count // 128), 128], *arrays)
        cases.append(Case("batched-thread-4", f"{title}, a thread each", PLAIN, thread, output))
    bench.compare(
        cases,
        Reference("cuBLAS, batched, cp.matmul", lambda: cp.matmul(a, b, out=output.array), output),
        cp.matmul(a.astype(cp.float64), b.astype(cp.float64)),
        size=n,
        dtype="float32",
        unit="us",
        tolerance=1e-6,
        bytes=12 * count * n * n,
        flops=2 * count * n**3,
    )


def systems(bench, id, n, elements):
    count = elements // (n * n)
    beside = 4 * np.sqrt(n) * cp.roll(cp.eye(n, dtype=cp.float32), 1, axis=0)
    a = bench.random((count, n, n)) + beside.astype(cp.float32)  # needs pivots
    b, output = bench.random((count, n)), bench.output((count, n))
    kernel, each = make_solve(n)
    numba = bench.device.numba
    ours = partial(
        kernel[-(-count // each), (32, SOLVE_WARPS)],
        numba(a.reshape(-1)),
        numba(b.reshape(-1)),
        np.uint64(count),
        numba(output.array.reshape(-1)),
    )

    def library():
        output.array[...] = cp.linalg.solve(a, b[..., None])[..., 0]

    wide = a.astype(cp.float64), b.astype(cp.float64)
    bench.compare(
        [Case(id, f"{count} systems of {n} equations, float32, Numba", SOLVE, ours, output)],
        Reference("cuBLAS, batched LU, cp.linalg.solve", library, output),
        cp.linalg.solve(wide[0], wide[1][..., None])[..., 0],
        size=n,
        dtype="float32",
        unit="us",
        tolerance=1e-5,
        bytes=4 * count * (n * n + 2 * n),
        flops=count * (2 * n**3 // 3 + 2 * n * n),
    )
