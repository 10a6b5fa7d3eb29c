"""Matrix times vector: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

matvec_cuda = cp.RawModule(code=open("matvec.cu").read()).get_function("matvec")
y = cp.empty(3, dtype=cp.float32)
matvec_cuda((2,), (64,), (cp.asarray(a), cp.asarray(x), y, np.uint32(3), np.uint32(5)))
assert np.array_equal(y.get(), matvec(a, x, threads=64))

# --8<-- [end:run]
