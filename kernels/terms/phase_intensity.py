"""Arithmetic for each byte of weights, when several tokens share one reading of them."""


# --8<-- [start:intensity]
def intensity(tokens, bytes_per_weight=2):
    """Return the floating-point operations for each byte of weights read.

    Each weight is multiplied and added once for each token that is worked on together.
    """
    return 2 * tokens / bytes_per_weight


# --8<-- [end:intensity]


def examples():
    """A prompt of 2,048 tokens, then one token at a time.

    --8<-- [start:prefill]
    >>> intensity(tokens=2048)
    2048.0

    --8<-- [end:prefill]

    --8<-- [start:decode]
    >>> intensity(tokens=1), intensity(tokens=64)  # one request, and 64 of them in a batch
    (1.0, 64.0)

    --8<-- [end:decode]
    """
