"""The scale of each group

Before a layer is rounded to int8, each group of neighbors needs a scale: its largest magnitude
divided by 127. A thread takes a group and writes its scale. The last group may be shorter. A group
of zeros gets the scale 1, so that nobody divides by zero.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def find_scales(weights, group, scales):
    """Write the scale of each group of neighbors."""
    g = cuda.grid(1)
    if g < scales.size:
        largest = np.float32(0)
        for i in range(g * group, min((g + 1) * group, weights.size)):
            largest = max(largest, abs(weights[i]))
        if largest == np.float32(0):
            scales[g] = np.float32(1)
        else:
            scales[g] = largest / np.float32(127)


# --8<-- [end:solution]

HINTS = [
    "Group `g` begins at weight `g * group`. Where does the last group end?",
    "The largest magnitude is that of `abs(weights[i])`: a large negative weight counts, too.",
]

WRONG = {
    "the largest weight, not the largest magnitude": {
        "edits": [["abs(weights[i])", "weights[i]"]],
        "says": "should be",
    },
    "the last group is as long as the others": {
        "edits": [["min((g + 1) * group, weights.size)", "(g + 1) * group"]],
        "says": "out of bounds",
    },
    "a group of zeros gets the scale 0": {
        "edits": [["scales[g] = np.float32(1)", "scales[g] = largest"]],
        "says": "should be",
    },
}

CASES = [1, 31, 33, 64, 200]


def test(find_scales, n):
    """Groups of 8; one of them is all zeros.

    --8<-- [start:example]
    >>> weights = cuda.to_device(np.array([3, -254, 0, 0, 127], dtype=np.float32))
    >>> scales = cuda.device_array(3, dtype=np.float32)
    >>> find_scales[1, 4](weights, 2, scales)
    >>> scales.copy_to_host()
    array([2., 1., 1.], dtype=float32)

    --8<-- [end:example]
    """
    weights = np.random.default_rng(n).integers(-500, 500, n).astype(np.float32)
    weights[:8] = 0
    count = -(-n // 8)
    scales = cuda.to_device(np.full(count, np.nan, dtype=np.float32))
    find_scales[-(-count // 32), 32](cuda.to_device(weights), 8, scales)
    largest = np.array([np.abs(weights[8 * g : 8 * g + 8]).max() for g in range(count)])
    expected = np.where(largest == 0, 1, largest / np.float32(127)).astype(np.float32)
    yield "scales", scales, expected
