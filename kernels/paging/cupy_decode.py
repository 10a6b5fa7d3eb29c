"""The same paged decode kernel in CUDA C++, compiled and launched by CuPy."""
# ruff: noqa: I001

import math

import numpy as np

from kernels.paging.decode import warps_for

# --8<-- [start:imports]
import cupy as cp

# --8<-- [end:imports]


# --8<-- [start:host]
def load_paged_decode(text, dim=128, group=4, page=16):
    """Compile the file's text for one shape; return the kernel and how many warps a block has."""
    sizes = {"DIM": dim, "GROUP": group, "PAGE": page, "WARPS": warps_for(dim, group)}
    options = ("-std=c++17", *(f"-D{name}={size}" for name, size in sizes.items()))
    return cp.RawModule(code=text, options=options).get_function("paged_decode"), sizes["WARPS"]


def paged_attention_cuda(text, q, keys, values, tables, lengths, span=256):
    """Return what ``paged_attention`` returns, by the kernel in CUDA C++."""
    (sequences, heads, dim), (_, kv_heads, page, _) = q.shape, keys.shape
    kernel, warps = load_paged_decode(text, dim, heads // kv_heads, page)
    rows, splits = sequences * heads, -(-int(lengths.max()) // span)
    partial, out = cp.empty((rows, splits, dim), cp.float32), cp.empty((rows, dim), cp.float32)
    row_max, row_sum = (cp.empty((rows, splits), cp.float32) for _ in range(2))
    inputs = *map(cp.asarray, (q, keys, values, tables)), np.int32(tables.shape[1])
    scale = np.float32(math.log2(math.e) / math.sqrt(dim))
    more = cp.asarray(lengths), np.int32(span), scale, partial, row_max, row_sum
    done = cp.zeros(sequences * kv_heads, np.int32)
    kernel((splits, kv_heads, sequences), (32, warps), (*inputs, *more, done, out))
    return cp.asnumpy(out).reshape(q.shape)


# --8<-- [end:host]
