"""Ranks as threads: what one process can show of a group of GPUs, with every byte counted."""

# --8<-- [start:ranks]
import queue
import threading

import numpy as np


class Rank:
    """One member of a group. All members call the same collectives in the same order."""

    def __init__(self, group, number):
        self.group, self.number, self.size, self.received = group, number, group.size, 0

    def exchange(self, value):
        """Return what all ranks put in, by rank. Each of the collectives is made of this."""
        self.group.slots[self.number] = value
        self.group.meet(self.number)
        values = list(self.group.slots)
        self.group.meet(self.number)  # nobody puts in the next before all have read
        return values

    def all_gather(self, x, axis=0):
        parts = self.exchange(x)
        self.received += x.nbytes * (self.size - 1)
        return np.concatenate(parts, axis)

    def reduce_scatter(self, x, axis=0):
        parts = self.exchange(np.split(x, self.size, axis))
        self.received += x.nbytes * (self.size - 1) // self.size
        return sum(own[self.number] for own in parts)

    def all_reduce(self, x):
        self.received += 2 * x.nbytes * (self.size - 1) // self.size  # as through a ring
        return sum(self.exchange(x))

    def all_to_all(self, parts):
        """parts[r] goes to rank r; return what came, by sender."""
        came = [theirs[self.number] for theirs in self.exchange(parts)]
        self.received += sum(x.nbytes for r, x in enumerate(came) if r != self.number)
        return came

    def send(self, x, to):
        self.group.mail[self.number, to].put(x)

    def recv(self, sender):
        me, patience = self.number, self.group.patience
        try:
            x = self.group.mail[sender, me].get(timeout=patience)
        except queue.Empty:
            raise TimeoutError(f"rank {me}: no word from rank {sender} in {patience:g} s") from None
        self.received += x.nbytes
        return x


class Group:
    def __init__(self, size, patience):
        self.size, self.slots, self.patience = size, [None] * size, patience
        self.barrier = threading.Barrier(size, timeout=patience)
        self.give_up = self.barrier.abort
        self.came = [0] * size  # how often each rank has come to the barrier
        self.mail = {(a, b): queue.Queue() for a in range(size) for b in range(size)}

    def meet(self, number):
        self.came[number] += 1
        try:
            self.barrier.wait()
        except threading.BrokenBarrierError:
            late = [r for r in range(self.size) if self.came[r] < self.came[number]]
            whom = " and ".join(f"rank {r}" for r in late)
            raise TimeoutError(f"{whom} did not come in {self.patience:g} s") from None


def on_ranks(size, work, patience=10):
    """Run work(rank) on ``size`` ranks at once. Return the results by rank, and bytes received.

    An error on one rank ends all of them, and is raised here; so does one that does not come to a
    collective, or does not send, for ``patience`` seconds.
    """
    group = Group(size, patience)
    ranks = [Rank(group, number) for number in range(size)]
    results, errors = [None] * size, []

    def run(rank):
        try:
            results[rank.number] = work(rank)
        except Exception as error:
            errors.append(error)
            group.give_up()  # whoever waits for this rank gets an error, too

    threads = [threading.Thread(target=run, args=(rank,)) for rank in ranks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]  # the others' come of it
    return results, [rank.received for rank in ranks]


# --8<-- [end:ranks]


def examples():
    """Three ranks, and a rank that fails.

    --8<-- [start:example]
    >>> sums, received = on_ranks(3, lambda rank: rank.all_reduce(np.full(6, 10.0**rank.number)))
    >>> [x[0] for x in sums], received  # 6 float64 are 48 bytes; a ring moves 2 * 2/3 of them
    ([np.float64(111.0), np.float64(111.0), np.float64(111.0)], [64, 64, 64])

    --8<-- [end:example]

    --8<-- [start:fails]
    >>> def forgetful(rank):
    ...     if rank.number == 2:
    ...         raise ValueError("rank 2 ran out of data")
    ...     return rank.all_reduce(np.ones(6))
    >>> on_ranks(3, forgetful)
    Traceback (most recent call last):
      ...
    ValueError: rank 2 ran out of data
    >>> soon = {"patience": 2}
    >>> def absent(rank):
    ...     return rank.all_reduce(np.ones(6)) if rank.number != 2 else "home"
    >>> on_ranks(3, absent, **soon)
    Traceback (most recent call last):
      ...
    TimeoutError: rank 2 did not come in 2 s

    --8<-- [end:fails]
    """
