"""Measure the two ceilings of the GPU at hand, and turn the dial from one to the other."""
# ruff: noqa: I001

from kernels.roofline.chains import chains_kernel
from kernels.roofline.dial import intensity, make_dial
from kernels.roofline.model import attainable, ridge

# --8<-- [start:clock]
import cupy as cp

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

# --8<-- [start:ceilings]
n = 2**28
a = cp.random.standard_normal(n, dtype=cp.float32)
out = cp.empty_like(a)

bandwidth = 2 * a.nbytes / seconds(lambda: cp.copyto(out, a))
blocks = 8 * cp.cuda.Device().attributes["MultiProcessorCount"]  # 2,048 threads on each
rounds = 4096
peak = 2 * 128 * rounds * blocks * 256 / seconds(lambda: chains_kernel[blocks, 256](rounds, out))
print(f"copy: {bandwidth / 1e12:.2f} TB/s")
print(f"multiply-adds: {peak / 1e12:.1f} TFLOP/s")
print(f"ridge: {ridge(peak, bandwidth):.1f} operations a byte")
# --8<-- [end:ceilings]

# --8<-- [start:dial]
for steps in (1, 8, 32, 64, 128, 512, 2048):
    kernel = make_dial(steps)
    rate = 2 * steps * n / seconds(lambda kernel=kernel: kernel[n // 256, 256](a, out), repeats=5)
    roof = attainable(intensity(steps), peak, bandwidth)
    print(f"{intensity(steps):6.2f} operations a byte: {rate / 1e12:5.2f} TFLOP/s,", end=" ")
    print(f"{rate / roof:.0%} of the roof")
# --8<-- [end:dial]
