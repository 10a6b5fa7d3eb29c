"""The images of the companion in CuPy: as arrays, and as the book's CUDA C++."""

# --8<-- [start:imports]
import cupy as cp

# --8<-- [end:imports]

rows, columns = cp.mgrid[:5, :7]
color = cp.stack([10 * columns, 40 * rows, 0 * rows], axis=2).astype(cp.uint8).get()

# --8<-- [start:arrays]
pixels = cp.asarray(color).astype(cp.int32)  # out of 8 bits, as in the kernel
weights = cp.array([54, 183, 19])
gray_arrays = ((pixels * weights).sum(axis=2) // 256).astype(cp.uint8)
# --8<-- [end:arrays]

# --8<-- [start:raw]
gray_raw = cp.RawModule(code=open("gray.cu").read()).get_function("gray")
gray_c = cp.empty((5, 7), dtype=cp.uint8)
size = cp.int32(7), cp.int32(5)  # the kernel's int has 32 bits, a Python int would have 64
gray_raw((2, 3), (4, 2), (cp.asarray(color), gray_c, *size))  # grid, block, arguments
assert (gray_c == gray_arrays).all()
# --8<-- [end:raw]


def limits():
    """Ask the GPU for its limits.

    --8<-- [start:limits]
    >>> limits = cp.cuda.Device().attributes
    >>> limits["WarpSize"], limits["MaxThreadsPerBlock"]
    (32, 1024)
    >>> at_once = limits["MultiProcessorCount"] * limits["MaxThreadsPerMultiProcessor"]
    >>> at_once > 10_000  # threads that this GPU holds at the same time
    True

    --8<-- [end:limits]
    """
