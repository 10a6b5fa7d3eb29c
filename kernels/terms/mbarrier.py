"""The state of an mbarrier from event to event: a model in plain Python, no GPU.

Source: https://docs.nvidia.com/cuda/parallel-thread-execution/
"""


# --8<-- [start:model]
class Barrier:
    """An mbarrier: the arrivals and bytes that it awaits, and its phase."""

    def __init__(self, count):
        self.count = self.arrivals = count
        self.bytes = self.phase = 0

    def arrive(self, expect=0):
        """A thread arrives, and says how many bytes a copy will bring."""
        self.arrivals -= 1
        self.bytes += expect
        self.turn()

    def land(self, size):
        """The copy unit has written some bytes."""
        self.bytes -= size
        self.turn()

    def turn(self):
        if self.arrivals == 0 and self.bytes == 0:
            self.arrivals = self.count
            self.phase ^= 1

    def wait_returns(self, parity):
        """Whether the phase of this parity is complete."""
        return self.phase != parity


# --8<-- [end:model]


def examples():
    """Two phases: a tile that lands in two pieces, and one that lands at once.

    --8<-- [start:example]
    >>> full = Barrier(count=1)
    >>> full.arrive(expect=16384)  # a thread asks for the first tile
    >>> full.land(8192)
    >>> full.arrivals, full.bytes, full.phase, full.wait_returns(0)
    (0, 8192, 0, False)
    >>> full.land(8192)  # the last bytes turn the phase
    >>> full.arrivals, full.bytes, full.phase, full.wait_returns(0)
    (1, 0, 1, True)
    >>> full.arrive(expect=16384)  # the second tile
    >>> full.wait_returns(1)
    False
    >>> full.wait_returns(0)  # who forgets to turn the parity goes on at once
    True

    --8<-- [end:example]
    """
