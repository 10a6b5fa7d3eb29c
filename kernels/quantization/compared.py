"""AWQ's clipping without its scaling, and what a model writes that has lost bits."""

# The examples in the docstring use these names, and nothing else here does.
from kernels.quantization.calibrated import WAYS, clipped, inputs_of, with_layers  # noqa: F401
from kernels.quantization.model import forward, loss_of, write  # noqa: F401


def examples():
    """Print what clipping alone costs, and what three models write.

    --8<-- [start:clipped]
    >>> inputs = inputs_of(weights, calibration)
    >>> new, off = with_layers(weights, inputs, lambda w, x: clipped(w, x, 4, 32))
    >>> lost = loss_of(forward(new, tokens), targets) - loss_of(forward(weights, tokens), targets)
    >>> print(f"int4, groups of 32, clipped    {off:6.3f} {lost:+7.3f}")
    int4, groups of 32, clipped     0.054  +0.022

    --8<-- [end:clipped]

    --8<-- [start:written]
    >>> for way in ("int4, groups of 32", "int3, groups of 32", "int3, groups of 32, GPTQ"):
    ...     new, _ = with_layers(weights, inputs, WAYS[way])
    ...     print(f"{way:25}", write(new, "BOX DRAWINGS "))
    int4, groups of 32        BOX DRAWINGS ARROW
    int3, groups of 32        BOX DRAWINGS ARRRSENGNA
    int3, groups of 32, GPTQ  BOX DRAWINGS ARROW

    --8<-- [end:written]
    """
