"""What mma.sync can do at most: a kernel that multiplies registers, and nothing else."""

import numpy as np
from numba import cuda

from kernels.tensor_cores.mma_sync import load_a, load_b, multiply, shared_address, zeros
from kernels.tensor_cores.ptx import ptx

# --8<-- [start:kernel]
add_all = ptx(
    "mov.f32 %0, 0f00000000;" + "".join(f" add.f32 %0, %0, %1[{i}];" for i in range(128)), "=f f128"
)


@cuda.jit
def ceiling_kernel(numbers, out, steps):
    """Each warp multiplies 64 x 16 by 16 x 64, over and over: 131,072 operations a step."""
    memory = cuda.shared.array((64, 64), np.uint16, alignment=1024)
    for i in range(cuda.threadIdx.x, 64 * 64, cuda.blockDim.x):
        memory[i // 64, i % 64] = numbers[i]
    cuda.syncthreads()
    at = shared_address(memory.ctypes.data) + cuda.threadIdx.x % 16 * 128
    a, b = load_a(at), load_b(at)
    total = zeros()
    for _ in range(steps):
        total = multiply(total, a, b)
    out[cuda.grid(1)] = add_all(total)  # a product that nobody uses would not be made


# --8<-- [end:kernel]
