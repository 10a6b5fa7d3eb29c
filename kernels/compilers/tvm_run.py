"""Run what TVM compiled for a CPU: check it against NumPy, and time it."""

# --8<-- [start:run]
import time

import numpy as np
import tvm


def check_and_time(executable, n, rounds=3):
    """Return the largest error of a product of n x n matrices, and the best time of a few."""
    random = np.random.default_rng(0)
    a, b = (random.random((n, n), dtype=np.float32) for _ in range(2))
    c = np.full((n, n), np.nan, np.float32)
    A, B, C = map(tvm.runtime.tensor, (a, b, c))
    seconds = []
    for _ in range(rounds):
        began = time.perf_counter()
        executable(A, B, C)
        seconds.append(time.perf_counter() - began)
    exact = a.astype(float) @ b
    return np.abs(C.numpy() - exact).max() / exact.max(), min(seconds)


# --8<-- [end:run]
