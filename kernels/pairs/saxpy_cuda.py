"""y = alpha x + y: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

saxpy_cuda = cp.RawModule(code=open("saxpy.cu").read()).get_function("saxpy")
d_y = cp.asarray(y)
saxpy_cuda((2,), (4,), (np.float32(2), cp.asarray(x), d_y, np.uint32(y.size)))
assert np.array_equal(d_y.get(), saxpy(2, x, y, threads=4))

# --8<-- [end:run]
