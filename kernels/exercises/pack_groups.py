"""Pack the groups

In this page's format a group of 128 weights is 64 bytes, and byte b of it holds weight b in its low
half and weight b + 64 in its high half. Write `pack`: `weights` are numbers from 0 to 15, one to a
byte, and each thread makes one byte of `packed`. The last group may be cut short: a weight that is
missing counts as 8, which stands for 0. **Par** counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def pack(weights, packed):
    """Write two weights of ``weights``, uint8, into each byte of ``packed``, whole groups."""
    i = cuda.grid(1)
    if i < packed.size:
        first = i // 64 * 128 + i % 64
        low = weights[first] if first < weights.size else np.uint8(8)
        high = weights[first + 64] if first + 64 < weights.size else np.uint8(8)
        packed[i] = low | high << 4


# --8<-- [end:solution]

HINTS = [
    "Byte i is byte `i % 64` of group `i // 64`, and a group begins at weight `128 * (i // 64)`.",
    "`low | high << 4` puts the second one into the upper half. Ask for each of the two whether "
    "it is there.",
]

WRONG = {
    "neighbors in a byte": {
        "edits": [
            ["first = i // 64 * 128 + i % 64", "first = 2 * i"],
            [
                "weights[first + 64] if first + 64 < weights.size",
                "weights[first + 1] if first + 1 < weights.size",
            ],
        ],
        "says": "should be",
    },
    "the halves change places": {
        "edits": [["low | high << 4", "high | low << 4"]],
        "says": "should be",
    },
    "a missing weight is 0": {
        "edits": [["np.uint8(8)\n        packed", "np.uint8(0)\n        packed"]],
        "says": "should be",
    },
    "the second weight is not asked for": {
        "edits": [
            [
                "weights[first + 64] if first + 64 < weights.size else np.uint8(8)",
                "weights[first + 64]",
            ]
        ],
        "says": "out of bounds",
    },
}

CASES = [1, 128, 200, 333]
PAR = ["sectors"]


def test(pack, n):
    """Blocks of 64 threads, one for each group.

    --8<-- [start:example]
    >>> weights = cuda.to_device(np.array([3, 5], dtype=np.uint8))
    >>> packed = cuda.device_array(64, dtype=np.uint8)
    >>> pack[1, 64](weights, packed)
    >>> [hex(byte) for byte in packed.copy_to_host()[:3].tolist()]
    ['0x83', '0x85', '0x88']

    --8<-- [end:example]
    """
    weights = [i * 7 % 16 for i in range(n)]
    groups = -(-n // 128)
    full = [*weights, *[8] * (128 * groups - n)]
    packed = cuda.to_device(np.full(64 * groups, 1, dtype=np.uint8))
    pack[groups, 64](cuda.to_device(np.array(weights, dtype=np.uint8)), packed)
    want = [
        full[128 * g + b] | full[128 * g + b + 64] << 4 for g in range(groups) for b in range(64)
    ]
    yield "packed", packed, np.array(want, dtype=np.uint8)
