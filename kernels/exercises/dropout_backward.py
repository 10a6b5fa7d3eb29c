"""Make the mask again

Dropout's forward pass has stored no mask: element i stayed if `word(i, seed)` was at least `drop`,
and was multiplied by `scale`. Write the backward pass: the gradient goes the same way, so the same
elements stay, with the same factor. `word` is here; it stands in for Philox, and like Philox it is
a function of the element's number and the seed alone. The array is cut into pieces: this launch has
the elements from `first` on.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit(device=True)
def word(i, seed):
    """Return 24 random bits that belong to element i."""
    mixed = (np.uint64(i) + np.uint64(seed)) * np.uint64(2654435761)
    return (mixed >> np.uint64(8)) & np.uint64(0xFFFFFF)


@cuda.jit
def backward(gradient, first, seed, drop, scale):
    """Replace ``gradient``, float32, by that of dropout's input."""
    i = cuda.grid(1)
    if i < gradient.size:
        stays = word(first + i, seed) >= np.uint64(drop)
        gradient[i] = gradient[i] * scale if stays else np.float32(0)


# --8<-- [end:solution]

START = [
    [
        "    i = cuda.grid(1)\n    if i < gradient.size:\n"
        "        stays = word(first + i, seed) >= np.uint64(drop)\n"
        "        gradient[i] = gradient[i] * scale if stays else np.float32(0)\n",
        "    pass  # your lines here\n",
    ]
]
HINTS = [
    "The derivative of `x * scale` is `scale`, that of 0 is 0. So it is the forward pass once "
    "more, on the gradient.",
    "Thread i of this launch has element `first + i` of the whole array: that is the number to "
    "ask `word` for.",
]

WRONG = {
    "the mask of the first piece": {
        "edits": [["word(first + i, seed)", "word(i, seed)"]],
        "says": "should be",
    },
    "not scaled": {"edits": [["gradient[i] * scale if", "gradient[i] if"]], "says": "should be"},
    "another seed backward": {
        "edits": [["word(first + i, seed)", "word(first + i, seed + 1)"]],
        "says": "should be",
    },
    "what was dropped keeps its gradient": {
        "edits": [["else np.float32(0)", "else gradient[i]"]],
        "says": "should be",
    },
}

CASES = [(1, 0), (33, 7), (70, 1000), (200, 64)]


def test(backward, n, first):
    """Blocks of 32 threads. Of 24 bits, a quarter is below 2**22.

    --8<-- [start:example]
    >>> gradient = cuda.to_device(np.ones(8, dtype=np.float32))
    >>> backward[1, 32](gradient, 0, 7, 2**22, np.float32(2))
    >>> kept = gradient.copy_to_host()
    >>> set(kept.tolist()) <= {0.0, 2.0}
    True

    --8<-- [end:example]
    """
    gradient = cuda.to_device(np.arange(1, n + 1, dtype=np.float32))
    backward[-(-n // 32), 32](gradient, first, 5, 2**22, np.float32(1.5))
    words = [((first + i + 5) * 2654435761 >> 8) & 0xFFFFFF for i in range(n)]
    want = [1.5 * (i + 1) if word >= 2**22 else 0 for i, word in enumerate(words)]
    yield "gradient", gradient, np.array(want, dtype=np.float32)
