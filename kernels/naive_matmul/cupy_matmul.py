"""Matrix product in CuPy: the library, and our kernel in CUDA C++."""

# --8<-- [start:imports]
import cupy as cp

# --8<-- [end:imports]

# --8<-- [start:library]
x = cp.arange(15, dtype=cp.float32).reshape(3, 5)
y = cp.arange(20, dtype=cp.float32).reshape(5, 4)
print(x @ y)
# --8<-- [end:library]

# --8<-- [start:raw]
naive = cp.RawKernel(open("matmul.cu").read(), "matmul")
z = cp.empty((3, 4), dtype=cp.float32)
naive((1, 2), (4, 2), (x, y, z, cp.int32(3), cp.int32(4), cp.int32(5)))
assert (z == x @ y).all()
# --8<-- [end:raw]
