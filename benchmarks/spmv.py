"""Sparse matrix times vector on ten kinds of matrix, against cuSPARSE."""

from functools import partial

import cupy as cp
import numpy as np
from cupyx import cusparse
from cupyx.scipy import sparse

from benchmarks.harness import Case, Reference, Summary, rounded
from benchmarks.matrices import kinds
from kernels.spmv.choose import lanes_for, multiplier
from kernels.spmv.merge import ITEMS, THREADS, merge, split
from kernels.spmv.rows import make_vector, scalar_kernel

CHOOSE, ROWS, MERGE = (f"kernels/spmv/{name}.py" for name in ("choose", "rows", "merge"))
LADDER = {  # the matrices on which every kernel is measured
    "spmv-grid-3d": ("spmv-grid-3d-scalar", "spmv-grid-3d-vector", "spmv-grid-3d-merge"),
    "spmv-web": ("spmv-web-scalar", "spmv-web-vector", "spmv-web-merge"),
}


def run(bench):
    rows = {}
    for id, make in kinds(bench.quick).items():
        with bench.part(id):
            rows[id] = measure(bench, id, *make())
        bench.xp.get_default_memory_pool().free_all_blocks()
    with bench.part("geometric mean"):
        ratios = [row["ratio"] for row in rows.values()]
        least = min(rows.values(), key=lambda row: row["ratio"])
        spread = max(row["spread"] for row in rows.values())
        bench.micro(
            "spmv",
            "Sparse matrix times vector: geometric mean of the rates over those of cuSPARSE",
            Summary(float(np.exp(np.mean(np.log(ratios)))), spread, least["repeats"]),
            unit="ratio",
            method=f"geometric mean over {len(rows)} kinds of matrix; CUDA events, cold L2",
            kernel=CHOOSE,
            extra={"least": rounded(min(ratios)), "most": rounded(max(ratios))},
        )


def expected(matrix, x):
    """Return the product in float64, and how large its error may be: the sum of absolute terms."""
    starts, where, values = matrix
    n = starts.size - 1
    row_of = cp.repeat(cp.arange(n), cp.diff(starts).get().tolist())
    terms = values.astype(cp.float64)
    terms *= x[where]
    return cp.bincount(row_of, weights=terms, minlength=n)


def measure(bench, id, matrix, columns):
    starts, where, values = matrix
    n, nonzeros = starts.size - 1, where.size
    x, output = bench.random(columns), bench.output(n)
    a = sparse.csr_matrix((values, where, starts), shape=(n, columns))
    parts = [bench.device.numba(part) for part in matrix]
    d_x, d_y = bench.device.numba(x), bench.device.numba(output.array)
    on_host = starts.get()
    lanes = lanes_for(on_host)
    ours = partial(multiplier(parts, on_host), d_x, d_y)
    how = "merge path" if not lanes else f"{lanes} lanes a row" if lanes > 1 else "a thread a row"
    kind = id.removeprefix("spmv-")
    cases = [Case(id, f"SpMV, {kind}: {how}, Numba", CHOOSE, ours, output, {"lanes": lanes})]
    if id in LADDER:
        scalar, vector, merged = LADDER[id]
        first_rows = split(parts[0], nonzeros, THREADS * ITEMS)
        launched = make_vector(32)[-(-n * 32 // 128), 128]
        cases += [
            Case(scalar, f"SpMV, {kind}: a thread a row, Numba", ROWS,
                 partial(scalar_kernel[-(-n // 128), 128], *parts, d_x, d_y), output),
            Case(vector, f"SpMV, {kind}: a warp a row, Numba", ROWS,
                 partial(launched, *parts, d_x, d_y), output),
            Case(merged, f"SpMV, {kind}: merge path, Numba", MERGE,
                 partial(merge, parts, d_x, first_rows, d_y), output),
        ]  # fmt: skip
    return bench.compare(
        cases,
        Reference("cuSPARSE, cupyx.cusparse.spmv", lambda: cusparse.spmv(a, x, output.array),
                  output),
        expected(matrix, x),
        size=nonzeros,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-6,
        bytes=8 * nonzeros + 8 * n + 4 * columns,
    )[0]  # fmt: skip
