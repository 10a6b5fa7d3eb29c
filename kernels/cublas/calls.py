"""cuBLAS on a GPU: by way of cp.matmul, by hand in five modes, and for many products at once."""
# ruff: noqa: I001

import cupy as cp
import numpy as np
from kernels.cublas.modes import MODES, from_bfloat16, gemm, to_bfloat16

# --8<-- [start:matmul]
a, b = cp.random.standard_normal((2, 2048, 2048))  # float64
right = a @ b
out = cp.empty((2048, 2048), cp.float32)
cp.matmul(a.astype(cp.float32), b.astype(cp.float32), out=out)
print(f"error {float(cp.linalg.norm(out - right) / cp.linalg.norm(right)):.1e}")
# --8<-- [end:matmul]

# --8<-- [start:five]
for mode, (stored, *_) in MODES.items():
    if mode == "bfloat16":
        x, y = to_bfloat16(a.astype(cp.float32)), to_bfloat16(b.astype(cp.float32))
    else:
        x, y = a.astype(stored), b.astype(stored)
    out = cp.empty_like(x)
    gemm(x, y, out, mode)
    got = from_bfloat16(out) if mode == "bfloat16" else out.astype(np.float64)
    error = float(cp.linalg.norm(got - right) / cp.linalg.norm(right))
    print(f"{mode:9} error {error:.1e}")
# --8<-- [end:five]

# --8<-- [start:batched]
many = cp.random.standard_normal((100, 64, 64), dtype=cp.float32)
one_call = cp.matmul(many, many)  # the last two dimensions are the matrices
one_by_one = cp.stack([matrix @ matrix for matrix in many])
print(cp.allclose(one_call, one_by_one, atol=1e-4))
# --8<-- [end:batched]
