"""SwiGLU on PyTorch's tensors by Numba, CuPy and Triton, and a Python function as an operator."""

# --8<-- [start:imports]
import math

import cupy as cp
import torch
import triton
import triton.language as tl
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:numba]
@cuda.jit
def swiglu_kernel(gate, up, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = gate[i] / (1 + math.exp(-gate[i])) * up[i]


def swiglu_numba(gate, up):
    """Numba reads a tensor's address from __cuda_array_interface__; it must not want gradients."""
    gate, up = gate.detach().reshape(-1), up.detach().reshape(-1)
    out = torch.empty_like(gate)
    stream = cuda.external_stream(torch.cuda.current_stream().cuda_stream)
    swiglu_kernel[-(-out.numel() // 256), 256, stream](gate, up, out)
    return out


# --8<-- [end:numba]


# --8<-- [start:cupy]
swiglu_raw = cp.RawKernel(
    r"""
extern "C" __global__ void swiglu(const float* gate, const float* up, float* out, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) out[i] = gate[i] / (1 + expf(-gate[i])) * up[i];
}""",
    "swiglu",
)


def swiglu_cupy(gate, up):
    """CuPy takes tensors by DLPack: an array on the same memory, nothing is copied."""
    gate, up = gate.detach().contiguous(), up.detach().contiguous()
    out = torch.empty_like(gate)
    arrays = [cp.from_dlpack(x) for x in (gate, up, out)]
    with cp.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
        swiglu_raw((-(-out.numel() // 256),), (256,), (*arrays, out.numel()))
    return out


# --8<-- [end:cupy]


# --8<-- [start:triton]
@triton.jit
def swiglu_triton_kernel(gate, up, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + i, mask=i < n)
    result = g * tl.sigmoid(g) * tl.load(up + i, mask=i < n)
    tl.store(out + i, result, mask=i < n)


def swiglu_triton(gate, up):
    """Triton takes tensors as they are, on PyTorch's current stream."""
    gate, up = gate.contiguous(), up.contiguous()
    out = torch.empty_like(gate)
    n = out.numel()
    swiglu_triton_kernel[(triton.cdiv(n, 1024),)](gate, up, out, n, BLOCK=1024)
    return out


# --8<-- [end:triton]


def _three():
    """
    --8<-- [start:example]
    >>> gate, up = torch.randn(2, 100_003, device="cuda")
    >>> right = torch.nn.functional.silu(gate) * up
    >>> for way in (swiglu_numba, swiglu_cupy, swiglu_triton):
    ...     print(torch.allclose(way(gate, up), right, atol=1e-6))
    True
    True
    True

    --8<-- [end:example]
    """


# --8<-- [start:custom_op]
@torch.library.custom_op("lockstep::swiglu_python", mutates_args=())
def swiglu_python(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    return swiglu_numba(gate, up).reshape(gate.shape)


@swiglu_python.register_fake
def _(gate, up):
    return torch.empty_like(gate, memory_format=torch.contiguous_format)


# --8<-- [end:custom_op]


def _custom():
    """
    --8<-- [start:custom_op_example]
    >>> torch.allclose(swiglu_python(gate, up), right, atol=1e-6)
    True
    >>> set(torch.library.opcheck(swiglu_python, (gate, up)).values())
    {'SUCCESS'}

    --8<-- [end:custom_op_example]
    """
