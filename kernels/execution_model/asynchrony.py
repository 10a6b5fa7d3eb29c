"""A launch returns at once: three clocks on one kernel."""

# --8<-- [start:imports]
from time import perf_counter

# --8<-- [end:imports]
import numpy as np
from numba import cuda

from kernels.execution_model.busy import busy_kernel

# --8<-- [start:measure]
data = cuda.to_device(np.zeros(2**20, dtype=np.float32))
start, end = cuda.event(), cuda.event()

began = perf_counter()
busy_kernel[4096, 256](data, 1)
cuda.synchronize()
print(f"first call, waited for          {1e3 * (perf_counter() - began):8.2f} ms")

began = perf_counter()
busy_kernel[4096, 256](data, 1)
cuda.synchronize()
print(f"second call, waited for         {1e3 * (perf_counter() - began):8.2f} ms")

start.record()
began = perf_counter()
busy_kernel[4096, 256](data, 1_000_000)  # a million rounds instead of one
returned = perf_counter()
end.record()
cuda.synchronize()
finished = perf_counter()
print(f"a million rounds, call returned {1e3 * (returned - began):8.2f} ms")
print(f"a million rounds, waited for    {1e3 * (finished - began):8.2f} ms")
print(f"a million rounds, GPU's clock   {cuda.event_elapsed_time(start, end):8.2f} ms")
# --8<-- [end:measure]
