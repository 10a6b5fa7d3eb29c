"""What a model writes that has lost bits."""

# The examples in the docstring use these names, and nothing else here does.
from kernels.quantization.calibrated import WAYS, inputs_of, with_layers  # noqa: F401
from kernels.quantization.model import write  # noqa: F401


def examples():
    """Print what three models write.

    --8<-- [start:written]
    >>> inputs = inputs_of(weights, calibration)
    >>> for way in ("int4, groups of 32", "int3, groups of 32", "int3, groups of 32, GPTQ"):
    ...     new, _ = with_layers(weights, inputs, WAYS[way])
    ...     print(f"{way:25}", write(new, "BOX DRAWINGS "))
    int4, groups of 32        BOX DRAWINGS ARROW
    int3, groups of 32        BOX DRAWINGS ARRRSENGNA
    int3, groups of 32, GPTQ  BOX DRAWINGS ARROW

    --8<-- [end:written]
    """
