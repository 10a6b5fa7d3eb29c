"""Training in the simulator with real gradients: DDP's buckets, and a pipeline whose ranks have
several pieces of the model. What comes out is what one device computes."""

# The examples in the docstring use names that nothing else here does.
import numpy as np

from kernels.many_gpus.collectives import among, ring
from kernels.many_gpus.interleaved import interleaved
from kernels.many_gpus.predict import NVLINK
from kernels.many_gpus.world import Recv, Send, Work, World  # noqa: F401


# --8<-- [start:one]
def gradients(weights, x, y):
    """One device, layers tanh(x @ w): the gradient of the mean of (output - y) squared."""
    kept, found = [x], []
    for w in weights:
        kept.append(np.tanh(kept[-1] @ w))
    d = 2 * (kept[-1] - y) / y.size
    for w, before, after in zip(weights[::-1], kept[-2::-1], kept[:0:-1], strict=True):
        d = d * (1 - after * after)
        found.insert(0, before.T @ d)
        d = d @ w.T
    return found


# --8<-- [end:one]


# --8<-- [start:ddp]
def gpus_and_streams(gpus, link=NVLINK):
    """Return the link of a World of 2 * gpus ranks: rank gpus + r is what GPU r sends with."""
    return lambda a, b: link(a, b) if min(a, b) >= gpus else (0.0, float("inf"))


def ddp(weights, seconds, bucket):
    """Return DDP's backward pass as a program: gradients are added up on the way.

    A layer takes ``seconds``. Every ``bucket`` layers, from the last on, an all-reduce starts. A
    GPU's two ranks return all gradients, the mean over the GPUs.
    """
    layers = len(weights)
    buckets = [(max(0, end - bucket), end) for end in range(layers, 0, -bucket)]

    def computes(rank, gpus, x, y):
        mine, done = gradients(weights, x, y), layers
        for start, end in buckets:
            while done > start:
                done -= 1
                yield Work(seconds, f"B{done}")
            yield Send(gpus + rank, np.stack(mine[start:end]))
        return (yield Recv(gpus + rank))

    def adds_up(rank, gpus):
        found, streams = [], list(range(gpus, 2 * gpus))
        for _ in buckets:
            part = yield Recv(rank - gpus)
            total = yield from among(streams, ring, rank, part.ravel())
            found.insert(0, total.reshape(part.shape) / gpus)
        found = np.concatenate(found)
        yield Send(rank - gpus, found)
        return found

    def program(rank, ranks, x, y):
        gpus = ranks // 2
        return (yield from computes(rank, gpus, x, y) if rank < gpus else adds_up(rank, gpus))

    return program


# --8<-- [end:ddp]


# --8<-- [start:pieces]
def train_pieces(pieces, micro, forward, backward):
    """Return the interleaved pipeline as a program that returns the gradients of a rank's weights.

    Piece p of rank r is layer ``p * ranks + r``. ``forward`` and ``backward``: seconds for all
    pieces of a rank. For three ranks or more, as ``pipeline_of_pieces``.
    """

    def program(rank, ranks, weights, xs, ys):
        last, onward, before = pieces * ranks - 1, (rank + 1) % ranks, (rank - 1) % ranks
        held, found = {}, [np.zeros_like(w) for w in weights]
        for kind, m, piece in interleaved(rank, ranks, micro, pieces):
            layer = piece * ranks + rank
            if kind == "F":
                x = (yield Recv(before)) if layer > 0 else xs[m]
                yield Work(forward / pieces, f"F{m}.{piece}")
                held[m, piece] = x, np.tanh(x @ weights[piece])
                if layer < last:
                    yield Send(onward, held[m, piece][1])
            else:
                x, out = held.pop((m, piece))
                d = (yield Recv(onward)) if layer < last else 2 * (out - ys[m]) / (out.size * micro)
                yield Work(backward / pieces, f"B{m}.{piece}")
                d = d * (1 - out * out)
                found[piece] += x.T @ d
                if layer > 0:
                    yield Send(before, d @ weights[piece].T)
        return found

    return program


# --8<-- [end:pieces]


def examples():
    """Four GPUs, 16 layers, 32 rows.

    --8<-- [start:pieces-example]
    >>> weights = list(np.sin(np.arange(16.0 * 36)).reshape(16, 6, 6) / 2)
    >>> x, y = np.cos(np.arange(2.0 * 32 * 6)).reshape(2, 32, 6)
    >>> xs, ys = np.split(x, 8), np.split(y, 8)
    >>> for pieces in (1, 2, 4):
    ...     some = weights[: 4 * pieces]
    ...     world = World(4, NVLINK)
    ...     each = [some[rank::4] for rank in range(4)]
    ...     found = world.run(train_pieces(pieces, 8, 10e-3, 20e-3), each, [xs] * 4, [ys] * 4)
    ...     found = [found[layer % 4][layer // 4] for layer in range(4 * pieces)]
    ...     same = np.allclose(found, gradients(some, x, y))
    ...     print(f"{pieces} pieces: {1e3 * world.seconds:.1f} ms, right: {same}")
    1 pieces: 330.0 ms, right: True
    2 pieces: 285.0 ms, right: True
    4 pieces: 262.5 ms, right: True

    --8<-- [end:pieces-example]

    --8<-- [start:ddp-example]
    >>> right = gradients(weights, x, y)
    >>> gpus, shares = 4, (np.split(x, 4), np.split(y, 4))
    >>> for bucket in (1, 4, 16):
    ...     world = World(2 * gpus, gpus_and_streams(gpus), element=20e6 / 36)
    ...     found = world.run(ddp(weights, 0.2e-3, bucket), *(2 * share for share in shares))
    ...     same = all(np.allclose(each, right) for each in found)
    ...     print(f"{bucket:>2} layers in a bucket: {1e3 * world.seconds:.2f} ms, right: {same}")
     1 layers in a bucket: 3.29 ms, right: True
     4 layers in a bucket: 3.54 ms, right: True
    16 layers in a bucket: 4.54 ms, right: True

    --8<-- [end:ddp-example]
    """
