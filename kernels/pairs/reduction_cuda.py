"""Sum of each block: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

block_sums_cuda = cp.RawModule(code=open("reduction.cu").read()).get_function("block_sums")
sums = cp.empty(2, dtype=cp.float32)
block_sums_cuda((2,), (64,), (cp.asarray(x), sums, np.uint32(x.size)))
assert np.array_equal(sums.get(), block_sums(x, threads=64))

# --8<-- [end:run]
