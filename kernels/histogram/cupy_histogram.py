"""Histogram in CuPy."""

# ruff: noqa: F821  (the page has imported NumPy)
# --8<-- [start:run]
import cupy as cp

x = cp.random.default_rng(7).integers(0, 256, 1_000_003, dtype=cp.int32)
counts, edges = cp.histogram(x, bins=256, range=(0, 256))
assert np.array_equal(counts.get(), np.bincount(x.get(), minlength=256))

# --8<-- [end:run]
