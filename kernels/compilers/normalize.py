"""The expression that our compiler gets, and what it will cost: bytes, counted from the program."""

# --8<-- [start:expression]
import math

import numpy as np


def normalize(x, mean, variance, scale, shift):
    z = (x - mean) / np.sqrt(variance + 1e-5)
    return np.maximum(z * scale + shift, 0.0)


# --8<-- [end:expression]


# --8<-- [start:known]
def normalize_known(x, mean, inverse, scale, shift):
    return np.maximum((x - mean) * inverse * scale + shift, 0.0)


# --8<-- [end:known]


# --8<-- [start:traffic]
def traffic(ops):
    """Return the bytes that one fused kernel moves, and one kernel for each operation."""

    def size(op):
        return math.prod(op.shape) * op.dtype.itemsize

    fused = size(ops[-1]) + sum(size(op) for op in ops if op.name == "load")
    each = [size(op) + sum(size(ops[a]) for a in op.args) for op in ops if op.args]
    return fused, sum(each)


# --8<-- [end:traffic]
