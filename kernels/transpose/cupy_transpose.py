"""Transpose in CuPy."""

# ruff: noqa: F821  (the page has imported NumPy)
# --8<-- [start:run]
import cupy as cp

a = cp.random.default_rng(7).standard_normal((1021, 523), dtype=cp.float32)
out = cp.ascontiguousarray(a.T)  # a.T alone moves nothing: the same memory with other strides
assert np.array_equal(out.get(), a.get().T)

# --8<-- [end:run]
