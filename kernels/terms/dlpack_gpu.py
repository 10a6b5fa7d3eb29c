"""DLPack between CuPy and PyTorch: one array in the GPU's memory, seen by both.

Source: https://docs.cupy.dev/en/stable/user_guide/interoperability.html
"""

# --8<-- [start:gpu]
import cupy as cp
import torch

x = torch.arange(4, dtype=torch.float32, device="cuda")
y = cp.from_dlpack(x)  # CuPy's view of PyTorch's memory
y += 10
assert y.data.ptr == x.data_ptr()  # one address
assert x.tolist() == [10.0, 11.0, 12.0, 13.0]
# --8<-- [end:gpu]
