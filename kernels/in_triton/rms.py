"""The exercise of the Triton page: RMS normalization."""

import torch
import triton
import triton.language as tl


# --8<-- [start:kernel]
@triton.jit
def rms_kernel(x, out, columns, epsilon, BLOCK: tl.constexpr):
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    inside = column < columns
    value = tl.load(x + row * columns + column, mask=inside, other=0.0)
    scale = tl.rsqrt(tl.sum(value * value, axis=0) / columns + epsilon)
    tl.store(out + row * columns + column, value * scale, mask=inside)


# --8<-- [end:kernel]


def _example():
    """
    --8<-- [start:example]
    >>> x = torch.randn(50, 1000, device="cuda")
    >>> out = torch.empty_like(x)
    >>> _ = rms_kernel[(50,)](x, out, 1000, 1e-6, BLOCK=1024)
    >>> torch.allclose(out, torch.nn.functional.rms_norm(x, (1000,), eps=1e-6), atol=1e-6)
    True

    --8<-- [end:example]
    """
    return torch
