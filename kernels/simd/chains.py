"""How many sums a compiled loop keeps side by side."""

import re


# --8<-- [start:chains]
def chains(assembly):
    """Return how many of the widest AVX registers a packed addition adds another one to."""
    widest = max(re.findall(r"\bvaddps\s+%([yz])mm", assembly))  # z: sixteen lanes, y: eight
    register = rf"%({widest}mm\d+)"
    additions = re.findall(rf"\bvaddps\s+{register}, {register}, {register}", assembly)
    return len({result for _, before, result in additions if before == result})


# --8<-- [end:chains]


def example():
    """In the namespace of the page, which has the sum and its machine code.

    --8<-- [start:example]
    >>> chains(machine_code(any_order))
    4

    --8<-- [end:example]
    """
