"""The harness at work: two ways to add, and a copy beside them."""
# ruff: noqa: I001

import cupy as cp
import numpy as np
from kernels.benchmarking.half import add_kernel
from kernels.benchmarking.events import by_events
from kernels.benchmarking.harness import error_of, in_turns, summary

# --8<-- [start:compare]
n = 2**28
a, b = cp.random.standard_normal((2, n), dtype=cp.float32)
out = cp.empty_like(a)
expected = a.astype(np.float64) + b

calls = {
    "Numba": lambda: add_kernel[-(-n // 256), 256](a, b, out),
    "CuPy ": lambda: cp.add(a, b, out=out),
}
for name, call in calls.items():
    assert error_of(call, out, expected) < 1e-6, name
calls["copy "] = lambda: cp.copyto(out, a)

for name, times in in_turns(calls, by_events).items():
    middle, spread = summary(times)
    moved = (2 if name == "copy " else 3) * 4 * n
    print(f"{name} {1e3 * middle:.3f} ms, spread {spread:.1%}, {moved / middle / 1e9:.0f} GB/s")
# --8<-- [end:compare]
