"""Lazy evaluation: operations are written down first and carried out when a value is needed."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:lazy]
class Lazy:
    """An array that remembers how to work itself out."""

    def __init__(self, name, work):
        self.name, self.work = name, work

    def __add__(self, other):
        return Lazy(f"({self.name} + {other.name})", lambda: self.eval() + other.eval())

    def __mul__(self, other):
        return Lazy(f"({self.name} * {other.name})", lambda: self.eval() * other.eval())

    def eval(self):
        return self.work()


def constant(name, values):
    return Lazy(name, lambda: np.asarray(values))


# --8<-- [end:lazy]


def examples():
    """Nothing is added before eval is called.

    --8<-- [start:example]
    >>> a, b = constant("a", [1, 2]), constant("b", [10, 20])
    >>> c = a * b + a
    >>> c.name  # the graph, as text: here a compiler could fuse
    '((a * b) + a)'
    >>> c.eval()
    array([11, 42])

    --8<-- [end:example]
    """
