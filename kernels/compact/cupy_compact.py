"""Stream compaction in CuPy."""

# ruff: noqa: F821  (the page has imported NumPy)
# --8<-- [start:run]
import cupy as cp

x = cp.random.default_rng(7).standard_normal(1_000_003, dtype=cp.float32)
kept = x[x > 0]
assert np.array_equal(kept.get(), x.get()[x.get() > 0])

# --8<-- [end:run]
