"""The exercise of the matmul worklog: what a loop's instructions allow at most."""


# --8<-- [start:function]
def ceiling(ffma, instructions, multiprocessors=132, ghz=1.98):
    """Return the TFLOP/s of a loop in which ``ffma`` of the ``instructions`` are multiply-adds.

    --8<-- [start:example]
    >>> round(ceiling(1, 1), 1)  # nothing but multiply-adds
    66.9
    >>> round(ceiling(1, 2), 1)
    33.5

    --8<-- [end:example]
    """
    lanes = 4 * 32  # a warp instruction a cycle in each of four parts
    return multiprocessors * lanes * 2 * ghz * ffma / instructions / 1e3


# --8<-- [end:function]
