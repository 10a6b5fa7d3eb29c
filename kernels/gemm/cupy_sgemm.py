"""The top of the ladder in CUDA C++, through CuPy."""

import cupy as cp

# --8<-- [start:load]
module = cp.RawModule(code=open("sgemm.cu").read(), options=("-std=c++17",))
sgemm, sgemm_any = module.get_function("sgemm"), module.get_function("sgemm_any")
shared = 4 * 3 * (16 * (128 + 4) + 16 * 256)  # bytes: three stages of two tiles
for kernel in (sgemm, sgemm_any):
    kernel.max_dynamic_shared_size_bytes = shared  # more than 48 KB must be asked for
# --8<-- [end:load]

# --8<-- [start:run]
for kernel, m, n, k in ((sgemm, 129, 260, 131), (sgemm_any, 129, 257, 131)):
    x = cp.random.standard_normal((m, k)).astype(cp.float32)
    y = cp.random.standard_normal((k, n)).astype(cp.float32)
    z = cp.empty((m, n), cp.float32)
    blocks = -(-m // 128) * -(-n // 256)
    sizes = cp.int32(m), cp.int32(n), cp.int32(k)
    kernel((blocks,), (256,), (x, y, z, *sizes), shared_mem=shared)
    assert cp.allclose(z, x @ y, atol=1e-4)
# --8<-- [end:run]
