"""Sums with loads and with cp.async, by way of CuPy."""

# --8<-- [start:load]
import cupy as cp

SUMS = cp.RawModule(code=open("sums.cu").read(), options=("-std=c++17",))
STAGES = 8  # as in sums.cu


def total(way, x, threads=128):
    """Return the sum of a float32 array of CuPy's, with one block on each multiprocessor."""
    kernel = SUMS.get_function(way)
    shared = 16 * STAGES * threads if way == "sum_cp_async" else 0
    kernel.max_dynamic_shared_size_bytes = shared
    out = cp.zeros((), cp.float64)
    blocks = cp.cuda.Device().attributes["MultiProcessorCount"]
    kernel((blocks,), (threads,), (x, cp.int64(x.size), out), shared_mem=shared)
    return float(out)


# --8<-- [end:load]


def _example():
    """
    --8<-- [start:example]
    >>> x = cp.arange(1_000_003, dtype=cp.float32) % 8
    >>> [total(way, x) for way in ("sum_loads", "sum_four_loads", "sum_cp_async")]
    [3500003.0, 3500003.0, 3500003.0]

    --8<-- [end:example]
    """
