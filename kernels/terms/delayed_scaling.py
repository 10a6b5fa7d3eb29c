"""Scaling for fp8 with the largest value of recent steps, before this step's is known."""

# --8<-- [start:imports]
from collections import deque

# --8<-- [end:imports]


# --8<-- [start:scale]
def clipped(largest, history=3, fp8_max=448.0):
    """Return what the largest value of each step becomes when scaled.

    The scale of a step maps the largest value of the ``history`` steps
    before it to ``fp8_max``.
    """
    recent, scaled = deque([largest[0]], maxlen=history), []
    for value in largest:
        scaled.append(min(value * fp8_max / max(recent), fp8_max))
        recent.append(value)
    return scaled


# --8<-- [end:scale]


def examples():
    """The largest absolute value of a tensor in six steps, with a spike in the third.

    --8<-- [start:example]
    >>> clipped([2.0, 2.0, 8.0, 2.0, 2.0, 4.0])
    [448.0, 448.0, 448.0, 112.0, 112.0, 224.0]

    --8<-- [end:example]
    """
