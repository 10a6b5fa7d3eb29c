"""The exercise of the page on extensions: GeGLU in Triton, as an operator with a gradient."""

import math

import torch
import triton
import triton.language as tl


# --8<-- [start:kernel]
@triton.jit
def geglu_kernel(gate, up, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + i, mask=i < n)
    half = 0.5 * (1 + tl.math.erf(g * 0.7071067811865476))
    tl.store(out + i, g * half * tl.load(up + i, mask=i < n), mask=i < n)


@torch.library.custom_op("lockstep::geglu", mutates_args=())
def geglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    gate, up = gate.contiguous(), up.contiguous()
    out = torch.empty_like(gate)
    n = out.numel()
    geglu_kernel[(triton.cdiv(n, 1024),)](gate, up, out, n, BLOCK=1024)
    return out


@geglu.register_fake
def _(gate, up):
    return torch.empty_like(gate, memory_format=torch.contiguous_format)


def geglu_gradient(ctx, grad):
    g, up = ctx.saved_tensors
    half = 0.5 * (1 + torch.erf(g / math.sqrt(2)))
    bell = torch.exp(-g * g / 2) / math.sqrt(2 * math.pi)
    return grad * up * (half + g * bell), grad * g * half


def keep_both(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


geglu.register_autograd(geglu_gradient, setup_context=keep_both)
# --8<-- [end:kernel]


def _example():
    """
    --8<-- [start:example]
    >>> inputs = [torch.randn(3, 5, device="cuda", dtype=torch.float64) for _ in range(2)]
    >>> inputs = [x.requires_grad_() for x in inputs]
    >>> torch.allclose(geglu(*inputs), torch.nn.functional.gelu(inputs[0]) * inputs[1])
    True
    >>> torch.autograd.gradcheck(geglu, inputs)
    True

    --8<-- [end:example]
    """
