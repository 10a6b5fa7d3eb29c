"""Fahrenheit to Celsius

A weather station reports `fahrenheit`, one reading an hour. Write `celsius`: each thread converts
one reading, `(f - 32) / 1.8`. Some hours have no reading: there `fahrenheit` is -999, and `out`
must be -999, too.
"""

import numpy as np
from numba import cuda


# --8<-- [start:solution]
@cuda.jit
def celsius(fahrenheit, out):
    """Convert n readings; -999 means that there is none, and stays."""
    i = cuda.grid(1)
    if i < fahrenheit.size:
        f = fahrenheit[i]
        if f == np.float32(-999):
            out[i] = f
        else:
            out[i] = (f - np.float32(32)) / np.float32(1.8)


# --8<-- [end:solution]


HINTS = [
    "Two questions for each thread: is there an element for me, and is there a reading?",
    "An `if` inside the guard. Both of its branches write `out[i]`: an element that nobody "
    "writes holds whatever was there before.",
]

WRONG = {
    "the missing reading is skipped": {
        "edits": [["            out[i] = f\n        else", "            pass\n        else"]],
        "says": "No thread wrote it",
    },
    "no guard": {
        "edits": [["    if i < fahrenheit.size:\n", "    if True:\n"]],
        "says": "out of bounds",
    },
}

CASES = [1, 24, 31, 33, 168]


def test(celsius, n):
    """Launch blocks of 32 threads, one more than is needed.

    --8<-- [start:example]
    >>> readings = cuda.to_device(np.array([32, 212, -999, 50], dtype=np.float32))
    >>> out = cuda.device_array_like(readings)
    >>> celsius[2, 4](readings, out)
    >>> out.copy_to_host()
    array([   0.,  100., -999.,   10.], dtype=float32)

    --8<-- [end:example]
    """
    f = np.arange(n, dtype=np.float32) - 20
    f[n // 2] = -999
    want = (f - np.float32(32)) / np.float32(1.8)
    want[n // 2] = -999
    out = cuda.to_device(np.full(n, np.nan, dtype=np.float32))
    celsius[n // 32 + 2, 32](cuda.to_device(f), out)
    yield "out", out, want
