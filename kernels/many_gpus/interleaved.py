"""A pipeline whose ranks have several pieces of the model each: a smaller bubble, more messages."""

# The examples in the docstring use names that nothing else here does.
import numpy as np  # noqa: F401

from kernels.many_gpus.predict import NVLINK  # noqa: F401
from kernels.many_gpus.world import Recv, Send, Work, World, switch  # noqa: F401


# --8<-- [start:interleaved]
def interleaved(rank, ranks, micro, pieces):
    """Yield the work of a rank with several pieces: ("F" or "B", batch, piece).

    Forward, ``ranks`` batches pass piece 0, then the same ones piece 1, and so on. Backward, the
    last piece comes first. Raises ValueError where ``micro`` is no multiple of ``ranks``.
    """
    if micro % ranks:
        raise ValueError(f"{micro} batches on {ranks} ranks: take a multiple of {ranks}")
    turns = [
        (first + batch, piece)
        for first in range(0, micro, ranks)
        for piece in range(pieces)
        for batch in range(ranks)
    ]
    forward = [("F", batch, piece) for batch, piece in turns]
    backward = [("B", batch, pieces - 1 - piece) for batch, piece in turns]
    ahead = min(2 * (ranks - 1 - rank) + (pieces - 1) * ranks, len(turns))
    yield from forward[:ahead]
    for pair in zip(forward[ahead:], backward, strict=False):
        yield from pair
    yield from backward[len(turns) - ahead :]


def pipeline_of_pieces(pieces, micro, forward, backward, activation):
    """Return a program in which piece p of rank r is stage ``p * ranks + r`` of the model.

    ``forward`` and ``backward``: seconds for all pieces of a rank. For three ranks or more: between
    two, both directions would share one queue.
    """

    def program(rank, ranks):
        last = pieces * ranks - 1
        for kind, batch, piece in interleaved(rank, ranks, micro, pieces):
            stage, step = piece * ranks + rank, 1 if kind == "F" else -1
            if 0 <= stage - step <= last:
                yield Recv((rank - step) % ranks)
            yield Work((forward if kind == "F" else backward) / pieces, f"{kind}{batch}.{piece}")
            if 0 <= stage + step <= last:
                yield Send((rank + step) % ranks, activation)

    return program


# --8<-- [end:interleaved]


def examples():
    """Four ranks, eight batches.

    --8<-- [start:pieces]
    >>> stages, micro = 4, 8
    >>> for pieces in (1, 2, 4):
    ...     world = World(stages, NVLINK)
    ...     _ = world.run(pipeline_of_pieces(pieces, micro, 10e-3, 20e-3, np.zeros(1024)))
    ...     idle, formula = 1 - micro * 30e-3 / world.seconds, 3 / (pieces * micro + 3)
    ...     sent = sum(not isinstance(span[1], str) for span in world.spans)
    ...     print(f"{pieces} pieces: {idle:.1%} idle, formula {formula:.1%}, {sent} messages")
    1 pieces: 27.3% idle, formula 27.3%, 48 messages
    2 pieces: 15.8% idle, formula 15.8%, 112 messages
    4 pieces: 8.6% idle, formula 8.6%, 240 messages

    --8<-- [end:pieces]

    --8<-- [start:slow]
    >>> network = switch(5e-6, 50e9)  # between nodes
    >>> for mb in (1, 50, 200):
    ...     line = []
    ...     for pieces in (1, 2, 4):
    ...         world = World(stages, network, element=mb * 1e6)
    ...         _ = world.run(pipeline_of_pieces(pieces, micro, 10e-3, 20e-3, np.zeros(1)))
    ...         line.append(f"{1e3 * world.seconds:6.1f} ms")
    ...     print(f"{mb:>3} MB", *line)
      1 MB  330.2 ms  285.4 ms  263.3 ms
     50 MB  336.0 ms  299.1 ms  292.7 ms
    200 MB  354.0 ms  341.1 ms  408.7 ms

    --8<-- [end:slow]
    """
