"""Softmax of rows of 1k to 32k float32: every rung, against torch.softmax and a device copy."""

from functools import partial

import cupy as cp
import numpy as np
import torch

from benchmarks.harness import Case, Reference, Summary, rounded
from kernels.softmax.passes import online_kernel, thread_a_row_kernel, three_pass_kernel
from kernels.softmax.row import softmax_rows

PASSES = "kernels/softmax/passes.py"
ROW = "kernels/softmax/row.py"
SCRIPT = "benchmarks/softmax.py"  # for what CuPy does by itself
IDS = {
    1024: "softmax-1024",
    2048: "softmax-2048",
    4096: "softmax-4096",
    8192: "softmax-8192",
    16384: "softmax-16384",
    32768: "softmax-32768",
}
LADDER = 8192  # columns at which every rung is measured


def run(bench):
    elements = 2**24 if bench.quick else 2**28
    rows = {}
    for columns in IDS:
        with bench.part(f"rows of {columns}"):
            rows[columns] = measure(bench, elements // columns, columns)
    with bench.part("the least of all row lengths"):
        worst(bench, ("softmax", "softmax-vs-torch"), "Softmax, rows of 1k to 32k", rows)


def expected(x):
    right = x.astype(cp.float64)
    right -= right.max(axis=1, keepdims=True)
    cp.exp(right, out=right)
    right /= right.sum(axis=1, keepdims=True)
    return right


def measure(bench, rows, columns):
    x, output = bench.random((rows, columns)), bench.output((rows, columns))
    d_x, d_out = bench.device.numba(x), bench.device.numba(output.array)
    flat = bench.device.numba(x.reshape(-1)), bench.device.numba(output.array.reshape(-1))
    t_x, t_out = (torch.as_tensor(a, device="cuda") for a in (x, output.array))

    def case(id, title, kernel, call):
        return Case(id, f"Softmax, rows of {columns}: {title}", kernel, call, output)

    row = partial(softmax_rows, flat[0], rows, columns, flat[1])
    cases = [case(IDS[columns], "each row in registers, Numba", ROW, row)]
    if columns == LADDER:
        one = partial(thread_a_row_kernel[-(-rows // 128), 128], d_x, d_out)
        three = partial(three_pass_kernel[rows, 256], d_x, d_out)
        online = partial(online_kernel[rows, 256], d_x, d_out)
        cases += [
            case("softmax-thread-a-row", "one thread a row, Numba", PASSES, one),
            case("softmax-three-pass", "a block a row, three passes, Numba", PASSES, three),
            case("softmax-online-block", "a block a row, online, Numba", PASSES, online),
            case(
                "softmax-cupy",
                "CuPy, four calls",
                "benchmarks/softmax.py",
                partial(cupy, x, output),
            ),
        ]
    return bench.compare(
        cases,
        Reference("torch.softmax", lambda: torch.softmax(t_x, dim=1, out=t_out), output),
        expected(x),
        size=rows * columns,
        dtype="float32",
        unit="GB/s",
        tolerance=2e-6,
        bytes=2 * 4 * rows * columns,
    )[0]


def cupy(x, output):
    e = cp.exp(x - x.max(axis=1, keepdims=True))
    cp.divide(e, e.sum(axis=1, keepdims=True), out=output.array)


def worst(bench, ids, title, rows):
    """Add the least ratio of all row lengths, to a device copy of the same run and to torch."""
    fields = ("copy_share", "a device copy"), ("ratio", "torch")
    for id, (field, what) in zip(ids, fields, strict=True):
        columns, row = min(rows.items(), key=lambda item: item[1][field])
        summary = Summary(row[field], row["spread"], row["repeats"])
        bench.micro(
            id,
            f"{title}: the least of the rates, over that of {what}",
            summary,
            unit="ratio",
            method=f"the least of {len(rows)} row lengths, that of {columns}; CUDA events, cold L2",
            kernel=row["kernel"],
            extra={"columns": columns, "mean": rounded(mean(rows, field))},
        )


def mean(rows, field):
    return float(np.exp(np.mean([np.log(row[field]) for row in rows.values()])))
