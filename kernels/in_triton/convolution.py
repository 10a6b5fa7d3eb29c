"""Convolution in Triton as an implicit matrix product: pixels x (filter tap, channel) x filters."""

# --8<-- [start:imports]
import torch
import triton
import triton.language as tl

# --8<-- [end:imports]


# --8<-- [start:kernel]
@triton.jit
def conv_kernel(
    x, w, out, height, width, outputs, pixels, padding,
    CHANNELS: tl.constexpr, R: tl.constexpr, S: tl.constexpr,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
):  # fmt: skip
    """x is (n, height, width, CHANNELS), w is (outputs, R, S, CHANNELS)."""
    pixel = tl.program_id(0) * BM + tl.arange(0, BM)
    k = tl.program_id(1) * BN + tl.arange(0, BN)
    row, column = pixel // width % height, pixel % width
    image = (pixel // (width * height)).to(tl.int64) * height
    inside = pixel < pixels
    acc = tl.zeros((BM, BN), tl.float32)
    for r in range(R):
        for s in range(S):
            i, j = row + r - padding, column + s - padding
            seen = inside & (i >= 0) & (i < height) & (j >= 0) & (j < width)
            place = ((image + i) * width + j) * CHANNELS
            for first in range(0, CHANNELS, BK):
                c = first + tl.arange(0, BK)
                a = tl.load(
                    x + place[:, None] + c,
                    mask=seen[:, None] & (c < CHANNELS),
                    other=0.0,
                )
                b = tl.load(
                    w + ((k * R + r) * S + s) * CHANNELS + c[:, None],
                    mask=(c < CHANNELS)[:, None] & (k < outputs),
                    other=0.0,
                )
                acc = tl.dot(a, b, acc)
    to = out + pixel.to(tl.int64)[:, None] * outputs + k
    tl.store(to, acc.to(out.dtype.element_ty), mask=inside[:, None] & (k < outputs))


# --8<-- [end:kernel]


# --8<-- [start:host]
# By the number of filters: the best of a dozen on an H200.
FEW = {"BM": 128, "BN": 64, "BK": 64, "num_warps": 4, "num_stages": 3}
MANY = {"BM": 128, "BN": 128, "BK": 32, "num_warps": 8, "num_stages": 4}


def conv_triton(x, w, out=None, **options):
    """Return conv2d of x (n, channels, height, width) by w (filters, channels, R, S), same size.

    R and S are odd. Both become channels last, which is free if they already are.

    --8<-- [start:example]
    >>> x = torch.randn(3, 40, 17, 19, device="cuda", dtype=torch.bfloat16)
    >>> w = torch.randn(24, 40, 3, 3, device="cuda", dtype=torch.bfloat16)
    >>> right = torch.nn.functional.conv2d(x.double(), w.double(), padding=1)
    >>> bool((conv_triton(x, w) - right).norm() < 0.004 * right.norm())
    True

    --8<-- [end:example]
    """
    (n, channels, height, width), (outputs, of_filter, R, S) = x.shape, w.shape
    if channels != of_filter or R != S or R % 2 == 0:
        raise ValueError(f"images {tuple(x.shape)} and filters {tuple(w.shape)}")
    x, w = (t.contiguous(memory_format=torch.channels_last) for t in (x, w))
    if out is None:
        out = torch.empty(
            (n, outputs, height, width), device=x.device, dtype=x.dtype,
            memory_format=torch.channels_last,
        )  # fmt: skip
    options = (MANY if outputs >= 128 else FEW) | options
    pixels = n * height * width
    grid = (triton.cdiv(pixels, options["BM"]), triton.cdiv(outputs, options["BN"]))
    conv_kernel[grid](
        x, w, out, height, width, outputs, pixels, R // 2,
        CHANNELS=channels, R=R, S=S, **options,
    )  # fmt: skip
    return out


# --8<-- [end:host]
