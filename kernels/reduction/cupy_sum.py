"""Sum and argmax in CuPy."""

# ruff: noqa: F821  (the page has imported NumPy)
# --8<-- [start:run]
import cupy as cp

x = cp.random.default_rng(7).standard_normal(1_000_003, dtype=cp.float32)
assert abs(float(cp.sum(x)) - float(cp.sum(x, dtype=cp.float64))) < 1
assert int(cp.argmax(x)) == int(np.argmax(x.get()))

# --8<-- [end:run]
