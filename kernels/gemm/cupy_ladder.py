"""The rungs of the ladder in CUDA C++, through CuPy."""

import cupy as cp

# --8<-- [start:run]
rungs = [  # file, kernel, rows and columns of a block's results, its threads
    ("tiled.cu", "tiled", (16, 16), (16, 16)),
    ("registers.cu", "column", (64, 64), (64, 4)),
    ("registers.cu", "rectangle", (128, 128), (16, 16)),
    ("vectors.cu", "vectors", (128, 128), (16, 16)),
    ("vectors.cu", "padded", (128, 128), (16, 16)),
    ("pipeline.cu", "pipeline_any", (128, 128), (16, 16)),
    ("pipeline.cu", "warps_any", (128, 128), (256,)),
]
m, n, k = 129, 257, 131
x = cp.random.standard_normal((m, k), dtype=cp.float32)
y = cp.random.standard_normal((k, n), dtype=cp.float32)
for file, name, (rows, columns), threads in rungs:
    module = cp.RawModule(code=open(file).read(), options=("-std=c++17",))
    z = cp.full((m, n), cp.nan, cp.float32)
    blocks = -(-n // columns), -(-m // rows)
    sizes = cp.int32(m), cp.int32(n), cp.int32(k)
    module.get_function(name)(blocks, threads, (x, y, z, *sizes))
    assert cp.allclose(z, x @ y, atol=1e-4), name
# --8<-- [end:run]
