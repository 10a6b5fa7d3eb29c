"""Lab: heat and waves. The cells of the page docs/labs/heat-and-wave.md that are its own.

Between them the page shows the kernels that they launch, which are sections of other files. So
this file does not run by itself: take the notebook or the script from the page's end.
"""
# The page defines the kernels (F821), and they use what the first cell imports (F401).
# ruff: noqa: E402, F401, F821

# %%
# --8<-- [start:imports]
import numpy as np
from numba import cuda

device = cuda.get_current_device()
print(f"{device.name}, {device.MULTIPROCESSOR_COUNT} multiprocessors")


def on_gpu(array):
    """Return a copy of an array in the memory of the GPU, as float32."""
    return cuda.to_device(np.asarray(array, dtype=np.float32))


def seconds(call, repeats=11):
    """Return the median time of ten calls in a row, for one, by the GPU's own clock."""
    times = []
    for turn in range(-2, repeats):
        start, end = cuda.event(), cuda.event()
        start.record()
        for _ in range(10):
            call()
        end.record()
        end.synchronize()
        if turn >= 0:
            times.append(cuda.event_elapsed_time(start, end) / 1e4)
    return sorted(times)[repeats // 2]


# --8<-- [end:imports]

# %%
# --8<-- [start:cool]
n, ratio, count = 257, np.float32(0.25), 10_000
start = mode(n, n)
u, out = on_gpu(start), on_gpu(start)
step = heat_kernel[over(start.shape)]
for _ in range(count):
    step(u, ratio, out)
    u, out = out, u
left = float(u.copy_to_host()[n // 2, n // 2])
expected = np.exp(-2 * (np.pi / (n - 1)) ** 2 * float(ratio) * count)
print(f"after {count} steps the middle has {left:.4f}; the heat equation says {expected:.4f}")
assert abs(left / expected - 1) < 0.01, "heat does not spread so"
# --8<-- [end:cool]

# %%
# --8<-- [start:unstable]
for ratio in (0.25, 0.26):
    noise = np.random.default_rng(1).standard_normal((n, n))
    u, out = on_gpu(noise), on_gpu(noise)
    largest = []
    for turn in range(301):
        if turn % 100 == 0:
            largest.append(f"{np.abs(u.copy_to_host()).max():9.3g}")
        step(u, np.float32(ratio), out)
        u, out = out, u
    print(f"ratio {ratio}: the largest after 0, 100, 200, 300 steps:", *largest)
# --8<-- [end:unstable]

# %%
# --8<-- [start:swing]
count = 8000
now, before = on_gpu(start), on_gpu(start)
medium = on_gpu(np.full((n, n), 0.25))  # half a cell a step
record = on_gpu(np.zeros(count))
step = wave_kernel[over(start.shape)]
for turn in range(count):
    step(now, medium, before)
    now, before = before, now
    probe_kernel[1, 1](now, n // 2, n // 2, record, turn)
height = record.copy_to_host()
down = np.flatnonzero((height[:-1] >= 0) & (height[1:] < 0))
crossing = down + height[down] / (height[down] - height[down + 1])
period = np.diff(crossing).mean()
expected = np.sqrt(2) * (n - 1) / 0.5
print(f"{len(crossing) - 1} periods of {period:.2f} steps; the wave equation says {expected:.2f}")
assert abs(period / expected - 1) < 0.001, "no plate swings so"
# --8<-- [end:swing]

# %%
# --8<-- [start:slits]
rows, columns, wavelength = 1024, 1536, 32
wall, screen, apart, wide = 300, 900, 120, 24  # in cells
middle = rows // 2
speeds = np.full((rows, columns), 0.25)
speeds[:, wall] = 0  # what cannot move
for slit in (middle - apart // 2, middle + apart // 2):
    speeds[slit - wide // 2 : slit + wide // 2, wall] = 0.25
medium = on_gpu(speeds)
now, before = (on_gpu(np.zeros((rows, columns))) for _ in range(2))
sums = on_gpu(np.zeros(rows))
step, whole_row = wave_kernel[over(speeds.shape)], (-(-rows // 128), 128)
period = wavelength / 0.5
for turn in range(2304):
    shake = np.float32(np.sin(2 * np.pi * turn / period) * min(1, turn / (2 * period)))
    drive_kernel[whole_row](now, 100, shake)
    step(now, medium, before)
    now, before = before, now
    if turn >= 1920:  # six periods, before an echo comes to the screen
        intensity_kernel[whole_row](now, screen, sums)
light = sums.copy_to_host()
u = now.copy_to_host()
# --8<-- [end:slits]

# %%
# --8<-- [start:fringes]
y = np.arange(-200, 201)


def path(slit):
    """Return how far it is from a slit to each place of the screen."""
    return np.hypot(y - slit, screen - wall)


difference = np.abs(path(-apart / 2) - path(apart / 2)) / wavelength  # in wavelengths
dark = y[y > 0][np.argmin(np.abs(difference[y > 0] - 0.5))]
bright = y[y > 0][np.argmin(np.abs(difference[y > 0] - 1.0))]
seen = light[middle + y[0] : middle + y[-1] + 1]
near = (y > dark / 2) & (y < bright)
darkest = y[near][np.argmin(seen[near])]
far = (y > dark) & (y < 1.5 * bright)
brightest = y[far][np.argmax(seen[far])]
print(f"dark {darkest} cells from the middle, {dark} by the paths; bright {brightest}, {bright}")
assert abs(darkest - dark) <= 8 and abs(brightest - bright) <= 16, "not what two slits do"
# --8<-- [end:fringes]

# %%
# --8<-- [start:draw]
high, broad = 24, 16  # cells behind a letter: half a wave's length, so the mean square is even
top, left = middle - 12 * high, 220
part = u[top : top + 24 * high, left : left + 72 * broad]
mean = (part**2).reshape(24, high, 72, broad).mean(axis=(1, 3))
behind = (wall - left) // broad + 1
levels = np.clip(np.sqrt(mean / mean[:, behind + 4 :].max()) * 4.5, 0, 4).astype(int)
for k, line in enumerate(levels):
    letters = [" .:+*"[level] for level in line]
    if not speeds[top + k * high : top + (k + 1) * high, wall].any():
        letters[behind - 1] = "|"
    print("".join(letters).rstrip())
# --8<-- [end:draw]

# %%
# --8<-- [start:speed]
import time

import cupy as cp

n = 8192
now, medium, before, copied = (on_gpu(np.full(n * n, 0.2)) for _ in range(4))
source, target = cp.asarray(now), cp.asarray(copied)  # CuPy's view of the same memory
for name, copy in (
    ("copy_to_device", lambda: copied.copy_to_device(now)),
    ("cp.copyto", lambda: cp.copyto(target, source)),
):
    limit = n * n / (2 * seconds(copy)) / 1e6  # 16 bytes a cell are two copies
    cuda.synchronize()
    began = time.perf_counter()
    copy()
    host = time.perf_counter() - began  # the call is back; the copy may still run
    print(f"two copies by {name:14} {limit:8.0f} million updates a second;", end="")
    print(f" a call keeps the host for {host * 1e6:.0f} us")
plain, patch = wave_kernel[over((n, n))], make_wave_patch(2)[(n // 128, n // 16), (32, 8)]
square = [a.reshape(n, n) for a in (now, medium, before)]
for name, call in (
    ("a cell a thread", lambda: plain(*square)),
    ("four columns a lane", lambda: patch(now, medium, n, n, before)),
):
    rate = n * n / seconds(call) / 1e6
    print(f"{name:20} {rate:8.0f} million updates a second, {rate / limit:.0%} of the limit")
# --8<-- [end:speed]
