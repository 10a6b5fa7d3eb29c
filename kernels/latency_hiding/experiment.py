"""Run 1 to 64 warps on every multiprocessor of the GPU at hand, and compare."""
# ruff: noqa: I001

from kernels.latency_hiding.wait_and_work import wait_and_work_kernel

# --8<-- [start:measure]
import cupy as cp

multiprocessors = cp.cuda.Device().attributes["MultiProcessorCount"]
table = cp.full(2**29, 0.25, dtype=cp.float32)  # 2 GiB: in no cache
out = cp.empty(multiprocessors * 2048, dtype=cp.float32)


def milliseconds(warps, steps=512):
    """Return the time of a launch with so many warps on each multiprocessor."""
    blocks = 2 if warps > 32 else 1  # a block has 32 warps at most
    launch = wait_and_work_kernel[blocks * multiprocessors, 32 * warps // blocks]
    launch(table, steps, out)
    start, end = cp.cuda.Event(), cp.cuda.Event()
    start.record()
    launch(table, steps, out)
    end.record()
    end.synchronize()
    return cp.cuda.get_elapsed_time(start, end)


alone = milliseconds(1)
for warps in (1, 4, 16, 32, 64):
    took = milliseconds(warps) / alone
    print(f"{warps:2} warps: {took:.2f} times the time, {warps / took:.1f} times the work a second")
# --8<-- [end:measure]
