"""Launch a kernel that was written as PTX."""

from pathlib import Path

# --8<-- [start:imports]
import cupy as cp

# --8<-- [end:imports]

ptx = Path("snippets/questions/mix.ptx").read_text()

# --8<-- [start:launch]
module = cp.cuda.function.Module()
module.load(ptx.encode())  # cuModuleLoadData: the driver assembles it for this GPU
mix = module.get_function("mix")  # cuModuleGetFunction
x, y = cp.random.default_rng(1).standard_normal((2, 1003), dtype=cp.float32)
out = cp.full_like(x, cp.nan)  # cuMemAlloc
mix((4,), (256,), (x, y, out, cp.uint32(x.size)))  # cuLaunchKernel
assert cp.allclose(out, x / 2 + y)
# --8<-- [end:launch]
