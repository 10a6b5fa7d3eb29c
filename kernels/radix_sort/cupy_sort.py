"""Sort in CuPy."""

# ruff: noqa: F821  (the page has imported NumPy)
# --8<-- [start:run]
import cupy as cp

x = cp.random.default_rng(7).integers(0, 2**32, 1_000_003, dtype=cp.uint32)
assert np.array_equal(cp.sort(x).get(), np.sort(x.get()))

# --8<-- [end:run]
