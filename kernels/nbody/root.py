"""1 / sqrt(x) in one instruction."""

# --8<-- [start:root]
from numba.cuda.libdevice import rsqrtf  # 1 / sqrt(x) by one instruction

# --8<-- [end:root]

__all__ = ["rsqrtf"]
