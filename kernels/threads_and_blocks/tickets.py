"""Blocks start in no promised order: each takes a ticket when it gets to run."""

import numpy as np
from numba import cuda


# --8<-- [start:kernel]
@cuda.jit
def ticket_kernel(dispenser, ticket):
    if cuda.threadIdx.x == 0:  # one thread speaks for its block
        ticket[cuda.blockIdx.x] = cuda.atomic.add(dispenser, 0, 1)


# --8<-- [end:kernel]


def tickets(blocks, threads):
    """Return an int32 array with the ticket that each block drew: 0 for the first, and so on.

    --8<-- [start:example]
    >>> dispenser = cuda.to_device(np.zeros(1, dtype=np.int32))
    >>> ticket = cuda.to_device(np.full(7, -1, dtype=np.int32))
    >>> ticket_kernel[7, 4](dispenser, ticket)
    >>> sorted(ticket.copy_to_host().tolist())  # sorted: the order itself is not promised
    [0, 1, 2, 3, 4, 5, 6]

    --8<-- [end:example]
    """
    dispenser = cuda.to_device(np.zeros(1, dtype=np.int32))
    ticket = cuda.to_device(np.full(blocks, -1, dtype=np.int32))
    ticket_kernel[blocks, threads](dispenser, ticket)
    return ticket.copy_to_host()
