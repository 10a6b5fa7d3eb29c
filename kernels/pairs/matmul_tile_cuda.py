"""Matrix product through tiles: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

matmul_cuda = cp.RawModule(code=open("matmul.cu").read()).get_function("matmul")
c = cp.empty((2, 4), dtype=cp.float32)
sizes = np.uint32(2), np.uint32(4), np.uint32(3)
matmul_cuda((1, 1), (16, 16), (cp.asarray(a), cp.asarray(b), c, *sizes))
assert np.array_equal(c.get(), matmul(a, b))

# --8<-- [end:run]
