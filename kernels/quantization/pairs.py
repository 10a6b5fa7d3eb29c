"""Two bfloat16 products in one instruction, as a device function."""

# --8<-- [start:imports]
from llvmlite import ir
from numba import types
from numba.cuda.extending import intrinsic

# --8<-- [end:imports]


# --8<-- [start:times2]
@intrinsic
def times2(typing, numbers, factors):
    """Return the products of two bfloat16 numbers of a word with the two of another."""

    def generate(context, builder, signature, args):
        word = ir.IntType(32)
        kind = ir.FunctionType(word, [word, word])
        return builder.call(ir.InlineAsm(kind, "mul.rn.bf16x2 $0, $1, $2;", "=r,r,r"), args)

    return types.uint32(types.uint32, types.uint32), generate


# --8<-- [end:times2]
