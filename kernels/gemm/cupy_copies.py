"""A copy of one element a thread, and of four with 16-byte instructions, in CUDA C++."""

# --8<-- [start:imports]
import cupy as cp

# --8<-- [end:imports]

# --8<-- [start:load]
copies = cp.RawModule(code=open("copies.cu").read())
copy_one = copies.get_function("copy_one")
copy_four = copies.get_function("copy_four")
# --8<-- [end:load]

# --8<-- [start:run]
x = cp.arange(1_000_003, dtype=cp.float32)
one, four = cp.zeros_like(x), cp.zeros_like(x)
copy_one((-(-x.size // 256),), (256,), (x, one, cp.int64(x.size)))
copy_four((-(-x.size // 1024),), (256,), (x, four, cp.int64(x.size)))
assert (one == x).all() and (four == x).all()
# --8<-- [end:run]
