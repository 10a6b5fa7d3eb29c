"""Layer and RMS normalization in Triton: a program a row."""

import triton
import triton.language as tl


# --8<-- [start:kernel]
@triton.jit
def norm_kernel(x, weight, bias, out, columns, eps, CENTERED: tl.constexpr, BLOCK: tl.constexpr):
    row, column = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    inside = column < columns
    value = tl.load(x + row * columns + column, mask=inside, other=0.0)
    if CENTERED:
        value = tl.where(inside, value - tl.sum(value, axis=0) / columns, 0.0)
    scale = tl.rsqrt(tl.sum(value * value, axis=0) / columns + eps)
    value *= scale * tl.load(weight + column, mask=inside)
    if CENTERED:
        value += tl.load(bias + column, mask=inside)
    tl.store(out + row * columns + column, value, mask=inside)


# --8<-- [end:kernel]


# --8<-- [start:host]
def norm_triton(x, weight, bias, out, eps=1e-5):
    """Write the layer norm of each row of x to out; without a bias (None), its RMS norm.

    --8<-- [start:example]
    >>> x, out = torch.randn(300, 1000, device="cuda"), torch.empty(300, 1000, device="cuda")
    >>> weight, bias = torch.randn(2, 1000, device="cuda")
    >>> norm_triton(x, weight, bias, out)
    >>> torch.allclose(out, layer_norm(x, (1000,), weight, bias), atol=1e-4)
    True
    >>> norm_triton(x, weight, None, out)
    >>> torch.allclose(out, torch.nn.functional.rms_norm(x, (1000,), weight, 1e-5), atol=1e-4)
    True

    --8<-- [end:example]
    """
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    warps = min(max(block // 1024, 1), 32)  # 32 numbers a thread
    shift = weight if bias is None else bias  # an RMS norm reads none
    norm_kernel[(rows,)](
        x, weight, shift, out, columns, eps, bias is not None, block, num_warps=warps
    )


# --8<-- [end:host]
