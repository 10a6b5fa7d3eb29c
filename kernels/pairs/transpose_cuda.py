"""Transpose through a tile: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

transpose_cuda = cp.RawModule(code=open("transpose.cu").read()).get_function("transpose")
out = cp.empty((3, 2), dtype=cp.float32)
transpose_cuda((1, 1), (16, 16), (cp.asarray(matrix), out, np.uint32(2), np.uint32(3)))
assert np.array_equal(out.get(), transpose(matrix))

# --8<-- [end:run]
