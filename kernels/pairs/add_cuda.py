"""Addition of two arrays: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

add_cuda = cp.RawModule(code=open("add.cu").read()).get_function("add")
out = cp.empty(a.size, dtype=cp.float32)
add_cuda((2,), (4,), (cp.asarray(a), cp.asarray(b), out, np.uint32(a.size)))
assert np.array_equal(out.get(), add(a, b, threads=4))

# --8<-- [end:run]
