"""Gather and scatter in CuPy."""

# ruff: noqa: F821  (the page has imported NumPy)
# --8<-- [start:run]
import cupy as cp

random = cp.random.default_rng(7)
x = random.standard_normal(1003, dtype=cp.float32)
places = random.integers(0, 1003, 5000, dtype=cp.int32)
assert np.array_equal(x[places].get(), x.get()[places.get()])

sums = cp.zeros(1003, dtype=cp.float32)
cp.add.at(sums, places, cp.float32(1))
assert np.array_equal(sums.get(), np.bincount(places.get(), minlength=1003))

# --8<-- [end:run]
