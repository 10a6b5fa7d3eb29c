"""cuDNN from Python, through PyTorch: is it there, which of its modes are on, who really ran."""

# --8<-- [start:imports]
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import batch_norm, conv2d, layer_norm, scaled_dot_product_attention
from torch.profiler import ProfilerActivity, profile

# --8<-- [end:imports]


def _there():
    """
    --8<-- [start:there]
    >>> torch.backends.cudnn.is_available()
    True
    >>> torch.backends.cudnn.version() // 10000  # 9, then two digits of the minor version
    9

    --8<-- [end:there]
    """


# --8<-- [start:modes]
def error_of_conv(x, w, precision):
    """Return the error of a float32 convolution against float64, in one mode of cuDNN."""
    conv = torch.backends.cudnn.conv
    before = conv.fp32_precision
    conv.fp32_precision = precision
    try:
        got = conv2d(x, w, padding=1)
    finally:
        conv.fp32_precision = before
    right = conv2d(x.double(), w.double(), padding=1)
    return ((got - right).norm() / right.norm()).item()


# --8<-- [end:modes]


def _modes():
    """
    --8<-- [start:modes_example]
    >>> generator = torch.Generator("cuda").manual_seed(1)
    >>> x = torch.randn(8, 256, 64, 64, device="cuda", generator=generator)
    >>> w = torch.randn(256, 256, 3, 3, device="cuda", generator=generator)
    >>> torch.backends.cudnn.conv.fp32_precision  # as PyTorch comes
    'tf32'
    >>> 1e-4 < error_of_conv(x, w, "tf32") < 1e-3  # ten bits of each fraction
    True
    >>> error_of_conv(x, w, "ieee") < 1e-6
    True

    --8<-- [end:modes_example]
    """


# --8<-- [start:kernels]
def kernels_of(call):
    """Return the names of the GPU kernels that a call launches, in order."""
    call()  # what is chosen or compiled once is not what we ask for
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA]) as seen:
        call()
        torch.cuda.synchronize()
    return [event.name for event in seen.events() if event.device_type.name == "CUDA"]


# --8<-- [end:kernels]


# --8<-- [start:who]
image = torch.randn(8, 64, 56, 56, device="cuda")
taps = torch.randn(64, 64, 3, 3, device="cuda")
scale, shift = torch.ones(64, device="cuda"), torch.zeros(64, device="cuda")
q, k, v = torch.randn(3, 2, 8, 1024, 128, device="cuda", dtype=torch.bfloat16)


def attend(backend):
    with sdpa_kernel(backend):
        return scaled_dot_product_attention(q, k, v)


calls = {
    "conv2d": lambda: conv2d(image, taps, padding=1),
    "batch_norm": lambda: batch_norm(image, None, None, scale, shift, training=True),
    "layer_norm": lambda: layer_norm(image, (56,)),
    "attention, cuDNN": lambda: attend(SDPBackend.CUDNN_ATTENTION),
    "attention, flash": lambda: attend(SDPBackend.FLASH_ATTENTION),
}
for name, call in calls.items():
    for kernel in kernels_of(call):
        print(f"{name:17} {kernel[:80]}")
# --8<-- [end:who]
