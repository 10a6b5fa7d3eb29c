"""A custom operator of PyTorch in C++ and CUDA: built, registered, differentiated, checked."""

# --8<-- [start:imports]
import torch
from torch.utils.cpp_extension import load

# --8<-- [end:imports]

# --8<-- [start:build]
load(
    name="swiglu",
    sources=["swiglu.cu", "binding.cpp"],
    extra_cuda_cflags=["-O3"],
    is_python_module=False,  # no module to import: loading it registers the operators
)
# --8<-- [end:build]


# --8<-- [start:register]
@torch.library.register_fake("lockstep::swiglu")
def _(gate, up):
    torch._check(gate.shape == up.shape)
    return torch.empty_like(gate, memory_format=torch.contiguous_format)


@torch.library.register_fake("lockstep::swiglu_backward")
def _(grad, gate, up):
    shape_of = torch.contiguous_format
    return torch.empty_like(gate, memory_format=shape_of), torch.empty_like(
        up, memory_format=shape_of
    )


def keep_inputs(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def gradient(ctx, grad):
    return torch.ops.lockstep.swiglu_backward(grad, *ctx.saved_tensors)


torch.library.register_autograd("lockstep::swiglu", gradient, setup_context=keep_inputs)
# --8<-- [end:register]


# --8<-- [start:use]
def swiglu(gate, up):
    """Return gate * sigmoid(gate) * up for float32 or float64 tensors on a GPU.

    --8<-- [start:example]
    >>> gate, up = torch.randn(2, 33, 1001, device="cuda")
    >>> torch.allclose(swiglu(gate, up), torch.nn.functional.silu(gate) * up, atol=1e-6)
    True
    >>> swiglu(gate, up[:5])
    Traceback (most recent call last):
    ValueError: shapes (33, 1001) and (5, 1001)

    --8<-- [end:example]
    """
    if gate.shape != up.shape:
        raise ValueError(f"shapes {tuple(gate.shape)} and {tuple(up.shape)}")
    return torch.ops.lockstep.swiglu(gate, up)


# --8<-- [end:use]


def _checks():
    """
    --8<-- [start:gradcheck]
    >>> small = [torch.randn(3, 5, device="cuda", dtype=torch.float64) for _ in range(2)]
    >>> for x in small:
    ...     _ = x.requires_grad_()
    >>> torch.autograd.gradcheck(swiglu, small)
    True

    --8<-- [end:gradcheck]
    --8<-- [start:opcheck]
    >>> found = torch.library.opcheck(torch.ops.lockstep.swiglu.default, small)
    >>> for test, result in found.items():
    ...     print(test, result)
    test_schema SUCCESS
    test_autograd_registration SUCCESS
    test_faketensor SUCCESS
    test_aot_dispatch_dynamic SUCCESS

    --8<-- [end:opcheck]
    --8<-- [start:compile]
    >>> @torch.compile(fullgraph=True)  # an error where the graph would break
    ... def layer(gate, up):
    ...     return swiglu(gate + 1, up).sum()
    >>> gate, up = torch.randn(2, 33, 1001, device="cuda", requires_grad=True)
    >>> torch.allclose(layer(gate, up), swiglu(gate + 1, up).sum())
    True

    --8<-- [end:compile]
    """
