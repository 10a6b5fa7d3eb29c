"""Breadth-first search in five ways: push, pull, by edges, a frontier queue, queues of blocks."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:vertices]
@cuda.jit
def push_kernel(starts, targets, level, depth, found, more):
    """A vertex of this depth gives depth + 1 to those of its neighbors that have no level yet."""
    v = cuda.grid(1)
    if v < level.size and level[v] == depth:
        for e in range(starts[v], starts[v + 1]):
            if level[targets[e]] < 0:
                found[targets[e]] = depth + 1
                more[0] = 1


@cuda.jit
def pull_kernel(starts, sources, level, depth, found, more):
    """A vertex without a level looks for one of this depth among those that point to it."""
    v = cuda.grid(1)
    if v < level.size and level[v] < 0:
        for e in range(starts[v], starts[v + 1]):
            if level[sources[e]] == depth:
                found[v] = depth + 1
                more[0] = 1
                break


# --8<-- [end:vertices]


# --8<-- [start:edges]
@cuda.jit
def edge_kernel(sources, targets, level, depth, found, more):
    """A thread for each edge: if one end has this depth and the other none, it gets depth + 1."""
    e = cuda.grid(1)
    if e < targets.size and level[sources[e]] == depth and level[targets[e]] < 0:
        found[targets[e]] = depth + 1
        more[0] = 1


# --8<-- [end:edges]


# --8<-- [start:queue]
@cuda.jit
def queue_kernel(starts, targets, level, depth, frontier, length, following, count):
    """A thread for each vertex of the frontier; new vertices go to the end of ``following``."""
    i = cuda.grid(1)
    if i < length:
        v = frontier[i]
        for e in range(starts[v], starts[v + 1]):
            w = targets[e]
            if cuda.atomic.cas(level, w, -1, depth + 1) == -1:  # one thread alone finds -1
                following[cuda.atomic.add(count, 0, 1)] = w


# --8<-- [end:queue]


# --8<-- [start:block_queue]
ROOM = 1024  # vertices in the queue of a block


@cuda.jit
def block_queue_kernel(starts, targets, level, depth, frontier, length, following, count):
    """The same with a queue for each block in shared memory, copied to ``following`` at once."""
    own = cuda.shared.array(ROOM, np.int32)
    taken = cuda.shared.array(2, np.int32)  # how many were found, and where the block's begin
    if cuda.threadIdx.x == 0:
        taken[0] = 0
    cuda.syncthreads()
    i = cuda.grid(1)
    if i < length:
        v = frontier[i]
        for e in range(starts[v], starts[v + 1]):
            w = targets[e]
            if cuda.atomic.cas(level, w, -1, depth + 1) == -1:
                place = cuda.atomic.add(taken, 0, 1)
                if place < ROOM:
                    own[place] = w
                else:  # the block's queue is full
                    following[cuda.atomic.add(count, 0, 1)] = w
    cuda.syncthreads()
    held = min(taken[0], ROOM)
    if cuda.threadIdx.x == 0:
        taken[1] = cuda.atomic.add(count, 0, held)
    cuda.syncthreads()
    for k in range(cuda.threadIdx.x, held, cuda.blockDim.x):
        following[taken[1] + k] = own[k]


# --8<-- [end:block_queue]


# --8<-- [start:host]
def by_rows(heads, tails, n):
    """Return edges sorted by head, as where each head's begin, the heads and the tails."""
    order = np.argsort(heads, kind="stable")
    starts = np.searchsorted(heads[order], np.arange(n + 1)).astype(np.int32)
    return starts, heads[order].astype(np.int32), tails[order].astype(np.int32)


def search(way, by, tails, level, first, threads=128):
    """Fill ``level`` on the device. ``by`` is the heads for edge_kernel, else where rows begin."""
    start = np.full(level.size, -1, dtype=np.int32)
    start[first] = 0
    level.copy_to_device(start)
    depth, items = 0, tails.size if way is edge_kernel else level.size
    if way in (queue_kernel, block_queue_kernel):
        frontier, following = (cuda.device_array(level.size, np.int32) for _ in range(2))
        frontier[0] = first
        length = 1
        while length:
            count = cuda.to_device(np.zeros(1, np.int32))
            shape = (-(-length // threads), threads)
            way[shape](by, tails, level, depth, frontier, length, following, count)
            length = int(count.copy_to_host()[0])
            frontier, following, depth = following, frontier, depth + 1
        return
    found, going = cuda.to_device(start), items > 0
    while going:
        more = cuda.to_device(np.zeros(1, np.int32))
        way[-(-items // threads), threads](by, tails, level, depth, found, more)
        level.copy_to_device(found)  # nobody reads in a step what others write in it
        going, depth = bool(more.copy_to_host()[0]), depth + 1


def bfs(sources, targets, n, first, way, threads=128):
    """Return the distance of each of n vertices from vertex ``first``; -1 where there is no path.

    Edge e leads from ``sources[e]`` to ``targets[e]``. ``way`` is one of the five kernels.
    """
    heads, tails = (targets, sources) if way is pull_kernel else (sources, targets)
    starts, heads, tails = map(cuda.to_device, by_rows(np.asarray(heads), np.asarray(tails), n))
    level = cuda.device_array(n, np.int32)
    search(way, heads if way is edge_kernel else starts, tails, level, first, threads)
    return level.copy_to_host()


# --8<-- [end:host]


def _example():
    """
    --8<-- [start:example]
    >>> sources = np.array([0, 0, 1, 2, 2, 3, 5, 6])
    >>> targets = np.array([1, 2, 3, 3, 4, 5, 0, 4])
    >>> for way in (push_kernel, pull_kernel, edge_kernel, queue_kernel, block_queue_kernel):
    ...     print(bfs(sources, targets, 7, 0, way, threads=4))
    [ 0  1  1  2  2  3 -1]
    [ 0  1  1  2  2  3 -1]
    [ 0  1  1  2  2  3 -1]
    [ 0  1  1  2  2  3 -1]
    [ 0  1  1  2  2  3 -1]

    --8<-- [end:example]
    """
