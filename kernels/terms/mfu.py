"""Model FLOPs utilization of a training run."""


# --8<-- [start:mfu]
def mfu(parameters, tokens_a_second, gpus, peak):
    """Return the share of the peak that useful model arithmetic takes.

    Training takes about six operations for each parameter and token: two in the forward pass
    and four in the backward pass. ``peak`` is in operations a second for one GPU.
    """
    return 6 * parameters * tokens_a_second / (gpus * peak)


# --8<-- [end:mfu]


def examples():
    """An invented run: 7 billion parameters, 8 GPUs with the bf16 peak of an H200.

    --8<-- [start:example]
    >>> f"{mfu(7e9, tokens_a_second=75_000, gpus=8, peak=989e12):.0%}"
    '40%'

    --8<-- [end:example]
    """
