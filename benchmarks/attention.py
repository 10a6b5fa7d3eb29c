"""Attention forward: Numba on Hopper, its ladder, and Triton, against cuDNN and torch's flash."""

import cupy as cp
import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from benchmarks.harness import Case, Reference
from benchmarks.tensor_cores import Bfloat16, as_torch, narrow, widen
from kernels.attention import one_group, overlap, two_consumers
from kernels.attention.plain import online_kernel
from kernels.in_triton.attention import flash_triton
from kernels.tensor_cores.wgmma import launch

# id -> batch, heads, heads of k and v, length, depth, causal. The bars are set at 16,384.
NUMBA = {
    "attention-numba-vs-cudnn": (1, 16, 16, 16384, 128, False),
    "attention-numba-vs-cudnn-4096": (4, 16, 16, 4096, 128, False),
    "attention-numba-vs-cudnn-8192": (2, 16, 16, 8192, 128, False),
    "attention-numba-vs-cudnn-2048": (8, 16, 16, 2048, 128, False),
    "attention-numba-vs-cudnn-1024": (16, 16, 16, 1024, 128, False),
    "attention-numba-vs-cudnn-512": (32, 16, 16, 512, 128, False),
    "attention-numba-vs-cudnn-4000": (4, 16, 16, 4000, 128, False),
    "attention-numba-vs-cudnn-grouped": (2, 32, 4, 4096, 128, False),
    "attention-numba-causal-vs-cudnn": (1, 16, 16, 16384, 128, True),
    "attention-numba-causal-vs-cudnn-4096": (4, 16, 16, 4096, 128, True),
    "attention-numba-causal-vs-cudnn-8192": (2, 16, 16, 8192, 128, True),
    "attention-numba-causal-vs-cudnn-2048": (8, 16, 16, 2048, 128, True),
    "attention-numba-causal-vs-cudnn-1024": (16, 16, 16, 1024, 128, True),
    "attention-numba-causal-vs-cudnn-512": (32, 16, 16, 512, 128, True),
    "attention-numba-64-vs-cudnn": (1, 32, 32, 16384, 64, False),
    "attention-numba-64-vs-cudnn-4096": (4, 32, 32, 4096, 64, False),
    "attention-numba-64-causal-vs-cudnn": (1, 32, 32, 16384, 64, True),
}
TRITON = {
    "attention-vs-cudnn": (1, 16, 16, 16384, 128, False),
    "attention-causal-vs-cudnn": (1, 16, 16, 16384, 128, True),
    "attention-64-vs-cudnn": (1, 32, 32, 16384, 64, False),
}
FLASH = {
    "attention-numba-vs-cudnn": ("attention-numba-vs-flash", "overlap"),
    "attention-numba-causal-vs-cudnn": ("attention-numba-causal-vs-flash", "overlap"),
    "attention-vs-cudnn": ("attention-vs-flash", "triton"),
    "attention-causal-vs-cudnn": ("attention-causal-vs-flash", "triton"),
}
LADDER = {
    "attention-numba-one-group": (one_group.one_group_kernel, 64, 128, one_group.SHARED_1),
    "attention-numba-two-consumers": (
        two_consumers.two_consumers_kernel, 128, 384, two_consumers.SHARED_2
    ),
}  # fmt: skip
NAMES = {"CUDNN_ATTENTION": "cuDNN, through torch", "FLASH_ATTENTION": "torch's flash backend"}


def run(bench):
    for id, shape in {**NUMBA, **TRITON}.items():
        if bench.quick:
            shape = (*shape[:3], 1000, *shape[4:])
        with bench.part(f"{id} {shape}"):
            compare(bench, id, *shape)
    with bench.part("the ladder"):
        ladder(bench, 1000 if bench.quick else 16384)
    with bench.part("a thread a query"):
        plain(bench, 1024 if bench.quick else 4096)


class Returned(Bfloat16):
    """The output of a function that returns a new tensor, which ``held`` keeps for the check."""

    def poison(self):
        super().poison()
        self.held = None

    def error(self, expected):
        if self.held is not None:
            self.array[...] = cp.asarray(self.held.view(torch.int16)).view(cp.uint16)
        return super().error(expected)


def by_torch(backend, q, k, v, causal, output):
    grouped = q.shape[1] != k.shape[1]

    def call():
        with sdpa_kernel(getattr(SDPBackend, backend)):
            output.held = scaled_dot_product_attention(
                q, k, v, is_causal=causal, enable_gqa=grouped
            )

    return Reference(NAMES[backend], call, output)


def in_float64(q, k, v, causal):
    """Return attention of (batch, heads, length, depth) of float32 in float64, head by head."""
    out = cp.empty(q.shape, cp.float64)
    group, length = q.shape[1] // k.shape[1], q.shape[2]
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            keys, values = (x[b, h // group].astype(cp.float64) for x in (k, v))
            for first in range(0, length, 4096):
                rows = slice(first, first + 4096)
                scores = q[b, h, rows].astype(cp.float64) @ keys.T / np.sqrt(q.shape[3])
                if causal:
                    column = cp.arange(length)
                    scores[column > (first + cp.arange(len(scores)))[:, None]] = -np.inf
                scores = cp.exp(scores - scores.max(axis=1, keepdims=True))
                out[b, h, rows] = scores / scores.sum(axis=1, keepdims=True) @ values
    return out


def operands(bench, batch, heads, shared, length, depth):
    """Return q, k and v as bfloat16 bits, as PyTorch's tensors, and as float32."""
    sizes = [(batch, n, length, depth) for n in (heads, shared, shared)]
    bits = [narrow(bench.random(size)) for size in sizes]
    return bits, [as_torch(x) for x in bits], [widen(x) for x in bits]


def flat(bench, array):
    """Return Numba's view of (batch, heads, length, depth) as (batch * heads, length, depth)."""
    return bench.device.numba(array.reshape(-1, *array.shape[2:]))


def compare(bench, id, batch, heads, shared, length, depth, causal):
    bits, tensors, wide = operands(bench, batch, heads, shared, length, depth)
    expected = in_float64(*wide, causal)
    del wide
    output = Bfloat16(bench.xp, bits[0].shape)
    file, way = "kernels/attention/overlap.py", "Numba"
    if id in TRITON:
        file, way = "kernels/in_triton/attention.py", "Triton"
        t_out = as_torch(output.array)

        def ours():
            flash_triton(*tensors, causal, out=t_out)
    else:
        kernel, blocks, threads, memory, arguments = overlap.flash_arguments(
            *(flat(bench, x) for x in (*bits, output.array)), causal
        )
        launch(kernel, blocks, threads, memory, *arguments)
        configured = kernel[blocks, threads, 0, memory]

        def ours():
            configured(*arguments)

    mask = "causal" if causal else "full"
    what = f"{way}, {mask}, {batch} x {heads} heads x {length} x {depth}, bfloat16"
    rows = {id: "CUDNN_ATTENTION"}
    if id in FLASH:
        rows[FLASH[id][0]] = "FLASH_ATTENTION"
    for row, backend in rows.items():
        bench.compare(
            [Case(row, f"Attention forward, {what}", file, ours, output)],
            by_torch(backend, *tensors, causal, Returned(bench.xp, bits[0].shape)),
            expected,
            size=length,
            dtype="bfloat16",
            unit="TFLOP/s",
            tolerance=6e-3,  # weights and results are rounded to 8 bits
            bytes=2 * (2 * bits[0].size + 2 * bits[1].size),
            flops=4 * batch * heads * length * length * depth // (2 if causal else 1),
        )


def ladder(bench, length):
    heads, depth = 16, 128
    bits, tensors, wide = operands(bench, 1, heads, heads, length, depth)
    expected = in_float64(*wide, False)
    cases = []
    for id, (kernel, bm, threads, memory) in LADDER.items():
        output = Bfloat16(bench.xp, bits[0].shape)
        blocks, arguments = one_group.rung_arguments(
            *(flat(bench, x) for x in (*bits, output.array)), bm
        )
        launch(kernel, blocks, threads, memory, *arguments)
        configured = kernel[blocks, threads, 0, memory]
        file = f"kernels/attention/{id.removeprefix('attention-numba-').replace('-', '_')}.py"
        title = f"Attention forward, Numba, {kernel.py_func.__name__}, {heads} heads x {length}"
        call = lambda configured=configured, arguments=arguments: configured(*arguments)  # noqa: E731
        cases.append(Case(id, title, file, call, output))
    bench.compare(
        cases,
        by_torch("CUDNN_ATTENTION", *tensors, False, Returned(bench.xp, bits[0].shape)),
        expected,
        size=length,
        dtype="bfloat16",
        unit="TFLOP/s",
        tolerance=6e-3,
        bytes=2 * 4 * bits[0].size,
        flops=4 * heads * length * length * depth,
    )


def plain(bench, length):
    """One head in float32, one thread a query, against torch's flash backend in bfloat16."""
    depth = 128
    bits, tensors, wide = operands(bench, 1, 1, 1, length, depth)
    output = bench.output((length, depth))
    arguments = [bench.device.numba(x.reshape(length, depth)) for x in (*wide, output.array)]
    configured = online_kernel[-(-length // 128), 128]
    scale = np.float32(1 / np.sqrt(depth))
    bench.compare(
        [
            Case(
                "attention-numba-plain",
                f"Attention forward, Numba, a thread a query, float32, 1 head x {length}",
                "kernels/attention/plain.py",
                lambda: configured(*arguments, scale, False),
                output,
            )
        ],
        by_torch("CUDNN_ATTENTION", *tensors, False, Returned(bench.xp, bits[0].shape)),
        in_float64(*wide, False),
        size=length,
        dtype="float32",
        unit="TFLOP/s",
        tolerance=6e-3,
        bytes=4 * 4 * length * depth,
        flops=4 * length * length * depth,
    )
