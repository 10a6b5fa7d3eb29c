"""Attention backward: Triton and Numba on Hopper, against torch's flash backend and cuDNN.

A backward pass begins with what the forward pass kept: its output, and each row's lse. Both are
computed before the clock starts, ours and the reference's alike.
"""

import math

import cupy as cp
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from benchmarks.attention import NAMES, flat
from benchmarks.harness import Case, Reference
from benchmarks.tensor_cores import Bfloat16, as_torch, narrow, widen
from kernels.attention import backward, overlap
from kernels.in_triton import attention_backward
from kernels.tensor_cores.wgmma import launch

CUDNN, FLASH = "CUDNN_ATTENTION", "FLASH_ATTENTION"
# id -> ours, the reference, and batch, heads, heads of k and v, length, depth, causal.
ROWS = {
    "attention-backward-vs-flash": ("Triton", FLASH, (1, 16, 16, 16384, 128, False)),
    "attention-backward-causal-vs-flash": ("Triton", FLASH, (1, 16, 16, 16384, 128, True)),
    "attention-backward-64-vs-flash": ("Triton", FLASH, (1, 32, 32, 16384, 64, False)),
    "attention-backward-vs-cudnn": ("Triton", CUDNN, (1, 16, 16, 16384, 128, False)),
    "attention-numba-backward-vs-cudnn": ("Numba", CUDNN, (1, 16, 16, 16384, 128, False)),
    "attention-numba-backward-vs-flash": ("Numba", FLASH, (1, 16, 16, 16384, 128, False)),
    "attention-numba-backward-causal-vs-cudnn": ("Numba", CUDNN, (1, 16, 16, 16384, 128, True)),
    "attention-numba-backward-vs-cudnn-4096": ("Numba", CUDNN, (4, 16, 16, 4096, 128, False)),
    "attention-numba-backward-causal-vs-cudnn-4096": (
        "Numba", CUDNN, (4, 16, 16, 4096, 128, True)
    ),
    "attention-numba-backward-vs-cudnn-1024": ("Numba", CUDNN, (16, 16, 16, 1024, 128, False)),
    "attention-numba-backward-vs-cudnn-4000": ("Numba", CUDNN, (4, 16, 16, 4000, 128, False)),
    "attention-numba-backward-vs-cudnn-grouped": ("Numba", CUDNN, (2, 32, 4, 4096, 128, False)),
}  # fmt: skip
FILES = {
    "Triton": "kernels/in_triton/attention_backward.py",
    "Numba": "kernels/attention/backward.py",
}


def run(bench):
    for id, (way, backend, shape) in ROWS.items():
        if bench.quick:
            shape = (*shape[:3], 1000, *shape[4:])
        with bench.part(f"{id} {shape}"):
            compare(bench, id, way, backend, *shape)


class Gradients(Bfloat16):
    """dq, dk and dv, one behind the other; ``held`` are new tensors, copied there for the check."""

    def __init__(self, xp, shapes):
        super().__init__(xp, sum(math.prod(shape) for shape in shapes))
        self.parts, first = [], 0
        for shape in shapes:
            size = math.prod(shape)
            self.parts.append(self.array[first : first + size].reshape(shape))
            first += size

    def poison(self):
        super().poison()
        self.held = None

    def error(self, expected):
        for part, tensor in zip(self.parts, self.held or (), strict=bool(self.held)):
            part[...] = cp.asarray(tensor.contiguous().view(torch.int16)).view(cp.uint16)
        return super().error(expected)


def by_torch(backend, q, k, v, d_out, causal, output):
    leaves = [x.detach().requires_grad_() for x in (q, k, v)]
    with sdpa_kernel(getattr(SDPBackend, backend)):
        out = scaled_dot_product_attention(
            *leaves, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1]
        )

    def call():
        output.held = torch.autograd.grad(out, leaves, d_out, retain_graph=True)

    return Reference(f"{NAMES[backend]}, backward", call, output)


def in_float64(q, k, v, d_out, causal):
    """Return dq, dk and dv in float64, one behind the other, of arrays of float32."""
    dq, dk, dv = (cp.zeros(x.shape, cp.float64) for x in (q, k, v))
    group, length, scale = q.shape[1] // k.shape[1], q.shape[2], q.shape[3] ** -0.5
    for b in range(q.shape[0]):
        for h in range(q.shape[1]):
            shared = b, h // group
            keys, values = (x[shared].astype(cp.float64) for x in (k, v))
            for first in range(0, length, 4096):
                rows = slice(first, first + 4096)
                these, asked = (x[b, h, rows].astype(cp.float64) for x in (q, d_out))
                weights = these @ keys.T * scale
                if causal:
                    hidden = cp.arange(length) > (first + cp.arange(len(weights)))[:, None]
                    weights[hidden] = -cp.inf
                weights = cp.exp(weights - weights.max(axis=1, keepdims=True))
                weights /= weights.sum(axis=1, keepdims=True)
                dv[shared] += weights.T @ asked
                d_scores = asked @ values.T
                d_scores -= (weights * d_scores).sum(axis=1, keepdims=True)
                d_scores *= weights * scale
                dq[b, h, rows] = d_scores @ keys
                dk[shared] += d_scores.T @ these
    return cp.concatenate([x.reshape(-1) for x in (dq, dk, dv)])


def by_triton(bench, bits, causal, output):
    q, k, v, d_out = (as_torch(x) for x in bits)
    out, lse = attention_backward.forward(q, k, v, causal)

    def call():
        output.held = attention_backward.backward(q, k, v, out, lse, d_out, causal)

    return call


def by_numba(bench, bits, causal, output):
    d_q, d_k, d_v, d_do = (flat(bench, x) for x in bits)
    d_out = flat(bench, cp.empty_like(bits[0]))
    kernel, blocks, threads, memory, arguments = overlap.flash_arguments(
        d_q, d_k, d_v, d_out, causal
    )
    launch(kernel, blocks, threads, memory, *arguments)
    d_rows, d_total = backward.workspace(*d_q.shape[:2])
    backward.row_lse(d_q, d_k, causal, d_rows)
    results = [flat(bench, x) for x in output.parts]
    return backward.gradients(d_q, d_k, d_v, d_out, d_do, d_rows, d_total, *results, causal)


def compare(bench, id, way, backend, batch, heads, shared, length, depth, causal):
    sizes = [(batch, n, length, depth) for n in (heads, shared, shared)]
    bits = [narrow(bench.random(size)) for size in (*sizes, sizes[0])]
    expected = in_float64(*(widen(x) for x in bits), causal)
    output = Gradients(bench.xp, sizes)
    ours = {"Triton": by_triton, "Numba": by_numba}[way](bench, bits, causal, output)
    mask = "causal" if causal else "full"
    title = f"Attention backward, {way}, {mask}, {batch} x {heads} heads x {length} x {depth}"
    bench.compare(
        [Case(id, f"{title}, bfloat16", FILES[way], ours, output)],
        by_torch(backend, *map(as_torch, bits), causal, Gradients(bench.xp, sizes)),
        expected,
        size=length,
        dtype="bfloat16",
        unit="TFLOP/s",
        tolerance=1e-2,  # weights, their gradients and the results are rounded to 8 bits
        bytes=2 * (4 * bits[0].size + 4 * bits[1].size),  # q, d_out, out, dq; k, v, dk, dv
        flops=10 * batch * heads * length * length * depth // (2 if causal else 1),
    )
