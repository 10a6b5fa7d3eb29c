"""RMSnorm and layernorm of rows of 1k to 32k float32, against torch and a device copy."""

from functools import partial

import cupy as cp
import torch
from torch.nn import functional

from benchmarks.harness import Case, Output, Reference
from benchmarks.softmax import LADDER, worst
from kernels.norms.passes import layernorm_passes_kernel, rmsnorm_passes_kernel
from kernels.norms.row import EPS, norm_rows

PASSES = "kernels/norms/passes.py"
ROW = "kernels/norms/row.py"
IDS = {
    "rmsnorm": {
        1024: "rmsnorm-1024",
        2048: "rmsnorm-2048",
        4096: "rmsnorm-4096",
        8192: "rmsnorm-8192",
        16384: "rmsnorm-16384",
        32768: "rmsnorm-32768",
    },
    "layernorm": {
        1024: "layernorm-1024",
        2048: "layernorm-2048",
        4096: "layernorm-4096",
        8192: "layernorm-8192",
        16384: "layernorm-16384",
        32768: "layernorm-32768",
    },
}
LEAST = {
    "rmsnorm": ("rmsnorm", "rmsnorm-vs-torch"),
    "layernorm": ("layernorm", "layernorm-vs-torch"),
}
BY_PASSES = {"rmsnorm": "rmsnorm-passes", "layernorm": "layernorm-passes"}


def run(bench):
    elements = 2**24 if bench.quick else 2**28
    for name in IDS:
        rows = {}
        for columns in IDS[name]:
            with bench.part(f"{name}, rows of {columns}"):
                rows[columns] = measure(bench, name, elements // columns, columns)
        with bench.part(f"{name}, the least of all row lengths"):
            worst(bench, LEAST[name], f"{name}, rows of 1k to 32k", rows)


class Returned(Output):
    """The output of a library's function that returns a new array, which ``returned`` holds."""

    returned = None

    def error(self, expected):
        self.array[...] = cp.asarray(self.returned)
        return super().error(expected)


def expected(x, weight, bias):
    right = x.astype(cp.float64)
    if bias is not None:
        right -= right.mean(axis=1, keepdims=True)
    right /= cp.sqrt((right * right).mean(axis=1, keepdims=True) + float(EPS))
    right *= weight
    if bias is not None:
        right += bias
    return right


def measure(bench, name, rows, columns):
    centered = name == "layernorm"
    x, output = bench.random((rows, columns)), bench.output((rows, columns))
    weight = bench.random(columns)
    bias = bench.random(columns) if centered else None
    inputs = [bench.device.numba(a) for a in (x, weight, bias) if a is not None]
    d_out = bench.device.numba(output.array)
    flat = bench.device.numba(x.reshape(-1)), bench.device.numba(output.array.reshape(-1))
    row = partial(norm_rows, flat[0], inputs[1], inputs[2] if centered else None, rows, columns)
    row = partial(row, flat[1])

    title = f"{name}, rows of {columns}"
    cases = [Case(IDS[name][columns], f"{title}: each row in registers, Numba", ROW, row, output)]
    if columns == LADDER:
        kernel = layernorm_passes_kernel if centered else rmsnorm_passes_kernel
        call = partial(kernel[rows, 256], *inputs, EPS, d_out)
        title += ": a block a row, each pass reads it, Numba"
        cases.append(Case(BY_PASSES[name], title, PASSES, call, output))

    theirs = Returned(bench.xp, (rows, columns), "float32")
    t_x, t_weight = (torch.as_tensor(a, device="cuda") for a in (x, weight))
    t_bias = torch.as_tensor(bias, device="cuda") if centered else None

    def library():
        if centered:
            theirs.returned = functional.layer_norm(t_x, (columns,), t_weight, t_bias, float(EPS))
        else:
            theirs.returned = functional.rms_norm(t_x, (columns,), t_weight, float(EPS))

    function = "layer_norm" if centered else "rms_norm"
    found = bench.compare(
        cases,
        Reference(f"torch.nn.functional.{function}", library, theirs),
        expected(x, weight, bias),
        size=rows * columns,
        dtype="float32",
        unit="GB/s",
        tolerance=2e-6,
        bytes=2 * 4 * rows * columns,
    )
    torch.cuda.empty_cache()
    return found[0]
