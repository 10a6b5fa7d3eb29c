"""Launch the kernels of the MLIR lesson on arrays of CuPy."""

# --8<-- [start:numba]
import cupy as cp
import numpy as np

d_c = cp.linspace(-40, 100, 1_000_003, dtype=cp.float32)
exact = 1.8 * d_c.astype(cp.float64) + 32
blocks = -(-d_c.size // 256)
for kernel in (to_fahrenheit, to_fahrenheit_single):  # noqa: F821
    d_f = cp.full_like(d_c, np.nan)
    kernel[blocks, 256](d_c, d_f)
    assert cp.allclose(d_f, exact, rtol=1e-6, atol=1e-5), kernel
# --8<-- [end:numba]

# --8<-- [start:mlir]
with open("to_fahrenheit.ptx", "w") as file:
    file.write(made)  # noqa: F821
by_hand = cp.RawModule(path="to_fahrenheit.ptx").get_function("to_fahrenheit_kernel")

zero, one, tile, n = (np.int64(x) for x in (0, 1, 256, d_c.size))
d_f = cp.full_like(d_c, np.nan)
constants = np.float32(1.8), np.float32(32)
arguments = (tile, zero, n, one, d_c, d_c, zero, n, one, *constants, d_f, d_f, zero, n, one)
by_hand((blocks,), (256,), arguments)
assert cp.allclose(d_f, exact, rtol=1e-6, atol=1e-5)
# --8<-- [end:mlir]
