"""cuDNN's layer and RMS normalization by its frontend, against Numba, Triton and PyTorch's own."""

from functools import partial

import cudnn
import cupy as cp
import torch
from torch.nn import functional

from benchmarks.cudnn import tensor
from benchmarks.harness import Case, Reference
from benchmarks.norms import Returned, expected
from kernels.cudnn.frontend import norm_cudnn
from kernels.in_triton.norms import norm_triton
from kernels.norms.row import EPS, norm_rows

NUMBA, TRITON = "kernels/norms/row.py", "kernels/in_triton/norms.py"
TORCH = "kernels/cudnn/from_torch.py"
# Columns -> the rows of Numba, Triton and torch. Each matrix has 2^28 numbers.
LAYER = {
    128: ("cudnn-layernorm-128", "cudnn-layernorm-128-triton", "cudnn-layernorm-128-torch"),
    512: ("cudnn-layernorm-512", "cudnn-layernorm-512-triton", "cudnn-layernorm-512-torch"),
    2048: ("cudnn-layernorm-2048", "cudnn-layernorm-2048-triton", "cudnn-layernorm-2048-torch"),
    4096: ("cudnn-layernorm-4096", "cudnn-layernorm-4096-triton", "cudnn-layernorm-4096-torch"),
    8192: ("cudnn-layernorm-8192", "cudnn-layernorm-8192-triton", "cudnn-layernorm-8192-torch"),
    16384: (
        "cudnn-layernorm-16384", "cudnn-layernorm-16384-triton", "cudnn-layernorm-16384-torch"
    ),
    32768: (
        "cudnn-layernorm-32768", "cudnn-layernorm-32768-triton", "cudnn-layernorm-32768-torch"
    ),
}  # fmt: skip
RMS = {
    128: ("cudnn-rmsnorm-128", "cudnn-rmsnorm-128-triton", "cudnn-rmsnorm-128-torch"),
    4096: ("cudnn-rmsnorm-4096", "cudnn-rmsnorm-4096-triton", "cudnn-rmsnorm-4096-torch"),
    32768: ("cudnn-rmsnorm-32768", "cudnn-rmsnorm-32768-triton", "cudnn-rmsnorm-32768-torch"),
}
FEW = (  # 16 rows, as of 16 users' next tokens
    "cudnn-layernorm-few", "cudnn-layernorm-few-triton", "cudnn-layernorm-few-torch"
)  # fmt: skip


def run(bench):
    numbers = 2**24 if bench.quick else 2**28
    for name, rows in (("layernorm", LAYER), ("rmsnorm", RMS)):
        for columns, ids in rows.items():
            with bench.part(f"{name}, rows of {columns}"):
                measure(bench, name, ids, numbers // columns, columns)
    with bench.part("16 rows of 4096"):
        measure(bench, "layernorm", FEW, 16, 4096)


def measure(bench, name, ids, rows, columns):
    x, weight = bench.random((rows, columns)), bench.random(columns)
    bias = bench.random(columns) if name == "layernorm" else None
    ours, in_triton, by_cudnn = (bench.output((rows, columns)) for _ in range(3))
    by_torch = Returned(bench.xp, (rows, columns), "float32")
    t_x, t_weight = tensor(x), tensor(weight)
    t_bias = None if bias is None else tensor(bias)
    try:
        cudnn_call = norm_cudnn(t_x, t_weight, t_bias, tensor(by_cudnn.array), float(EPS))
    except cudnn.cudnnGraphNotSupportedError as error:
        bench.say(f"[{bench.name}]   cuDNN has no engine for rows of {columns}: {error}")
        return

    flat = [None if a is None else bench.device.numba(a.reshape(-1)) for a in (x, weight, bias)]
    to = bench.device.numba(ours.array.reshape(-1))

    def torch_call():
        if bias is None:
            by_torch.returned = functional.rms_norm(t_x, (columns,), t_weight, float(EPS))
        else:
            by_torch.returned = functional.layer_norm(t_x, (columns,), t_weight, t_bias, float(EPS))

    calls = (
        ("Numba", NUMBA, partial(norm_rows, *flat, rows, columns, to), ours),
        (
            "Triton",
            TRITON,
            partial(norm_triton, t_x, t_weight, t_bias, tensor(in_triton.array), float(EPS)),
            in_triton,
        ),
        ("PyTorch's own", TORCH, torch_call, by_torch),
    )
    title = f"{name} of {rows} rows of {columns} float32"
    bench.compare(
        [
            Case(id, f"{title}, {who}", file, call, output)
            for id, (who, file, call, output) in zip(ids, calls, strict=True)
        ],
        Reference("cuDNN, through its frontend", cudnn_call, by_cudnn),
        expected(x, weight, bias),
        size=rows * columns,
        dtype="float32",
        unit="GB/s",
        tolerance=2e-6,
        bytes=2 * 4 * rows * columns,
    )
    cp.get_default_memory_pool().free_all_blocks()
    torch.cuda.empty_cache()
