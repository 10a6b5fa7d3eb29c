"""AdamW in one kernel

The profiler shows the optimizer as a row of small kernels, and each of them reads what the one
before has written. The kernel that you start from does their work line by line: it is right, and
goes to memory for each line. Compute in registers and go there once: read `w`, `g`, `m` and `v`,
write `w`, `m` and `v`. The betas are 0.9 and 0.999, and there is no bias correction. **Par** counts
requests.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def adamw(w, g, m, v, rate, decay):
    """One step of AdamW on weights ``w`` with gradients ``g``, in place; all float32."""
    i = cuda.grid(1)
    if i < w.size:
        grad = g[i]
        mean = np.float32(0.9) * m[i] + np.float32(0.1) * grad
        square = np.float32(0.999) * v[i] + np.float32(0.001) * grad * grad
        kept = w[i] * (np.float32(1) - rate * decay)
        m[i] = mean
        v[i] = square
        w[i] = kept - rate * mean / (math.sqrt(square) + np.float32(1e-8))


# --8<-- [end:solution]

START = [
    ["        grad = g[i]\n        mean = ", "        m[i] = "],
    ["np.float32(0.1) * grad\n        square = ", "np.float32(0.1) * g[i]\n        v[i] = "],
    [
        "np.float32(0.001) * grad * grad\n        kept = ",
        "np.float32(0.001) * g[i] * g[i]\n        w[i] = ",
    ],
    ["        m[i] = mean\n        v[i] = square\n", ""],
    ["w[i] = kept - rate * mean / (math.sqrt(square)", "w[i] -= rate * m[i] / (math.sqrt(v[i])"],
]
HINTS = [
    "Count the loads of the first version: `g[i]` three times, `m[i]`, `v[i]` and `w[i]` twice. "
    "A local variable is a register.",
    "Read each array once into a local variable, compute everything, and store three values at "
    "the end.",
]

WRONG = {
    "line by line": {"edits": "START", "says": "above par"},
    "the old mean moves the weight": {
        "edits": [
            ["kept - rate * mean /", "kept - rate * m[i] /"],
            ["        m[i] = mean\n", ""],
            ["np.float32(1e-8))\n", "np.float32(1e-8))\n        m[i] = mean\n"],
        ],
        "says": "should be",
    },
    "the decay goes through the mean": {
        "edits": [
            ["grad = g[i]", "grad = g[i] + decay * w[i]"],
            ["kept = w[i] * (np.float32(1) - rate * decay)", "kept = w[i]"],
        ],
        "says": "should be",
    },
    "no guard": {"edits": [["if i < w.size:", "if True:"]], "says": "out of bounds"},
}

CASES = [1, 31, 33, 70]
PAR = ["requests"]


def test(adamw, n):
    """Blocks of 32 threads.

    --8<-- [start:example]
    >>> w, g = cuda.to_device(np.ones(2, np.float32)), cuda.to_device(np.ones(2, np.float32))
    >>> m, v = cuda.to_device(np.ones(2, np.float32)), cuda.to_device(np.ones(2, np.float32))
    >>> adamw[1, 32](w, g, m, v, np.float32(0.25), np.float32(0))
    >>> w.copy_to_host()
    array([0.75, 0.75], dtype=float32)

    --8<-- [end:example]
    """
    w, g, m, v = ([1 + (i * step % 9) for i in range(n)] for step in (2, 3, 4, 5))
    on_gpu = [cuda.to_device(np.array(values, dtype=np.float32)) for values in (w, g, m, v)]
    adamw[-(-n // 32), 32](*on_gpu, np.float32(0.125), np.float32(0.5))
    for i in range(n):
        m[i] = 0.9 * m[i] + 0.1 * g[i]
        v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i]
        w[i] = w[i] * (1 - 0.125 * 0.5) - 0.125 * m[i] / (v[i] ** 0.5 + 1e-8)
    for name, got, want in zip("wmv", (on_gpu[0], *on_gpu[2:]), (w, m, v), strict=True):
        yield name, got, np.array(want, dtype=np.float32)
