"""Mirror an image: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

mirror_cuda = cp.RawModule(code=open("mirror.cu").read()).get_function("mirror")
height, width = image.shape
out = cp.empty(image.shape, dtype=cp.uint8)
sizes = np.uint32(width), np.uint32(height)
mirror_cuda((2, 2), (4, 2), (cp.asarray(image), out, *sizes))
assert np.array_equal(out.get(), mirror(image, threads=(4, 2)))

# --8<-- [end:run]
