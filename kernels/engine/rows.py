"""One pass for any mixture of tokens: each row is a token, its place, its slot, and its table."""
# ruff: noqa: I001

# --8<-- [start:imports]
import math

import numpy as np

# --8<-- [end:imports]
from kernels.paging.pool import PAGE
from kernels.quantization.model import CONTEXT, HEADS, LAYERS, WIDTH

# --8<-- [start:forward]
DIM, TABLE = WIDTH // HEADS, -(-CONTEXT // PAGE)  # numbers of a head, blocks of a table


def forward_rows(xp, weights, cache, rows, span):
    """Return the logits after each row's token; ``xp`` is NumPy or PyTorch.

    A row is (token, place, slot, table): the token's keys and values go to the slot, and it
    attends to the places up to its own. The cache is (layers, 2, blocks, PAGE, heads, numbers),
    ``span`` the numbers from 0 to PAGE * TABLE - 1.
    """
    token, place, slot, tables = rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3:]
    seen = (span <= place[:, None])[:, :, None]

    def norm(x):
        return x / ((x * x).mean(axis=-1, keepdims=True) + 1e-5) ** 0.5

    x = weights["letters"][token] + weights["places"][place]
    for layer in range(LAYERS):
        qkv = (norm(x) @ weights[f"qkv{layer}"].T).reshape(len(x), 3, HEADS, DIM)
        for pages, new in zip(cache[layer], (qkv[:, 1], qkv[:, 2]), strict=True):
            pages.reshape(-1, HEADS, DIM)[slot] = new  # all write before anybody reads
        keys, values = (pages[tables].reshape(len(x), -1, HEADS, DIM) for pages in cache[layer])
        scores = xp.where(seen, (qkv[:, :1] * keys).sum(-1) * DIM**-0.5, -math.inf)
        shares = xp.exp(scores - xp.amax(scores, axis=1, keepdims=True))
        shares = (shares / shares.sum(axis=1, keepdims=True))[:, :, :, None]
        mixed = (shares * xp.where(seen[:, :, :, None], values, 0.0)).sum(1)
        x = x + mixed.reshape(len(x), WIDTH) @ weights[f"out{layer}"].T
        up = (norm(x) @ weights[f"up{layer}"].T).clip(0) ** 2
        x = x + up @ weights[f"down{layer}"].T
    return norm(x) @ weights["head"].T


# --8<-- [end:forward]


# --8<-- [start:rows]
def rows_of(tokens, first, last, blocks):
    """Return the rows of tokens ``first`` to ``last - 1`` of a request, as lists."""
    table = [*blocks, *[0] * (TABLE - len(blocks))]
    return [
        [tokens[place], place, blocks[place // PAGE] * PAGE + place % PAGE, *table]
        for place in range(first, last)
    ]


class OnCPU:
    """The next token after each row, by NumPy."""

    def __init__(self, weights, blocks):
        self.weights, self.span = weights, np.arange(PAGE * TABLE)
        self.cache, self.passes = np.full((LAYERS, 2, blocks, PAGE, HEADS, DIM), np.nan), 0

    def __call__(self, rows):
        self.passes, rows = self.passes + 1, np.array(rows)
        logits = forward_rows(np, self.weights, self.cache, rows, self.span)
        return logits.argmax(axis=1)


# --8<-- [end:rows]
