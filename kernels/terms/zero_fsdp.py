"""How many bytes of model state a rank holds under each stage of ZeRO."""


# --8<-- [start:bytes]
def bytes_per_parameter(ranks, stage):
    """Return the bytes of model state that a rank holds for each parameter of the model.

    Mixed precision with Adam: 2 bytes of weights, 2 of gradients, and 12 of optimizer state
    (a 4-byte copy of the weight and two 4-byte moments). ``stage`` is 0 (nothing sharded) to 3.
    """
    optimizer = 12 / ranks if stage >= 1 else 12
    gradients = 2 / ranks if stage >= 2 else 2
    weights = 2 / ranks if stage >= 3 else 2
    return optimizer + gradients + weights


# --8<-- [end:bytes]


def examples():
    """A model of 7 billion parameters on 8 ranks, in GB for each rank.

    --8<-- [start:example]
    >>> [7 * bytes_per_parameter(ranks=8, stage=stage) for stage in range(4)]
    [112, 38.5, 26.25, 14.0]

    --8<-- [end:example]
    """
