"""The Mandelbrot set: the CUDA C++ side of the pair, launched with CuPy."""

# ruff: noqa: F821  (the page has defined x, the host function and NumPy)
# --8<-- [start:run]
import cupy as cp

mandelbrot_cuda = cp.RawModule(code=open("mandelbrot.cu").read()).get_function("mandelbrot")
out = cp.empty((5, 11), dtype=cp.uint32)
sizes, corner = (np.uint32(11), np.uint32(5)), (np.float32(-2), np.float32(1), np.float32(0.25))
mandelbrot_cuda((3, 3), (4, 2), (out, *sizes, *corner, np.uint32(9)))
assert np.array_equal(out.get(), counts)

# --8<-- [end:run]
