"""AWQ's clipping without its scaling, and what a model writes that has lost bits."""

# The examples in the docstring use these names, and nothing else here does.
import numpy as np  # noqa: F401

from kernels.quantization.calibrated import WAYS, clipped, inputs_of, with_layers  # noqa: F401
from kernels.quantization.model import (  # noqa: F401
    as_text,
    forward,
    loss_of,
    names,
    train,
    windows,
    write,
)


def examples():
    """Print what clipping alone costs, and what three models write.

    >>> lines = names()
    >>> cut = len(lines) * 9 // 10
    >>> text, unseen = as_text(lines[:cut]), as_text(lines[cut:])
    >>> weights = train(text)
    >>> tokens, targets = windows(unseen, 512, np.random.default_rng(5))
    >>> calibration, _ = windows(text, 64, np.random.default_rng(6))

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
