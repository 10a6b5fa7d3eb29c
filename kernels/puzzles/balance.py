"""Find the race

All transfers of a day are added to one balance, and the kernel that you start from loses most of
them. Press *Check*, read what the stepper says about the line, and repair it. How many threads may
add at once?
"""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:solution]
@cuda.jit
def balance(transfers, account):
    """Add n int32 to account[0]."""
    i = cuda.grid(1)
    if i < transfers.size:
        cuda.atomic.add(account, 0, transfers[i])


# --8<-- [end:solution]


START = [["cuda.atomic.add(account, 0, transfers[i])", "account[0] += transfers[i]"]]
HINTS = [
    "`account[0] += x` is three steps: read, add, write. Between two of them, another thread "
    "reads the old value.",
    "`cuda.atomic.add(array, place, value)` is one step. `account` is the array, 0 the place.",
]

WRONG = {
    "read, add, write": {
        "edits": "START",
        "says": "comes first",
    },
    "the last one wins": {
        "edits": [["cuda.atomic.add(account, 0, transfers[i])", "account[0] = transfers[i]"]],
        "says": "should be",
    },
    "a barrier": {
        "edits": [
            [
                "        cuda.atomic.add(account, 0, transfers[i])\n",
                "        account[0] += transfers[i]\n    cuda.syncthreads()\n",
            ],
        ],
        "says": "comes first",
    },
}

CASES = [1, 2, 31, 33, 100]


def test(balance, n):
    """Blocks of 32 threads, and an account that begins at 1000.

    --8<-- [start:example]
    >>> transfers = cuda.to_device(np.array([50, -20, 5], dtype=np.int32))
    >>> account = cuda.to_device(np.array([1000], dtype=np.int32))
    >>> balance[1, 32](transfers, account)
    >>> account.copy_to_host()
    array([1035], dtype=int32)

    --8<-- [end:example]
    """
    transfers = (np.arange(n, dtype=np.int32) * 13) % 41 - 20 + 1
    account = cuda.to_device(np.array([1000], dtype=np.int32))
    balance[-(-n // 32), 32](cuda.to_device(transfers), account)
    yield "account", account, np.array([1000 + sum(transfers.tolist())], dtype=np.int32)
