"""Attention backward by both compilers, from one text, beside cuDNN."""

import cupy as cp

from benchmarks.attention import flat
from benchmarks.attention_backward import CUDNN, Gradients, by_torch, in_float64
from benchmarks.harness import Case
from benchmarks.mlir_bridge import by_mlir
from benchmarks.tensor_cores import as_torch, narrow, widen
from kernels.attention import backward, overlap
from kernels.mlir_bridge.same_text import again, hopper
from kernels.tensor_cores.wgmma import launch

FILE = "kernels/attention/backward.py"
(backward_again,) = again("kernels.attention.backward")
backward_again.BACKWARD = [(hopper(kernel), shared) for kernel, shared in backward_again.BACKWARD]


def run(bench):
    for id, causal in (
        ("attention-backward-mlir", False),
        ("attention-backward-mlir-causal", True),
    ):
        with bench.part(id):
            compare(bench, id, 1, 16, 1000 if bench.quick else 16384, causal)


def compare(bench, id, batch, heads, length, causal):
    size = (batch, heads, length, 128)
    bits = [narrow(bench.random(size)) for _ in range(4)]
    expected = in_float64(*(widen(x) for x in bits), causal)
    output = Gradients(bench.xp, [size] * 3)

    d_q, d_k, d_v, d_do = (flat(bench, x) for x in bits)
    d_out = flat(bench, cp.empty_like(bits[0]))
    kernel, blocks, threads, memory, arguments = overlap.flash_arguments(
        d_q, d_k, d_v, d_out, causal
    )
    launch(kernel, blocks, threads, memory, *arguments)
    d_rows, d_total = backward.workspace(*d_q.shape[:2])
    backward.row_lse(d_q, d_k, causal, d_rows)
    arrays = d_q, d_k, d_v, d_out, d_do, d_rows, d_total, *(flat(bench, x) for x in output.parts)

    what = f"{'causal' if causal else 'full'}, {batch} x {heads} heads x {length} x 128, bfloat16"
    old = backward.gradients(*arrays, causal)
    new = backward_again.gradients(*map(by_mlir, arrays), causal)
    bench.compare(
        [
            Case(id, f"Attention backward, numba-cuda-mlir, {what}", FILE, new, output),
            Case(f"{id}-numba-cuda", f"Attention backward, numba-cuda, {what}", FILE, old, output),
        ],
        by_torch(CUDNN, *map(as_torch, bits), causal, Gradients(bench.xp, [size] * 3)),
        expected,
        size=length,
        dtype="bfloat16",
        unit="TFLOP/s",
        tolerance=1e-2,  # weights, their gradients and the results are rounded to 8 bits
        bytes=2 * 8 * bits[0].size,  # q, k, v, out, d_out; dq, dk, dv
        flops=10 * batch * heads * length**2 * 128 // (2 if causal else 1),
    )
