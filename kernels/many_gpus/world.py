"""Many GPUs on a CPU: ranks as generators, links with latency and bandwidth, a clock of its own."""

# --8<-- [start:imports]
import heapq
from collections import defaultdict, deque
from dataclasses import dataclass

import numpy as np

# --8<-- [end:imports]


# --8<-- [start:operations]
@dataclass(slots=True)
class Send:
    """Queue an array for another rank and go on; with ``wait``, only when it has been received."""

    to: int
    what: np.ndarray
    wait: bool = False


@dataclass(slots=True)
class Recv:
    """Wait for the next array from a rank."""

    source: int


@dataclass(slots=True)
class Work:
    """Compute for some seconds."""

    seconds: float
    name: str = "work"


@dataclass(slots=True)
class Load:
    """Fetch an array out of another rank's memory, which does nothing for it."""

    source: int
    what: np.ndarray


@dataclass(slots=True)
class Flush:
    """Wait until everything that this rank has sent is out of its port."""


# --8<-- [end:operations]


# --8<-- [start:world]
class Lost(Exception):
    """Somebody waits for ever: ranks for one another, or a message for its receiver."""


class Answer(Send):
    """What a port sends because another rank loads it."""


class World:
    """Ranks that run one program each.

    ``seconds`` is the clock, and ``spans`` says who did what when: (rank, name of the work or rank
    that a message went to, beginning, end).

    ``link(a, b)`` returns the latency (seconds) and the bandwidth (bytes a second) from rank a to
    rank b. A rank sends one message at a time and receives one at a time, both at once. An element
    of an array stands for ``element`` bytes, so that a small array can be a large one's stand-in.
    ``loads(a, b)``, where it is given, is the link for what b loads from a.
    """

    def __init__(self, ranks, link, element=4, loads=None):
        self.ranks, self.link, self.element, self.loads = ranks, link, element, loads or link

    def run(self, program, *inputs):
        """Run ``program(rank, ranks, *its inputs)`` on each rank; return what each returned.

        ``inputs`` are lists with one entry for each rank. Raises Lost where ranks wait for ever or
        a message is never received, and ValueError where a rank names one that is not there.
        """
        n = self.ranks
        self.seconds, self.spans = 0.0, []
        self.waits, self.died, self.results = {}, {}, [None] * n
        self.offers, self.inbox = defaultdict(deque), defaultdict(deque)  # by (source, to)
        self.queue = [deque() for _ in range(n)]  # what a rank has yet to send
        self.out, self.into = [0.0] * n, [0.0] * n  # when its two ports are free again
        self.flushing = set()
        self.alive = [program(r, n, *(each[r] for each in inputs)) for r in range(n)]
        self.events, self.count = [], 0
        for rank in range(n):
            self._at(0.0, self._go_on, rank, None)
        while self.events:  # the earliest first
            now, _, what, rank, came = heapq.heappop(self.events)
            what(now, rank, came)
        if self.waits or self.died:
            raise Lost(self._why())
        left = [pair for pair, messages in self.inbox.items() if messages]
        if left:
            source, to = left[0]
            many = sum(len(self.inbox[pair]) for pair in left)
            why = f"rank {to} never receives what rank {source} sent ({many} left over)"
            raise Lost(f"{why}: add a Recv({source}), or drop the Send")
        return self.results

    def _at(self, when, what, rank, came):
        self.count += 1  # of two events at one time, the one that was made first
        heapq.heappush(self.events, (when, self.count, what, rank, came))

    def _go_on(self, now, rank, came):
        """Let a rank run to its next operation."""
        try:
            what = self.alive[rank].send(came)
        except StopIteration as end:
            self.results[rank], self.seconds = end.value, max(self.seconds, now)
            return
        except Exception as error:
            self.died[rank] = f"died at {1e6 * now:.1f} µs of {type(error).__name__}: {error}"
            return
        if isinstance(what, Work):
            self.spans.append((rank, what.name, now, now + what.seconds))
            self._at(now + what.seconds, self._go_on, rank, None)
            return
        if isinstance(what, Flush):
            if self.queue[rank]:
                self.flushing.add(rank)
            else:
                self._at(max(now, self.out[rank]), self._go_on, rank, None)
            return
        whom = what.to if isinstance(what, Send) else what.source
        if not 0 <= whom < self.ranks:
            said = f"rank {rank} yields {type(what).__name__} with rank {whom}"
            cure = "wrap around with % ranks, or leave it out"
            raise ValueError(f"{said}, but ranks are 0 to {self.ranks - 1}: {cure}")
        if isinstance(what, Load):
            asked = now + self.loads(whom, rank)[0]
            self._at(asked, self._enqueue, whom, Answer(rank, what.what))
        elif isinstance(what, Recv):
            pair = what.source, rank
            if self.inbox[pair]:
                arrival, array = self.inbox[pair].popleft()
                self._at(max(now, arrival), self._go_on, rank, array)
            else:
                self.waits[rank] = what.source, ""
                if self.offers[pair]:
                    self._enqueue(now, what.source, self.offers[pair].popleft())
        elif not what.wait:
            self._enqueue(now, rank, what)
            self._at(now, self._go_on, rank, None)
        else:
            ready = self.waits.get(what.to) == (rank, "")
            self.waits[rank] = what.to, " to take what it sends"
            if ready:
                self._enqueue(now, rank, what)
            else:
                self.offers[rank, what.to].append(what)

    def _enqueue(self, now, rank, send):
        self.queue[rank].append(send)
        if len(self.queue[rank]) == 1:
            self._at(max(now, self.out[rank]), self._move, rank, None)

    def _move(self, now, rank, _):
        """Begin the first message of a rank's queue, if the other side's port is free."""
        send = self.queue[rank][0]
        if self.into[send.to] > now:
            return self._at(self.into[send.to], self._move, rank, None)
        answer = isinstance(send, Answer)
        latency, bandwidth = (self.loads if answer else self.link)(rank, send.to)
        end = now + send.what.size * self.element / bandwidth
        self.out[rank] = self.into[send.to] = end
        self.spans.append((rank, send.to, now, end))
        if answer:
            self._at(end + latency, self._go_on, send.to, send.what)
        elif self.waits.get(send.to) == (rank, ""):
            del self.waits[send.to]
            self._at(end + latency, self._go_on, send.to, send.what)
        else:
            self.inbox[rank, send.to].append((end + latency, send.what))
        if send.wait:
            del self.waits[rank]
            self._at(end + latency, self._go_on, rank, None)
        self.queue[rank].popleft()
        if self.queue[rank]:
            self._at(end, self._move, rank, None)
        elif rank in self.flushing:
            self.flushing.remove(rank)
            self._at(end, self._go_on, rank, None)

    def _why(self):
        """Say which rank waits for whom, along one chain."""
        lines = [f"rank {rank} {why}" for rank, why in self.died.items()]
        rank, seen = min(self.waits, default=None), []
        while rank in self.waits and rank not in seen:
            seen.append(rank)
            whom, what = self.waits[rank]
            lines.append(f"rank {rank} waits for rank {whom}{what}")
            rank = whom
        if rank is not None and rank not in self.waits and rank not in self.died:
            lines.append(f"rank {rank} has returned")
        more = len(self.waits) - len(seen)
        return "; ".join(lines) + (f"; {more} more wait" if more else "")


# --8<-- [end:world]


# --8<-- [start:switch]
def switch(latency, bandwidth):
    """Return the link of GPUs at one NVSwitch: the same between any two."""
    return lambda a, b: (latency, bandwidth)


def nodes(size, inside, between):
    """Return the link of machines of ``size`` GPUs: ``inside`` one machine, ``between`` two."""
    return lambda a, b: inside if a // size == b // size else between


# --8<-- [end:switch]


def examples():
    """Two ranks.

    --8<-- [start:example]
    >>> def swap(rank, ranks, mine):
    ...     yield Send(1 - rank, mine)
    ...     theirs = yield Recv(1 - rank)
    ...     return theirs
    >>> two = World(2, switch(latency=2e-6, bandwidth=400e9))
    >>> two.run(swap, [np.arange(3), np.arange(3) + 10])
    [array([10, 11, 12]), array([0, 1, 2])]
    >>> f"{1e6 * two.seconds:.5f} µs"  # the latency, and 12 bytes
    '2.00003 µs'

    --8<-- [end:example]

    --8<-- [start:deadlock]
    >>> def polite(rank, ranks, mine):
    ...     theirs = yield Recv((rank - 1) % ranks)  # after you
    ...     yield Send((rank + 1) % ranks, mine)
    >>> try:
    ...     World(3, switch(2e-6, 400e9)).run(polite, [np.zeros(1)] * 3)
    ... except Lost as why:
    ...     print(why)
    rank 0 waits for rank 2; rank 2 waits for rank 1; rank 1 waits for rank 0

    --8<-- [end:deadlock]

    --8<-- [start:head-on]
    >>> def head_on(rank, ranks, mine):
    ...     yield Send(1 - rank, mine, wait=True)
    ...     return (yield Recv(1 - rank))
    >>> def in_turns(rank, ranks, mine):
    ...     if rank == 0:
    ...         yield Send(1, mine, wait=True)
    ...         return (yield Recv(1))
    ...     theirs = yield Recv(0)
    ...     yield Work(1e-6)
    ...     yield Send(0, mine, wait=True)
    ...     return theirs
    >>> def leaves(rank, ranks, mine):
    ...     if rank == 0:
    ...         yield Recv(1)
    >>> for program in (head_on, in_turns, leaves):
    ...     try:
    ...         print([int(x[0]) for x in two.run(program, [np.array([5]), np.array([7])])])
    ...     except Lost as why:
    ...         print(why)
    rank 0 waits for rank 1 to take what it sends; rank 1 waits for rank 0 to take what it sends
    [7, 5]
    rank 0 waits for rank 1; rank 1 has returned

    --8<-- [end:head-on]

    --8<-- [start:nobody]
    >>> def past_the_end(rank, ranks, mine):
    ...     yield Send(rank + 1, mine)
    >>> def around(rank, ranks, mine):
    ...     yield Send((rank + 1) % ranks, mine)
    >>> for program in (past_the_end, around):
    ...     try:
    ...         two.run(program, [np.array([5]), np.array([7])])
    ...     except (ValueError, Lost) as why:
    ...         for part in str(why).split(": "):
    ...             print(part)
    rank 1 yields Send with rank 2, but ranks are 0 to 1
    wrap around with % ranks, or leave it out
    rank 1 never receives what rank 0 sent (2 left over)
    add a Recv(0), or drop the Send

    --8<-- [end:nobody]
    """
