"""A stage of radix 2

After s stages of Stockham's order there are transforms of `done` = 2^s points, and this stage makes
transforms of twice as many. Thread j takes the points at places j and j + n / 2. With k = j modulo
`done`, the second one is multiplied by the root exp(-pi i k / `done`); then the sum goes to place
`j // done * 2 * done + k`, and the difference `done` places further on. Write it for real and
imaginary parts in arrays of their own.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def stage(re, im, done, out_re, out_im):
    """One stage of a transform of n points, n a power of two; a thread for each butterfly."""
    j = cuda.grid(1)
    half = re.size // 2
    if j < half:
        k = j % done
        angle = np.float32(-math.pi) * np.float32(k) / np.float32(done)
        c, s = math.cos(angle), math.sin(angle)
        b_re = re[j + half] * c - im[j + half] * s
        b_im = re[j + half] * s + im[j + half] * c
        at = j // done * 2 * done + k
        out_re[at], out_im[at] = re[j] + b_re, im[j] + b_im
        out_re[at + done], out_im[at + done] = re[j] - b_re, im[j] - b_im


# --8<-- [end:solution]

HINTS = [
    "A product of two complex numbers, (a + b i)(c + s i), has the real part a c - b s and the "
    "imaginary part a s + b c. Compute both before you overwrite either.",
    "Reads are always n / 2 apart, writes `done` apart. In the first stage `done` is 1, k is 0 "
    "and the root is 1.",
]

WRONG = {
    "the wave turns forward": {
        "edits": [["np.float32(-math.pi)", "np.float32(math.pi)"]],
        "says": "should be",
    },
    "half of the angle": {
        "edits": [["/ np.float32(done)", "/ np.float32(2 * done)"]],
        "says": "should be",
    },
    "written where it was read": {
        "edits": [
            ["at = j // done * 2 * done + k", "at = j"],
            ["at + done], out_im[at + done]", "at + half], out_im[at + half]"],
        ],
        "says": "should be",
    },
    "no guard": {"edits": [["if j < half:", "if True:"]], "says": "out of bounds"},
}

CASES = [2, 8, 64, 128]


def test(stage, n):
    """Blocks of 32 threads; a launch for each stage.

    --8<-- [start:example]
    >>> re = cuda.to_device(np.array([3, 1], dtype=np.float32))
    >>> im = cuda.to_device(np.zeros(2, dtype=np.float32))
    >>> out_re, out_im = cuda.device_array(2, np.float32), cuda.device_array(2, np.float32)
    >>> stage[1, 32](re, im, 1, out_re, out_im)
    >>> out_re.copy_to_host()
    array([4., 2.], dtype=float32)

    --8<-- [end:example]
    """
    points = [i * 7 % 11 - 3 for i in range(n)]
    re = cuda.to_device(np.array(points, dtype=np.float32))
    im = cuda.to_device(np.zeros(n, dtype=np.float32))
    done = 1
    while done < n:
        out_re = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
        out_im = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
        stage[-(-n // 64), 32](re, im, done, out_re, out_im)
        re, im, done = out_re, out_im, 2 * done
    turns = [[-2 * math.pi * j * k / n for j in range(n)] for k in range(n)]
    for name, got, wave in (("out_re", re, math.cos), ("out_im", im, math.sin)):
        want = [sum(p * wave(t) for p, t in zip(points, row, strict=True)) for row in turns]
        yield name, got, np.array(want, dtype=np.float32), 1e-3
