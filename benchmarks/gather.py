"""Gather and scatter of 2^27 float32: indices in order, in order by pieces, and at random."""

import cupy as cp

from benchmarks.harness import Case, Reference
from kernels.gather.gather import gather_kernel, scatter_kernel
from kernels.gather.rows import gather_rows_kernel

PATH, ROWS = "kernels/gather/gather.py", "kernels/gather/rows.py"
THREADS = 256
# Of gather and scatter: indices in order, 32 side by side, and at random.
IDS = {
    "in order": ("gather-in-order", "scatter-in-order"),
    "32 side by side": ("gather-by-32", "scatter-by-32"),
    "at random": ("gather-random", "scatter-random"),
}


def run(bench):
    n = 2**20 if bench.quick else 2**27
    for kind, ids in IDS.items():
        with bench.part(f"indices {kind}"):
            elements(bench, n, kind, ids)
    with bench.part("rows"):
        rows(bench, n // 1024, 1024)


def order(n, kind):
    """Return a permutation of int32."""
    piece = {"in order": n, "32 side by side": 32, "at random": 1}[kind]
    starts = cp.random.permutation(n // piece).astype(cp.int32) * piece
    return (starts[:, None] + cp.arange(piece, dtype=cp.int32)).ravel()


def elements(bench, n, kind, ids):
    x, output, indices = bench.random(n), bench.output(n), order(n, kind)
    d_x, d_out, d_indices = map(bench.device.numba, (x, output.array, indices))
    common = dict(size=n, dtype="float32", unit="GB/s", tolerance=0.0, bytes=12 * n)

    def launch(kernel):
        return lambda: kernel[-(-n // THREADS), THREADS](d_x, d_indices, d_out)

    expected = x[indices].astype(cp.float64)
    bench.compare(
        [Case(ids[0], f"Gather, indices {kind}", PATH, launch(gather_kernel), output)],
        Reference("CuPy, cp.take", lambda: cp.take(x, indices, out=output.array), output),
        expected,
        **common,
    )
    expected[indices] = x

    def put():
        output.array[indices] = x

    bench.compare(
        [Case(ids[1], f"Scatter, indices {kind}", PATH, launch(scatter_kernel), output)],
        Reference("CuPy, out[indices] = x", put, output),
        expected,
        **common,
    )


def rows(bench, count, width):
    table, output = bench.random((count, width)), bench.output((count, width))
    indices = order(count, "at random")
    arrays = [bench.device.numba(array) for array in (table, indices, output.array)]
    title = f"Gather of rows of {width} float32 at random, a warp a row"
    call = lambda: gather_rows_kernel[-(-32 * count // THREADS), THREADS](*arrays)  # noqa: E731
    bench.compare(
        [Case("gather-rows", title, ROWS, call, output)],
        Reference(
            "CuPy, cp.take(table, indices, axis=0)",
            lambda: cp.take(table, indices, axis=0, out=output.array),
            output,
        ),
        table[indices].astype(cp.float64),
        size=count,
        dtype="float32",
        unit="GB/s",
        tolerance=0.0,
        bytes=8 * count * width + 4 * count,
    )
