"""A fragment without conflicts

`mma.m16n8k8` wants its 16 x 8 operand spread over a warp: lane t gets the elements (g, c), (g + 8,
c), (g, c + 4) and (g + 8, c + 4), with g = t // 4 and c = t % 4. The kernel that you start from is
right: it puts the tile into shared memory, and each lane takes its four. Row g begins in bank 8 g,
so rows g and g + 4 meet. Padding to 12 would fix the loads and spoil the stores. Swizzle: put the
columns of every other four rows somewhere else. **Par** counts bank conflicts, and sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def load_fragment(a, registers):
    """Write the fragments of 16 x 8 tiles of ``a`` to ``registers``, tiles x 4 x 32 float32."""
    tile = cuda.shared.array((16, 8), np.float32)
    t, b = cuda.threadIdx.x, cuda.blockIdx.x
    for f in range(t, 16 * 8, 32):
        row, column = f // 8, f % 8
        inside = 16 * b + row < a.shape[0]
        tile[row, column ^ (row & 4)] = a[16 * b + row, column] if inside else np.float32(0)
    cuda.syncthreads()
    for i in range(4):
        row, column = t // 4 + 8 * (i % 2), t % 4 + 4 * (i // 2)
        registers[b, i, t] = tile[row, column ^ (row & 4)]


# --8<-- [end:solution]

START = [
    [
        "registers[b, i, t] = tile[row, column ^ (row & 4)]",
        "registers[b, i, t] = tile[row, column]",
    ],
    ["tile[row, column ^ (row & 4)] = ", "tile[row, column] = "],
]
HINTS = [
    "In one load the lanes want eight rows and four columns, and the rows g and g + 4 are 32 "
    "words apart: the same banks. Let one of the two use the other half of its row.",
    "`column ^ 4` is the same place in the other half. It should apply to rows 4 to 7 and 12 to "
    "15: those with `row & 4`. Write and read by the same rule.",
]

WRONG = {
    "as it comes": {"edits": "START", "says": "above par"},
    "padded to 12": {
        "edits": [
            [
                "registers[b, i, t] = tile[row, column ^ (row & 4)]",
                "registers[b, i, t] = tile[row, column]",
            ],
            ["tile[row, column ^ (row & 4)] = ", "tile[row, column] = "],
            ["(16, 8)", "(16, 12)"],
        ],
        "says": "above par",
    },
    "swizzled on the way in alone": {
        "edits": [
            [
                "registers[b, i, t] = tile[row, column ^ (row & 4)]",
                "registers[b, i, t] = tile[row, column]",
            ]
        ],
        "says": "should be",
    },
    "the registers in another order": {
        "edits": [
            [
                "t // 4 + 8 * (i % 2), t % 4 + 4 * (i // 2)",
                "t // 4 + 8 * (i // 2), t % 4 + 4 * (i % 2)",
            ]
        ],
        "says": "should be",
    },
}

CASES = [16, 33, 64]
PAR = ["conflicts", "sectors"]


def test(load_fragment, rows):
    """One warp for each tile of 16 rows.

    --8<-- [start:example]
    >>> a = cuda.to_device(np.arange(128, dtype=np.float32).reshape(16, 8))
    >>> registers = cuda.device_array((1, 4, 32), dtype=np.float32)
    >>> load_fragment[1, 32](a, registers)
    >>> registers.copy_to_host()[0, :, 5]  # lane 5: row 1 and 9, column 1 and 5
    array([ 9., 73., 13., 77.], dtype=float32)

    --8<-- [end:example]
    """
    a = np.arange(1, 8 * rows + 1, dtype=np.float32).reshape(rows, 8)
    tiles = -(-rows // 16)
    registers = cuda.to_device(np.full((tiles, 4, 32), np.nan, dtype=np.float32))
    load_fragment[tiles, 32](cuda.to_device(a), registers)
    want = np.zeros((tiles, 4, 32), dtype=np.float32)
    for b in range(tiles):
        for i in range(4):
            for t in range(32):
                row, column = 16 * b + t // 4 + 8 * (i % 2), t % 4 + 4 * (i // 2)
                want[b, i, t] = a[row, column] if row < rows else 0
    yield "registers", registers, want
