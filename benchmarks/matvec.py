"""Matrix times vector, and vector times matrix, of several shapes, against cuBLAS."""

from functools import partial

import cupy as cp

from benchmarks.harness import Case, Reference
from kernels.matvec.columns import cut_rows, vecmat_launch
from kernels.matvec.rows import thread_row_kernel, warp_row_kernel
from kernels.matvec.wide import matvec_launch, plan

ROWS, WIDE, COLUMNS = (f"kernels/matvec/{name}.py" for name in ("rows", "wide", "columns"))
SHAPES = {  # id: rows, columns, what it is
    "matvec": (16384, 16384, "a square matrix"),
    "matvec-layer": (4096, 14336, "a layer of a language model"),
    "matvec-tall": (2**22, 64, "a tall matrix"),
    "matvec-flat": (64, 2**22, "a flat matrix"),
    "matvec-odd": (16384, 16382, "rows that begin at odd places"),
}


def run(bench):
    for id, (m, n, what) in SHAPES.items():
        with bench.part(id):
            shape = (min(m, 2048), min(n, 2048)) if bench.quick else (m, n)
            rows(bench, id, *shape, what)
        bench.xp.get_default_memory_pool().free_all_blocks()
    with bench.part("vector times matrix"):
        columns(bench, *((1024, 1024) if bench.quick else (16384, 16384)))


def expected(a, x):
    """Return a @ x in float64, some rows at a time."""
    right = cp.empty(a.shape[0])
    step = max(1, 2**26 // a.shape[1])
    for start in range(0, a.shape[0], step):
        right[start : start + step] = a[start : start + step].astype(cp.float64) @ x
    return right


def rows(bench, id, m, n, what):
    a, x, output = bench.random((m, n)), bench.random(n), bench.output(m)
    numba = bench.device.numba
    flat, d_a, d_x, y = numba(a.reshape(-1)), numba(a), numba(x), numba(output.array)
    count = plan(m, n)[2]
    parts = numba(cp.empty((count, m), cp.float32)) if count > 1 else y.reshape(1, m)
    title = f"Matrix times vector, {m} x {n} float32, {what}"
    ours = partial(matvec_launch, flat, d_x, m, n, parts, y)
    cases = [Case(id, f"{title}, Numba", WIDE, ours, output)]
    if id == "matvec":
        thread = partial(thread_row_kernel[-(-m // 256), 256], d_a, d_x, y)
        warp = partial(warp_row_kernel[-(-m // 8), 256], d_a, d_x, y)
        cases += [
            Case("matvec-thread-row", f"{title}: a thread a row", ROWS, thread, output),
            Case("matvec-warp-row", f"{title}: a warp a row", ROWS, warp, output),
        ]
    bench.compare(
        cases,
        Reference("cuBLAS, cp.dot(a, x)", lambda: cp.dot(a, x, out=output.array), output),
        expected(a, x),
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-4,  # one thread adds up a whole row
        bytes=4 * (m * n + m + n),
        flops=2 * m * n,
    )


def columns(bench, m, n):
    a, x, output = bench.random((m, n)), bench.random(m), bench.output(n)
    numba = bench.device.numba
    parts = numba(cp.empty(cut_rows(m, n)[0] * n, cp.float32))
    arrays = numba(x), numba(a.reshape(-1))
    ours = partial(vecmat_launch, *arrays, m, n, parts, numba(output.array))
    title = f"Vector times matrix, x @ a, {m} x {n} float32, Numba"
    bench.compare(
        [Case("matvec-columns", title, COLUMNS, ours, output)],
        Reference("cuBLAS, cp.dot(x, a)", lambda: cp.dot(x, a, out=output.array), output),
        down(a, x),
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-5,
        bytes=4 * (m * n + m + n),
        flops=2 * m * n,
    )


def down(a, x):
    """Return x @ a in float64, some rows at a time."""
    right = cp.zeros(a.shape[1])
    for start in range(0, a.shape[0], 4096):
        right += x[start : start + 4096].astype(cp.float64) @ a[start : start + 4096]
    return right
