"""Eight weights in a word

Four-bit weights lie eight to a 32-bit word, the first in the lowest bits. The kernel that you start
from is right: a thread takes a word, writes its eight weights as float32, and the lanes of a warp
write 32 bytes apart. Let neighboring threads write neighbors. Eight of them then read the same
word, which costs no more than one. Each weight is its number minus 8. **Par** counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def unpack_words(words, out):
    """Write the weights in ``words``, uint32, to ``out``, n float32; n <= 8 * words."""
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        number = (words[i // 8] >> np.uint32(4 * (i % 8))) & np.uint32(15)
        out[i] = np.float32(number) - np.float32(8)


# --8<-- [end:solution]

START = [
    [
        "    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):\n",
        "    word = cuda.grid(1)\n    for i in range(8 * word, min(8 * word + 8, out.size)):\n",
    ],
]
HINTS = [
    "In one round the threads of the grid should write one weight each, side by side. There are "
    "eight rounds.",
    "Weight i is in word `i // 8`, shifted by `4 * (i % 8)` bits. Thread t takes the weights t, "
    "t + gridsize, and so on.",
]

WRONG = {
    "a word a thread": {"edits": "START", "says": "above par"},
    "the first in the highest bits": {
        "edits": [["4 * (i % 8)", "28 - 4 * (i % 8)"]],
        "says": "should be",
    },
    "the upper bits stay": {"edits": [[" & np.uint32(15)", ""]], "says": "should be"},
    "unsigned numbers stay unsigned": {
        "edits": [["np.float32(number) - np.float32(8)", "np.float32(number)"]],
        "says": "should be",
    },
}

CASES = [1, 31, 257, 600]
PAR = ["sectors"]


def test(unpack_words, n):
    """A thread for each word, in blocks of 32.

    --8<-- [start:example]
    >>> words = cuda.to_device(np.array([0x87F0], dtype=np.uint32))
    >>> out = cuda.device_array(4, dtype=np.float32)
    >>> unpack_words[1, 32](words, out)
    >>> out.copy_to_host()
    array([-8.,  7., -1.,  0.], dtype=float32)

    --8<-- [end:example]
    """
    numbers = [i * 7 % 16 for i in range(-(-n // 8) * 8)]
    words = [
        sum(number << (4 * k) for k, number in enumerate(numbers[first : first + 8]))
        for first in range(0, len(numbers), 8)
    ]
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    on_gpu = cuda.to_device(np.array(words, dtype=np.uint32))
    unpack_words[-(-len(words) // 32), 32](on_gpu, out)
    yield "out", out, np.array([number - 8 for number in numbers[:n]], dtype=np.float32)
