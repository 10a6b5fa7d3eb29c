"""How much a convolutional layer computes, and how much it moves."""


def _example():
    """
    --8<-- [start:example]
    >>> channels, side, images = 256, 14, 32
    >>> pixels = images * side * side
    >>> operations = 2 * 9 * channels * channels * pixels
    >>> moved = 2 * (2 * channels * pixels + 9 * channels * channels)  # in, out, and the filters
    >>> f"{operations / 1e9:.1f} Gop, {moved / 1e6:.1f} MB, {operations / moved:.0f} for each byte"
    '7.4 Gop, 7.6 MB, 973 for each byte'

    --8<-- [end:example]
    """
