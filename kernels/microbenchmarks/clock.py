"""The clock of a multiprocessor, for kernels: numba-cuda has no function for it."""

from llvmlite import ir
from numba.cuda import types
from numba.cuda.extending import intrinsic


@intrinsic
def clock(context):
    """Return the cycles that this multiprocessor has counted, an int64. Not in the simulator."""

    def generate(context, builder, signature, arguments):
        read = ir.FunctionType(ir.IntType(64), [])
        # Volatile, and a barrier for memory operations: they stay on their side of the clock.
        return builder.asm(read, "mov.u64 $0, %clock64;", "=l,~{memory}", [], True)

    return types.int64(), generate
