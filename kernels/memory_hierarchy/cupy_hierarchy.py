"""Ask the GPU for its memories, and see the same effects through CuPy's arrays."""

# --8<-- [start:imports]
import cupy as cp

# --8<-- [end:imports]

# --8<-- [start:attributes]
gpu = cp.cuda.Device().attributes
print("multiprocessors              ", gpu["MultiProcessorCount"])
print("registers of each, KiB       ", gpu["MaxRegistersPerMultiprocessor"] * 4 // 1024)
print("shared memory of each, KiB   ", gpu["MaxSharedMemoryPerMultiprocessor"] // 1024)
print("  at most for one block, KiB ", gpu["MaxSharedMemoryPerBlockOptin"] // 1024)
print("L2 cache, MiB                ", gpu["L2CacheSize"] // 2**20)
print("device memory, GiB           ", cp.cuda.Device().mem_info[1] // 2**30)
# --8<-- [end:attributes]

# --8<-- [start:layout]
m = cp.arange(6, dtype=cp.float32).reshape(2, 3)
transposed = m.T  # no byte moves: the same memory, read with other strides
print(m.strides, transposed.strides)
packed = cp.ascontiguousarray(transposed)  # now they do: a kernel copies them one by one
print(packed.strides, bool((packed == transposed).all()))
# --8<-- [end:layout]
