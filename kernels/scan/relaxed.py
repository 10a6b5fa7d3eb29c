"""A read that sees what other blocks have written meanwhile."""

# --8<-- [start:imports]
from llvmlite import ir
from numba import types
from numba.cuda.extending import intrinsic

# --8<-- [end:imports]


# --8<-- [start:relaxed]
@intrinsic
def load_relaxed(typing, array, i):
    """Return array[i] as the L2 cache holds it now: other blocks may have changed it."""
    signature = array.dtype(array, types.int64)

    def generate(context, builder, signature, args):
        data = context.make_array(array)(context, builder, args[0]).data
        place, bits = builder.gep(data, [args[1]]), array.dtype.bitwidth
        code = ir.FunctionType(ir.IntType(bits), [place.type])
        text, result = f"ld.relaxed.gpu.b{bits} $0, [$1];", "=r" if bits == 32 else "=l"
        load = ir.InlineAsm(code, text, f"{result},l,~{{memory}}", side_effect=True)
        return builder.call(load, [place])

    return signature, generate


# --8<-- [end:relaxed]
