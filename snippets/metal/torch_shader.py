"""A Metal kernel from PyTorch. Runs on a Mac only."""

# --8<-- [start:shader]
import torch

library = torch.mps.compile_shader("""
    kernel void scale(device float* x, constant float& factor,
                      uint i [[thread_position_in_grid]]) {
        x[i] *= factor;
    }
""")
x = torch.arange(5.0, device="mps")
library.scale(x, 2.0)  # one thread for each element of the first tensor
assert x.tolist() == [0, 2, 4, 6, 8]
# --8<-- [end:shader]
