"""Read only what you show

A mask puts a figure in front of another background: where `mask` is 1, `out` gets the pixel of
`front`, elsewhere that of `back`. The kernel that you start from is right, and it reads both
pictures everywhere. A map is as fast as its bytes are few, and masks come in patches: most warps
lie within one. Read a pixel only where it is shown. **Par** counts sectors.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def cut_out(mask, front, back, out):
    """Write ``front`` where ``mask`` is 1 and ``back`` where it is 0; pixels are float32."""
    i = cuda.grid(1)
    if i < out.size:
        if mask[i] == 1:
            out[i] = front[i]
        else:
            out[i] = back[i]


# --8<-- [end:solution]

START = [
    ["        if mask[i] == 1:\n", "        f, b = front[i], back[i]\n        if mask[i] == 1:\n"],
    ["out[i] = front[i]", "out[i] = f"],
    ["out[i] = back[i]", "out[i] = b"],
]
HINTS = [
    "Look at the mask first. Which of the two pictures does this thread need?",
    "Move each read into its branch. A warp whose lanes all take one branch never asks for the "
    "other picture; one at the edge of a patch asks for both.",
]

WRONG = {
    "both pictures are read": {"edits": "START", "says": "above par"},
    "blended by arithmetic": {
        "edits": [
            ["        if mask[i] == 1:\n            out[i] = front[i]\n        else:\n    ", ""],
            ["out[i] = back[i]", "out[i] = mask[i] * front[i] + (1 - mask[i]) * back[i]"],
        ],
        "says": "above par",
    },
    "front and back exchanged": {"edits": [["mask[i] == 1", "mask[i] == 0"]], "says": "should be"},
    "no guard": {"edits": [["if i < out.size:", "if True:"]], "says": "out of bounds"},
}

CASES = [1, 33, 100, 320]
PAR = ["sectors"]


def test(cut_out, n):
    """Blocks of 64 threads, and a mask in patches of 80 pixels.

    --8<-- [start:example]
    >>> mask = cuda.to_device(np.array([0, 1, 1], dtype=np.uint8))
    >>> front = cuda.to_device(np.array([1, 2, 3], dtype=np.float32))
    >>> back = cuda.to_device(np.array([7, 8, 9], dtype=np.float32))
    >>> out = cuda.device_array(3, dtype=np.float32)
    >>> cut_out[1, 64](mask, front, back, out)
    >>> out.copy_to_host()
    array([7., 2., 3.], dtype=float32)

    --8<-- [end:example]
    """
    flags = [i // 80 % 2 for i in range(n)]
    front = (np.arange(n) * 7 % 31 + 100).astype(np.float32)
    back = (np.arange(n) * 5 % 29).astype(np.float32)
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    mask = cuda.to_device(np.array(flags, dtype=np.uint8))
    cut_out[-(-n // 64), 64](mask, cuda.to_device(front), cuda.to_device(back), out)
    rows = zip(flags, front.tolist(), back.tolist(), strict=True)
    yield "out", out, np.array([f if flag else b for flag, f, b in rows], dtype=np.float32)
