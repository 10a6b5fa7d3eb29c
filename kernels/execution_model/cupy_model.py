"""The execution model through CuPy: the device's figures, streams and events, machine code."""

from time import perf_counter

# --8<-- [start:imports]
import cupy as cp

# --8<-- [end:imports]
import numpy as np
from numba import cuda

from kernels.execution_model.square import square_kernel

# --8<-- [start:device]
device = cp.cuda.Device()
print("compute capability:", device.compute_capability)
print(f"memory: {device.mem_info[1]:,}")
for name in (
    "MultiProcessorCount",
    "WarpSize",
    "MaxThreadsPerBlock",
    "MaxThreadsPerMultiProcessor",
    "MaxRegistersPerBlock",
    "MaxSharedMemoryPerBlock",
    "MaxSharedMemoryPerBlockOptin",
    "L2CacheSize",
    "ClockRate",
):
    print(f"{name}: {device.attributes[name]:,}")
# --8<-- [end:device]

# --8<-- [start:events]
producer = cp.cuda.Stream(non_blocking=True)
consumer = cp.cuda.Stream(non_blocking=True)
with producer:
    squares = cp.arange(5, dtype=cp.float32) ** 2
    ready = producer.record()  # a mark in the producer's queue
consumer.wait_event(ready)  # the GPU waits at the mark; Python goes on
with consumer:
    fourth_powers = squares**2
consumer.synchronize()  # now Python waits too
assert fourth_powers.tolist() == [0, 1, 16, 81, 256]
# --8<-- [end:events]

# --8<-- [start:ptx]
square_kernel[2, 4](cuda.to_device(np.arange(5, dtype=np.float32)))
ptx = list(square_kernel.inspect_asm().values())[-1]
print("PTX for compute capability", cp.cuda.Device().compute_capability)
for row in ptx.splitlines():
    if row.startswith("\t") and len(row) < 50:  # the longer ones hold Numba's long names
        print(row.strip().expandtabs(16))
# --8<-- [end:ptx]

# --8<-- [start:attributes]
square_raw = cp.RawModule(code=open("square.cu").read()).get_function("square")
for name in ("ptx_version", "binary_version", "num_regs", "max_threads_per_block"):
    print(f"{name}: {square_raw.attributes[name]}")
# --8<-- [end:attributes]

# --8<-- [start:host-arrays]
n = 2**24
on_host = np.ones(n, dtype=np.float32)
on_device = cuda.to_device(on_host)
for place, array in (("device", on_device), ("host", on_host)):
    square_kernel[1, 256](array[:256])  # warm-up
    device.synchronize()
    began = perf_counter()
    square_kernel[n // 256, 256](array)
    device.synchronize()
    print(f"array on the {place:6} {1e3 * (perf_counter() - began):8.2f} ms")
# --8<-- [end:host-arrays]
