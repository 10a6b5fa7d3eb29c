"""Attention forward in FP8: Numba on Hopper, beside cuDNN's attention in bfloat16."""

import cupy as cp

from benchmarks.attention import Returned, by_torch, flat, in_float64, operands
from benchmarks.harness import Case
from benchmarks.tensor_cores import Bfloat16
from kernels.attention import fp8
from kernels.attention.transposed_values import transposed_values
from kernels.tensor_cores.wgmma import launch

FILE = "kernels/attention/fp8.py"
# id -> sequences, heads, length, causal. The head dimension is 128.
ROWS = {
    "attention-fp8-numba-vs-cudnn": (1, 16, 16384, False),
    "attention-fp8-numba-causal-vs-cudnn": (1, 16, 16384, True),
    "attention-fp8-numba-vs-cudnn-4096": (4, 16, 4096, False),
    "attention-fp8-numba-causal-vs-cudnn-4096": (4, 16, 4096, True),
}


def run(bench):
    for id, (batch, heads, length, causal) in ROWS.items():
        with bench.part(f"{id} {batch} x {heads} x {length}"):
            compare(bench, id, batch, heads, 1000 if bench.quick else length, causal)


def quantized(bench, wide):
    """Return Numba's view of (heads, length, 32 words of e4m3), and the scale."""
    bits, scale = fp8.quantize(cp.asnumpy(wide.reshape(-1, *wide.shape[2:])))
    return bench.device.numba(cp.asarray(bits)), scale


def compare(bench, id, batch, heads, length, causal):
    bits, tensors, wide = operands(bench, batch, heads, heads, length, 128)
    expected = in_float64(*wide, causal)
    (d_q, d_k, d_v), scales = zip(*(quantized(bench, x) for x in wide), strict=True)
    del wide
    output = Bfloat16(bench.xp, bits[0].shape)
    d_vt, transpose = transposed_values(d_v)
    kernel, blocks, threads, memory, arguments = fp8.fp8_flash_arguments(
        d_q, d_k, d_vt, flat(bench, output.array), length, scales, causal
    )
    transpose()
    launch(kernel, blocks, threads, memory, *arguments)
    configured = kernel[blocks, threads, 0, memory]

    def ours():
        transpose()
        configured(*arguments)

    mask = "causal" if causal else "full"
    bench.compare(
        [
            Case(
                id,
                f"Attention forward, Numba, {mask}, {batch} x {heads} heads x {length} x 128, e4m3,"
                " with the transposition of v; the reference in bfloat16",
                FILE,
                ours,
                output,
            )
        ],
        by_torch("CUDNN_ATTENTION", *tensors, causal, Returned(bench.xp, bits[0].shape)),
        expected,
        size=length,
        dtype="float8_e4m3",
        unit="TFLOP/s",
        tolerance=0.08,  # e4m3 has three bits behind the point: of each operand and of the weights
        bytes=batch * heads * length * 128 * (1 + 1 + 3 + 2),
        flops=4 * batch * heads * length * length * 128 // (2 if causal else 1),
    )
