"""What the lanes of a SIMD-group see when they pass values on: a model in NumPy.

Source: Metal Shading Language Specification, SIMD-group functions,
https://developer.apple.com/metal/Metal-Shading-Language-Specification.pdf
"""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:host]
WIDTH = 32  # what [[threads_per_simdgroup]] says on Apple GPUs


def simd_shuffle_down(values, delta):
    """Return what each lane gets: the value of the lane ``delta`` above it.

    The last ``delta`` lanes have nobody above, and keep their own.
    """
    return np.append(values[delta:], values[-delta:])


def simd_sum(values):
    """Return the sum over the lanes, added up in five steps, as a tree."""
    step = WIDTH // 2
    while step:
        values = values + simd_shuffle_down(values, step)
        step //= 2
    return values[0]  # the first lane has it


# --8<-- [end:host]


def examples():
    """A sum over one SIMD-group.

    --8<-- [start:example]
    >>> lanes = np.arange(WIDTH)
    >>> simd_shuffle_down(lanes, 1)[-4:]  # the last one keeps its own
    array([29, 30, 31, 31])
    >>> int(simd_sum(lanes)), sum(range(WIDTH))
    (496, 496)

    --8<-- [end:example]
    """
