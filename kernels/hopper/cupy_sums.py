"""A sum whose numbers TMA fetches, by way of CuPy."""

# --8<-- [start:load]
import cupy as cp
import numpy as np

SUM_BULK = cp.RawModule(code=open("sums.cu").read(), options=("-std=c++17",)).get_function(
    "sum_bulk"
)
SUM_BULK.max_dynamic_shared_size_bytes = RING = 8 * 2048 * 4  # slots x numbers x bytes


def total(x, threads=128):
    """Return the sum of a float32 array of CuPy's, with one block on each multiprocessor."""
    out = cp.zeros((), np.float64)
    blocks = cp.cuda.Device().attributes["MultiProcessorCount"]
    SUM_BULK((blocks,), (threads,), (x, np.int64(x.size), out), shared_mem=RING)
    return float(out)


# --8<-- [end:load]


def _example():
    """
    --8<-- [start:example]
    >>> x = cp.arange(10_000_003, dtype=cp.float32) % 8
    >>> total(x, threads=32), total(x, threads=1024)
    (35000003.0, 35000003.0)

    --8<-- [end:example]
    """
