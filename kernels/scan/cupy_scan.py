"""Running sums in CuPy."""

# ruff: noqa: F821  (the page has imported NumPy)
# --8<-- [start:run]
import cupy as cp

x = cp.random.default_rng(7).integers(0, 100, 1_000_003, dtype=cp.int32)
running = cp.cumsum(x, dtype=cp.int32)
assert np.array_equal(running.get(), np.cumsum(x.get(), dtype=np.int32))

# --8<-- [end:run]
