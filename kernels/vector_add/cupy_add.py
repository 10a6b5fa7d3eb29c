"""Vector addition in CuPy: as arrays, as an elementwise kernel, as a kernel in CUDA C++."""

# --8<-- [start:imports]
import cupy as cp

# --8<-- [end:imports]

# --8<-- [start:arrays]
x = cp.arange(5, dtype=cp.float32)
y = cp.full(5, 10, dtype=cp.float32)
print(x + y)
# --8<-- [end:arrays]

# --8<-- [start:elementwise]
add_elements = cp.ElementwiseKernel(
    "float32 a, float32 b",  # what goes in
    "float32 out",  # what comes out
    "out = a + b",  # the work of one element, in C++
    "add_elements",
)
assert (add_elements(x, y) == x + y).all()
# --8<-- [end:elementwise]

# --8<-- [start:raw]
module = cp.RawModule(code=open("add.cu").read())
add_raw = module.get_function("add")

z = cp.empty_like(x)
add_raw((3,), (2,), (x, y, z, z.size))  # grid, block, arguments
assert (z == x + y).all()
# --8<-- [end:raw]
