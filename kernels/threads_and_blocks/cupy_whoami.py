"""The same questions asked in CUDA C++ through CuPy, and two that Numba has no word for."""

# --8<-- [start:imports]
import cupy as cp
import cupyx.profiler

# --8<-- [end:imports]
import numpy as np

from kernels.threads_and_blocks.divergence import two_sides_kernel
from kernels.threads_and_blocks.tickets import ticket_kernel

# --8<-- [start:whoami]
whoami = cp.RawModule(code=open("whoami.cu").read()).get_function("whoami")

index = cp.full(120, -1, dtype=cp.int32)
lane, multiprocessor = cp.empty_like(index), cp.empty_like(index)
whoami((3,), (40,), (index, lane, multiprocessor, index.size))  # 3 blocks of 40 threads

assert (index == cp.arange(120)).all()
assert (lane == cp.arange(120) % 40 % 32).all()  # lanes start again in each block
# --8<-- [end:whoami]

# --8<-- [start:placement]
blocks, threads = 264, 1024
index = cp.full(blocks * threads, -1, dtype=cp.int32)
lane, multiprocessor = cp.empty_like(index), cp.empty_like(index)
whoami((blocks,), (threads,), (index, lane, multiprocessor, index.size))

place = multiprocessor.reshape(blocks, threads)
assert (place == place[:, :1]).all()  # a block is never split
print("multiprocessors used:", len(cp.unique(place[:, 0])))
print("blocks 0 to 7 ran on:", place[:8, 0].tolist())
# --8<-- [end:placement]

# --8<-- [start:order]
dispenser, ticket = cp.zeros(1, dtype=cp.int32), cp.zeros(10_000, dtype=cp.int32)
ticket_kernel[10_000, 32](dispenser, ticket)

assert cp.array_equal(cp.sort(ticket), cp.arange(10_000))
print("tickets of blocks 0 to 7:", ticket[:8].tolist())
print("blocks whose ticket is not their number:", int((ticket != cp.arange(10_000)).sum()))
# --8<-- [end:order]

# --8<-- [start:limit]
most = cp.cuda.Device().attributes["MaxThreadsPerBlock"]
print("a block has at most", most, "threads")
try:
    ticket_kernel[1, most + 1](dispenser, ticket)
except Exception as error:
    print(f"{type(error).__name__}: {str(error)[:60]} ...")
else:
    raise AssertionError("the launch was accepted")
# --8<-- [end:limit]

# --8<-- [start:divergence]
threads = cp.arange(2**22)
x = cp.zeros(2**22, dtype=cp.float32)


def median_ms(side):
    """Return the median time of 21 launches, in milliseconds, by the GPU's own clock."""
    side = side.astype(cp.int32)

    def work():
        two_sides_kernel[2**14, 256](side, x, 10_000)

    result = cupyx.profiler.benchmark(work, n_repeat=21, n_warmup=3)
    return 1e3 * float(np.median(result.gpu_times))


print(f"all threads on one side  {median_ms(threads * 0):6.2f} ms")
print(f"sides change by warp     {median_ms(threads // 32 % 2):6.2f} ms")
print(f"sides change by lane     {median_ms(threads % 2):6.2f} ms")
# --8<-- [end:divergence]
