"""Sum of five neighbors: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

stencil_cuda = cp.RawModule(code=open("stencil.cu").read()).get_function("stencil")
out = cp.empty(x.size, dtype=cp.int32)
stencil_cuda((1,), (64,), (cp.asarray(x), out, np.uint32(x.size)))
assert np.array_equal(out.get(), stencil(x))

# --8<-- [end:run]
