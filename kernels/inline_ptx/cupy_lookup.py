"""The lookup in CUDA C++ with asm, by way of CuPy."""
# ruff: noqa: F821

# --8<-- [start:imports]
import cupy as cp

# --8<-- [end:imports]
import numpy as np


# --8<-- [start:host]
def lookup_module(*options):
    """Compile lookup.cu with options such as -DPLAIN, and return its kernel."""
    return cp.RawModule(code=open("lookup.cu").read(), options=options).get_function("lookup")


def lookup_cuda(codes, table, kernel, blocks=264, threads=1024):
    """Return the sum of table[code] over a multiple of four codes.

    --8<-- [start:example]
    >>> d_codes, d_table = cp.asarray(codes), cp.asarray(table)
    >>> for option in ((), ("-DPLAIN",)):
    ...     print(lookup_cuda(d_codes, d_table, lookup_module(*option)) == codes.sum())
    True
    True

    --8<-- [end:example]
    """
    out = cp.empty(blocks * threads, cp.float32)
    kernel((blocks,), (threads,), (codes, table, out, np.int64(codes.size // 4)))
    return float(out.sum(dtype=cp.float64))


# --8<-- [end:host]
