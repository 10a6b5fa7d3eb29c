"""Inclusive scan of each block: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

block_scan_cuda = cp.RawModule(code=open("scan.cu").read()).get_function("block_scan")
out = cp.empty(x.size, dtype=cp.int32)
block_scan_cuda((2,), (64,), (cp.asarray(x), out, np.uint32(x.size)))
assert np.array_equal(out.get(), block_scan(x, threads=64))

# --8<-- [end:run]
