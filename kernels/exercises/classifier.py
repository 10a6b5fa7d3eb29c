"""Loss and gradient, fused

llm.c's fused classifier makes three things of a row of logits at once: the loss, the softmax, and
the gradient, which is the softmax minus 1 at the target. The kernel that you start from is right
and does them one after another, in place: powers, then weights, then the gradient, each written and
read back. Write the row once. **Par** counts requests.
"""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def classifier(logits, targets, losses):
    """Replace each row of ``logits`` by the gradient of its loss; a thread for each row."""
    row = cuda.grid(1)
    if row < logits.shape[0]:
        largest = np.float32(-1e30)
        total = np.float32(0)
        for c in range(logits.shape[1]):
            higher = max(largest, logits[row, c])
            total = total * math.exp(largest - higher) + math.exp(logits[row, c] - higher)
            largest = higher
        target = targets[row]
        losses[row] = math.log(total) + largest - logits[row, target]
        for c in range(logits.shape[1]):
            weight = math.exp(logits[row, c] - largest) / total
            logits[row, c] = weight - np.float32(1) if c == target else weight


# --8<-- [end:solution]

START = [
    [
        "        for c in range(logits.shape[1]):\n"
        "            higher = max(largest, logits[row, c])\n"
        "            total = total * math.exp(largest - higher) + "
        "math.exp(logits[row, c] - higher)\n"
        "            largest = higher\n        target = targets[row]\n"
        "        losses[row] = math.log(total) + largest - logits[row, target]\n"
        "        for c in range(logits.shape[1]):\n"
        "            weight = math.exp(logits[row, c] - largest) / total\n"
        "            logits[row, c] = weight - np.float32(1) if c == target else weight\n",
        "        for c in range(logits.shape[1]):\n"
        "            largest = max(largest, logits[row, c])\n"
        "        for c in range(logits.shape[1]):\n"
        "            logits[row, c] = math.exp(logits[row, c] - largest)\n"
        "            total += logits[row, c]\n"
        "        for c in range(logits.shape[1]):\n"
        "            logits[row, c] /= total\n"
        "        losses[row] = -math.log(logits[row, targets[row]])\n"
        "        logits[row, targets[row]] -= np.float32(1)\n",
    ]
]
HINTS = [
    "The loss is log(sum of exp(logit - largest)) + largest - the target's logit: it needs the "
    "sum, and no weight.",
    "Find the largest and the sum in one pass, rescaling the sum when a larger one comes. Take "
    "the loss while the logits are still there. Then one more pass writes the gradient.",
]

WRONG = {
    "one after another": {"edits": "START", "says": "above par"},
    "the loss of the gradient": {
        "edits": [
            ["        losses[row] = math.log(total) + largest - logits[row, target]\n", ""],
            [
                "weight - np.float32(1) if c == target else weight\n",
                "weight - np.float32(1) if c == target else weight\n"
                "        losses[row] = math.log(total) + largest - logits[row, target]\n",
            ],
        ],
        "says": "should be",
    },
    "the target is not taken off": {
        "edits": [["weight - np.float32(1) if c == target else weight", "weight"]],
        "says": "should be",
    },
    "the sum is not rescaled": {
        "edits": [["total * math.exp(largest - higher)", "total"]],
        "says": "should be",
    },
}

CASES = [(1, 2), (3, 7), (33, 20)]
PAR = ["requests"]


def test(classifier, rows, classes):
    """Blocks of 32 threads over the rows.

    --8<-- [start:example]
    >>> logits = cuda.to_device(np.array([[0, 0], [9, 9]], dtype=np.float32))
    >>> targets = cuda.to_device(np.array([0, 1], dtype=np.int32))
    >>> losses = cuda.device_array(2, dtype=np.float32)
    >>> classifier[1, 32](logits, targets, losses)
    >>> logits.copy_to_host()
    array([[-0.5,  0.5],
           [ 0.5, -0.5]], dtype=float32)

    --8<-- [end:example]
    """
    logits = (np.arange(rows * classes) * 7 % 13).astype(np.float32).reshape(rows, classes) / 4
    targets = np.arange(rows) * 5 % classes
    losses = cuda.to_device(np.full(rows, np.nan, dtype=np.float32))
    on_gpu = cuda.to_device(logits)
    classifier[-(-rows // 32), 32](on_gpu, cuda.to_device(targets.astype(np.int32)), losses)
    want, loss = [], []
    for row, target in zip(logits.tolist(), targets.tolist(), strict=True):
        powers = [math.exp(value) for value in row]
        weights = [power / sum(powers) for power in powers]
        loss.append(-math.log(weights[target]))
        want.append([w - (c == target) for c, w in enumerate(weights)])
    yield "losses", losses, np.array(loss, dtype=np.float32), 1e-4
    yield "logits", on_gpu, np.array(want, dtype=np.float32), 1e-4
