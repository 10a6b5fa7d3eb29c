"""How many sums a compiled loop keeps side by side."""

import re


# --8<-- [start:chains]
def chains(assembly):
    """Return how many AVX registers a packed addition adds another register to."""
    additions = re.findall(r"\bvaddps\s+%([yz]mm\d+), %([yz]mm\d+), %([yz]mm\d+)", assembly)
    return len({result for _, before, result in additions if before == result})


# --8<-- [end:chains]


def example():
    """In the namespace of the page, which has the sum and its machine code.

    --8<-- [start:example]
    >>> chains(machine_code(any_order))
    4

    --8<-- [end:example]
    """
