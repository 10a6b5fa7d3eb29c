"""How many guesses hold?

A draft has guessed `guesses[r]`, a few letters for each request, and one pass of the model has
answered: `answers[r, k]` is the model's letter after the first k guesses. Guess k holds if it is
what the model says there, and if all guesses before it hold. Write how many hold to `held`, and to
`last` the model's own letter after them: it comes for free. `counts[r]` says how many guesses there
are, and may be 0.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def verify(guesses, answers, counts, held, last):
    """Write how many guesses of each request hold, and the letter after them; int32."""
    r = cuda.grid(1)
    if r < counts.size:
        k = 0
        while k < counts[r] and guesses[r, k] == answers[r, k]:
            k += 1
        held[r] = k
        last[r] = answers[r, k]


# --8<-- [end:solution]

HINTS = [
    "Go along the guesses and stop at the first that is not the model's letter. One that agrees "
    "later is worth nothing: the model has answered to a wrong beginning.",
    "The model has one answer more than there are guesses. After k that hold, its letter is "
    "`answers[r, k]`.",
]

WRONG = {
    "a later guess that agrees counts": {
        "edits": [
            [
                "        while k < counts[r] and guesses[r, k] == answers[r, k]:\n"
                "            k += 1\n",
                "        for g in range(counts[r]):\n"
                "            if guesses[r, g] == answers[r, g]:\n                k += 1\n",
            ]
        ],
        "says": "should be",
    },
    "all rows are full": {
        "edits": [["k < counts[r]", "k < guesses.shape[1]"]],
        "says": "should be",
    },
    "the last guess, not the model's letter": {
        "edits": [
            ["last[r] = answers[r, k]", "last[r] = guesses[r, min(k, guesses.shape[1] - 1)]"]
        ],
        "says": "should be",
    },
}

CASES = [1, 31, 33, 70]


def test(verify, requests):
    """Blocks of 32 threads, one for each request; up to four guesses.

    --8<-- [start:example]
    >>> guesses = cuda.to_device(np.array([[5, 6, 7, 8]], dtype=np.int32))
    >>> answers = cuda.to_device(np.array([[5, 6, 1, 8, 9]], dtype=np.int32))
    >>> counts = cuda.to_device(np.array([4], dtype=np.int32))
    >>> held, last = cuda.device_array(1, dtype=np.int32), cuda.device_array(1, dtype=np.int32)
    >>> verify[1, 32](guesses, answers, counts, held, last)
    >>> held.copy_to_host(), last.copy_to_host()
    (array([2], dtype=int32), array([1], dtype=int32))

    --8<-- [end:example]
    """
    answers = [[(r * 3 + k * 5) % 26 for k in range(5)] for r in range(requests)]
    guesses = [
        [letter if k != r % 6 else 99 for k, letter in enumerate(row[:4])]
        for r, row in enumerate(answers)
    ]
    counts = [(r + 3) % 5 for r in range(requests)]
    held = [min(count, r % 6) for r, count in enumerate(counts)]
    last = [row[k] for row, k in zip(answers, held, strict=True)]
    on_gpu = [cuda.to_device(np.array(a, dtype=np.int32)) for a in (guesses, answers, counts)]
    found = [cuda.to_device(np.full(requests, -1, dtype=np.int32)) for _ in range(2)]
    verify[-(-requests // 32), 32](*on_gpu, *found)
    yield "held", found[0], np.array(held, dtype=np.int32)
    yield "last", found[1], np.array(last, dtype=np.int32)
