"""Merge in CuPy, which has no function for it."""

# ruff: noqa: F821  (the page has imported NumPy)
# --8<-- [start:run]
import cupy as cp

random = cp.random.default_rng(7)
x, y = (cp.sort(random.integers(0, 1000, n, dtype=cp.int32)) for n in (1003, 517))
both = cp.sort(cp.concatenate([x, y]))
assert np.array_equal(both.get(), np.sort(np.concatenate([x.get(), y.get()])))

# --8<-- [end:run]
