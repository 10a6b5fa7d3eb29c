"""Histogram with atomics: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

histogram_cuda = cp.RawModule(code=open("histogram.cu").read()).get_function("histogram")
counts = cp.zeros(16, dtype=cp.uint32)
histogram_cuda((2,), (16,), (cp.asarray(x), counts, np.uint32(x.size)))
assert np.array_equal(counts.get(), histogram(x, threads=16))

# --8<-- [end:run]
