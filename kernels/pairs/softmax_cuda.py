"""Softmax of each row: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

softmax_cuda = cp.RawModule(code=open("softmax.cu").read()).get_function("softmax")
out = cp.empty(x.shape, dtype=cp.float32)
softmax_cuda((2,), (32,), (cp.asarray(x), out, np.uint32(3)))
np.testing.assert_allclose(out.get(), softmax(x), rtol=1e-6)

# --8<-- [end:run]
