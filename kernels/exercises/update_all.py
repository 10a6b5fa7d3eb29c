"""One launch for all tensors

`foreach` updates many tensors with one launch. Here they stand one after another in `weights`, and
tensor t begins at `starts[t]`. Each has a learning rate of its own. Write `update_all`: the thread
of element i finds out which tensor it is in by halving, not by walking through all of them, and
takes `rate * gradient` off. A tensor may be empty; then the next one begins at the same place.
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def update_all(weights, gradients, starts, rates):
    """Update all tensors in ``weights``; ``starts`` ascends, one for each tensor."""
    i = cuda.grid(1)
    if i < weights.size:
        low, high = 0, starts.size - 1
        while low < high:
            middle = (low + high + 1) // 2
            if starts[middle] <= i:
                low = middle
            else:
                high = middle - 1
        weights[i] -= rates[low] * gradients[i]


# --8<-- [end:solution]

HINTS = [
    "Look for the last tensor that begins at i or before. With an empty tensor two begin at the "
    "same place, and the last one is right.",
    "Keep `low` and `high` so that the answer lies between them. With `middle` rounded up, `low "
    "= middle` always gets on; rounded down, it may stand still.",
]

WRONG = {
    "the first element goes to the tensor before": {
        "edits": [["starts[middle] <= i", "starts[middle] < i"]],
        "says": "should be",
    },
    "one tensor too many": {
        "edits": [["starts.size - 1", "starts.size"]],
        "says": "out of bounds",
    },
    "the rate of the first tensor": {
        "edits": [["rates[low]", "rates[0]"]],
        "says": "should be",
    },
}

CASES = [(1, 1), (3, 31), (7, 33), (12, 70)]


def test(update_all, tensors, n):
    """Blocks of 32 threads, one for each element.

    --8<-- [start:example]
    >>> weights = cuda.to_device(np.zeros(5, dtype=np.float32))
    >>> gradients = cuda.to_device(np.ones(5, dtype=np.float32))
    >>> starts = cuda.to_device(np.array([0, 2, 2], dtype=np.int32))  # the second is empty
    >>> rates = cuda.to_device(np.array([1, 7, 3], dtype=np.float32))
    >>> update_all[1, 32](weights, gradients, starts, rates)
    >>> weights.copy_to_host()
    array([-1., -1., -3., -3., -3.], dtype=float32)

    --8<-- [end:example]
    """
    starts = [t * n // tensors if t % 3 != 1 else (t + 1) * n // tensors for t in range(tensors)]
    starts[0] = 0
    rates = [t + 1 for t in range(tensors)]
    owner = [max(t for t in range(tensors) if starts[t] <= i) for i in range(n)]
    weights = cuda.to_device(np.full(n, 50, dtype=np.float32))
    gradients = cuda.to_device(np.arange(n, dtype=np.float32) % 4 + 1)
    on_gpu = cuda.to_device(np.array(starts, dtype=np.int32))
    speeds = cuda.to_device(np.array(rates, dtype=np.float32))
    update_all[-(-n // 32), 32](weights, gradients, on_gpu, speeds)
    want = [50 - rates[owner[i]] * (i % 4 + 1) for i in range(n)]
    yield "weights", weights, np.array(want, dtype=np.float32)
