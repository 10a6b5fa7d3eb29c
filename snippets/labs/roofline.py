"""Lab: the roofline of your GPU. A script in cells: run it as it is, or cell by cell."""
# ruff: noqa: E402

# %%
# --8<-- [start:imports]
import math

import cupy as cp
import numpy as np
from numba import cuda

properties = cp.cuda.runtime.getDeviceProperties(0)
print(properties["name"].decode())
print(
    properties["multiProcessorCount"], "multiprocessors,", properties["l2CacheSize"] >> 20, "MiB L2"
)
# --8<-- [end:imports]

# %%
# --8<-- [start:clock]
flush = cp.empty(2**30, dtype=cp.uint8)


def seconds(call, repeats=11):
    """Return the median time of a call by the GPU's own clock, with cold caches."""
    times = []
    for turn in range(-2, repeats):
        flush.fill(1)
        start, end = cp.cuda.Event(), cp.cuda.Event()
        start.record()
        call()
        end.record()
        end.synchronize()
        if turn >= 0:
            times.append(cp.cuda.get_elapsed_time(start, end) / 1e3)
    return sorted(times)[repeats // 2]


# --8<-- [end:clock]

# %%
# --8<-- [start:memory]
n = 2**28
a, b = cp.random.standard_normal((2, n), dtype=cp.float32)
out = cp.empty_like(a)

bandwidth = 2 * a.nbytes / seconds(lambda: cp.copyto(out, a))
print(f"copy {bandwidth / 1e12:.2f} TB/s")
# --8<-- [end:memory]


# %%
# --8<-- [start:arithmetic]
@cuda.jit
def busy_kernel(x, out):
    i = cuda.grid(1)
    value = x[i]
    for _ in range(64):
        for _ in range(64):  # short enough for the compiler to write it out
            value = value * np.float32(0.5) + np.float32(0.25)
    out[i] = value


few = 2**24
peak = 2 * 4096 * few / seconds(lambda: busy_kernel[few // 256, 256](a, out))
print(f"float32 {peak / 1e12:.1f} TFLOP/s, ridge at {peak / bandwidth:.1f} operations a byte")
# --8<-- [end:arithmetic]

# %%
# --8<-- [start:tensor]
size = 8192
half = cp.random.standard_normal((size, size), dtype=cp.float32).astype(cp.float16)
half_out = cp.empty_like(half)
tensor_peak = 2 * size**3 / seconds(lambda: cp.matmul(half, half, out=half_out))
print(f"float16 on tensor cores {tensor_peak / 1e12:.0f} TFLOP/s")
# --8<-- [end:tensor]


# %%
# --8<-- [start:kernels]
@cuda.jit
def add_kernel(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


@cuda.jit
def matmul_kernel(a, b, out):
    column, row = cuda.grid(2)
    if row < out.shape[0] and column < out.shape[1]:
        total = np.float32(0)
        for k in range(a.shape[1]):
            total += a[row, k] * b[k, column]
        out[row, column] = total


m = 2048
left, right, result = (x[: m * m].reshape(m, m) for x in (a, b, out))
rows = a.reshape(-1, 4096)
row_sums = cp.empty(rows.shape[0], cp.float32)

# A letter, what it is, the call, its operations, its bytes (each input and output once).
work = [
    ("a", "vector add, Numba", lambda: add_kernel[n // 256, 256](a, b, out), n, 12 * n),
    ("s", "sums of rows, CuPy", lambda: cp.sum(rows, axis=1, out=row_sums), n, 4 * n),
    ("e", "exp, CuPy", lambda: cp.exp(a, out=out), n, 8 * n),
    (
        "n",
        "naive product, Numba",
        lambda: matmul_kernel[(m // 32, m // 8), (32, 8)](left, right, result),
        2 * m**3,
        12 * m * m,
    ),
    (
        "c",
        "the same by cuBLAS",
        lambda: cp.matmul(left, right, out=result),
        2 * m**3,
        12 * m * m,
    ),
]
points = []
for letter, name, call, operations, moved in work:
    rate, intensity = operations / seconds(call), operations / moved
    roof = min(peak, intensity * bandwidth)
    points.append((letter, intensity, rate))
    print(f"{letter} {name:20} {intensity:8.3f} {rate / 1e12:8.3f} TFLOP/s {rate / roof:5.0%}")
# --8<-- [end:kernels]

# %%
# --8<-- [start:draw]
WIDE, HIGH = 64, 17  # characters
X, Y = (-4, 10), (10, 14)  # powers of 2 of operations a byte; powers of 10 of operations a second


def place(intensity, rate):
    """Return the column and the line of a point, counted from the lower left."""
    across = (math.log2(intensity) - X[0]) / (X[1] - X[0])
    up = (math.log10(rate) - Y[0]) / (Y[1] - Y[0])
    return round(across * (WIDE - 1)), round(up * (HIGH - 1))


picture = [[" "] * WIDE for _ in range(HIGH)]
for column in range(WIDE):
    intensity = 2 ** (X[0] + column / (WIDE - 1) * (X[1] - X[0]))
    _, line = place(intensity, min(peak, intensity * bandwidth))
    picture[line][column] = "-" if intensity * bandwidth > peak else "/"
for letter, intensity, rate in points:
    column, line = place(intensity, rate)
    picture[line][column] = letter
for characters in reversed(picture):
    print("".join(characters).rstrip())
# --8<-- [end:draw]
