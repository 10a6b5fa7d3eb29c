"""y = alpha x + y in half precision: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

axpy_cuda = cp.RawModule(code=open("axpy_half.cu").read()).get_function("axpy_half")
d_y = cp.asarray(y)
axpy_cuda((2,), (4,), (np.float16(2), cp.asarray(x), d_y, np.uint32(y.size)))
assert np.array_equal(d_y.get(), axpy_half(2, x, y, threads=4))

# --8<-- [end:run]
