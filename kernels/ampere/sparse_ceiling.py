"""What mma.sync and mma.sp can do at most in float16: products of registers, and nothing else."""

import numpy as np

# --8<-- [start:imports]
from numba import cuda, uint32

# --8<-- [end:imports]
from kernels.tensor_cores.ptx import ptx

# --8<-- [start:kernel]
DENSE = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {0}, %1, %2[0:2], {0};"
SPARSE = (
    "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32"
    " {0}, %1, %2, {0}, %3, 0x0;"
)
parts = [f"%0[{i}:{i + 4}]" for i in range(0, 64, 4)]  # sixteen products, one after the other
multiply_dense = ptx(" ".join(DENSE.format(part) for part in parts), "+f64 r4 r4 r")
multiply_sparse = ptx(" ".join(SPARSE.format(part) for part in parts), "+f64 r4 r4 r")
zeros = ptx(" ".join(f"mov.f32 %0[{i}], 0f00000000;" for i in range(64)), "=f64")
add_all = ptx(
    "mov.f32 %0, 0f00000000;" + "".join(f" add.f32 %0, %0, %1[{i}];" for i in range(64)), "=f f64"
)


def make_ceiling(multiply):
    """Return a kernel in which each warp multiplies the same registers, over and over."""

    @cuda.jit
    def ceiling_kernel(numbers, out, steps):
        i = cuda.grid(1)
        x = numbers[i]
        a, b = (x, x, x, x), (x, x, x, x)
        total = zeros()
        for _ in range(steps):
            total = multiply(total, a, b, uint32(0x44444444))  # the first two of each four
        out[i] = add_all(total)

    return ceiling_kernel


dense_ceiling_kernel = make_ceiling(multiply_dense)
sparse_ceiling_kernel = make_ceiling(multiply_sparse)


def run_ceiling(kernel, blocks, threads, steps):
    """Launch on small random float16 numbers, two in each uint32; return the sums."""
    pairs = np.random.default_rng(0).standard_normal(2 * blocks * threads).astype(np.float16)
    out = cuda.device_array(blocks * threads, np.float32)
    kernel[blocks, threads](cuda.to_device(pairs.view(np.uint32)), out, steps)
    return out.copy_to_host()


# --8<-- [end:kernel]


def _example():
    """
    --8<-- [start:example]
    >>> for kernel in (dense_ceiling_kernel, sparse_ceiling_kernel):
    ...     sums = run_ceiling(kernel, 1, 32, 3)
    ...     print(bool(np.isfinite(sums).all() and sums.any()))
    True
    True

    --8<-- [end:example]
    """
