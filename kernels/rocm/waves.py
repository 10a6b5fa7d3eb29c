"""Wave operations for a wave of any width, as arrays: what 32 in the code does on 64 lanes."""

# --8<-- [start:model]
import numpy as np


def shuffle_down(lanes, step):
    """Each lane gets the value of the lane ``step`` further on; the last ones keep their own."""
    return np.concatenate([lanes[step:], lanes[-step:]])


def ballot(flags):
    """Return an integer with a bit for each lane."""
    return sum(1 << int(lane) for lane in np.flatnonzero(flags))


# --8<-- [end:model]


# --8<-- [start:sums]
def sum_written_for_32(lanes):
    """The reduction as most CUDA code has it: 16, 8, 4, 2, 1."""
    for step in (16, 8, 4, 2, 1):
        lanes = lanes + shuffle_down(lanes, step)
    return lanes[0]


def sum_of_any_wave(lanes):
    """The same, beginning at half of the wave."""
    step = lanes.size // 2
    while step:
        lanes = lanes + shuffle_down(lanes, step)
        step //= 2
    return lanes[0]


# --8<-- [end:sums]


# --8<-- [start:ranks]
def rank_in_32_bits(flags, lane):
    """How many lanes before this one voted yes, in unsigned 32-bit numbers as in CUDA C++."""
    votes = ballot(flags) & 0xFFFFFFFF
    below = ((1 << lane % 32) - 1) & 0xFFFFFFFF  # a shift by 32 or more is not defined
    return (votes & below).bit_count()


def rank_in_64_bits(flags, lane):
    return (ballot(flags) & ((1 << lane) - 1)).bit_count()


# --8<-- [end:ranks]


def _examples():
    """
    --8<-- [start:sums_example]
    >>> for width in (32, 64):
    ...     lanes = np.ones(width, int)
    ...     print(width, sum_written_for_32(lanes), sum_of_any_wave(lanes))
    32 32 32
    64 32 64

    --8<-- [end:sums_example]

    --8<-- [start:ranks_example]
    >>> for width in (32, 64):
    ...     flags = np.arange(width) % 3 == 0  # lanes 0, 3, 6, ...
    ...     last = width - 1
    ...     print(width, rank_in_32_bits(flags, last), rank_in_64_bits(flags, last))
    32 11 11
    64 11 21

    --8<-- [end:ranks_example]
    """
