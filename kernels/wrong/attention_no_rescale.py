"""Wrong: a new maximum rescales the sum of the weights, and not the sum of the values."""

import math

import numpy as np
from numba import cuda

LARGEST_DEPTH = 128


# --8<-- [start:kernel]
@cuda.jit
def no_rescale_kernel(q, k, v, out, scale):
    query = cuda.grid(1)
    if query < q.shape[0]:
        acc = cuda.local.array(LARGEST_DEPTH, np.float32)
        for d in range(q.shape[1]):
            acc[d] = np.float32(0)
        row_max, row_sum = np.float32(-math.inf), np.float32(0)
        for key in range(k.shape[0]):
            score = np.float32(0)
            for d in range(q.shape[1]):
                score += q[query, d] * k[key, d]
            score *= scale
            new_max = max(row_max, score)
            weight = math.exp(score - new_max)
            row_sum = row_sum * math.exp(row_max - new_max) + weight
            for d in range(q.shape[1]):
                acc[d] += weight * v[key, d]  # what is there was weighed by the old maximum
            row_max = new_max
        for d in range(q.shape[1]):
            out[query, d] = acc[d] / row_sum


# --8<-- [end:kernel]
