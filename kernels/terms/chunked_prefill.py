"""A schedule that mixes pieces of a prompt with decode steps."""


# --8<-- [start:schedule]
def schedule(prompt, decoding, budget):
    """Return, for each step, how many prompt tokens and how many decode tokens it works on.

    ``decoding`` requests each need one token a step, and a step has room for ``budget`` tokens.
    """
    if decoding >= budget:
        raise ValueError(f"budget {budget} leaves no room for a prompt beside {decoding} requests")
    steps = []
    while prompt > 0:
        chunk = min(prompt, budget - decoding)
        steps.append((chunk, decoding))
        prompt -= chunk
    return steps


# --8<-- [end:schedule]


def examples():
    """A prompt of 1,000 tokens beside 56 requests that are being answered.

    --8<-- [start:example]
    >>> schedule(prompt=1000, decoding=56, budget=512)
    [(456, 56), (456, 56), (88, 56)]

    --8<-- [end:example]
    """
