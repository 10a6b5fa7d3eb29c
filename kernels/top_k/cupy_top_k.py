"""The k largest in CuPy."""

# ruff: noqa: F821  (the page has imported NumPy)
# --8<-- [start:run]
import cupy as cp

x = cp.random.default_rng(7).integers(0, 2**32, 100_003, dtype=cp.uint32)
largest = cp.partition(x, x.size - 10)[-10:]
assert np.array_equal(np.sort(largest.get()), np.sort(x.get())[-10:])

# --8<-- [end:run]
