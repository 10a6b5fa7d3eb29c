"""A matrix times a vector with weights in float16 and in FP8, by way of CuPy."""

import cupy as cp

# --8<-- [start:gemv]
GEMV = cp.RawModule(code=open("gemv.cu").read(), options=("-std=c++17",))


def gemv(weights, scale, x):
    """Return (weights * scale of each row) @ x: weights are float16, or uint8 that hold e4m3."""
    rows, columns = weights.shape
    if columns % 16:
        raise ValueError(f"{columns} columns: a lane takes 16 at a time")
    kernel = GEMV.get_function("gemv_fp8" if weights.dtype == cp.uint8 else "gemv_half")
    y = cp.empty(rows, cp.float32)
    blocks = -(-rows // 32)  # 8 warps of 4 rows
    kernel((blocks,), (256,), (weights, scale, x, y, cp.int32(rows), cp.int32(columns)))
    return y


# --8<-- [end:gemv]


def _example():
    """
    --8<-- [start:example]
    >>> random = np.random.default_rng(2)
    >>> layer = random.standard_normal((100, 512)).astype(np.float32)
    >>> x = cp.asarray(random.standard_normal(512).astype(np.float16))
    >>> scale = np.abs(layer).max(axis=1) / 448  # the largest of a row becomes e4m3's largest
    >>> small = cp.asarray(to_e4m3(layer / scale[:, None]))
    >>> y = gemv(small, cp.asarray(scale), x)
    >>> exact = (from_e4m3(small.get()) * scale[:, None]).astype(np.float64) @ x.get()
    >>> bool(np.allclose(y.get(), exact, rtol=1e-4, atol=1e-3))
    True
    >>> lost = np.linalg.norm(y.get() - layer @ x.get()) / np.linalg.norm(layer @ x.get())
    >>> bool(0.01 < lost < 0.05)  # what eight bits cost
    True

    --8<-- [end:example]
    """
