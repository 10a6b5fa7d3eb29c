"""SwiGLU in CuPy: as a chain of operations, and fused by a line."""

# ruff: noqa: F821  (the page has imported NumPy)
# --8<-- [start:run]
import cupy as cp

random = cp.random.default_rng(7)
gate, up = (random.standard_normal(1_000_003, dtype=cp.float32) for _ in range(2))
chain = gate / (1 + cp.exp(-gate)) * up

swiglu_fused = cp.ElementwiseKernel(
    "float32 gate, float32 up", "float32 out", "out = gate / (1 + exp(-gate)) * up", "swiglu_fused"
)
fused = swiglu_fused(gate, up)
np.testing.assert_allclose(fused.get(), chain.get(), rtol=1e-6)

# --8<-- [end:run]
