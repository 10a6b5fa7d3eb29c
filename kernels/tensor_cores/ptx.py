"""A PTX instruction as a device function of Numba: the bridge to what Numba has no name for."""

# --8<-- [start:imports]
import inspect
import re

from llvmlite import ir
from numba import types
from numba.cuda.extending import intrinsic

# --8<-- [end:imports]


# --8<-- [start:ptx]
KINDS = {
    "r": (types.uint32, ir.IntType(32)),
    "l": (types.uint64, ir.IntType(64)),
    "f": (types.float32, ir.FloatType()),
}


def ptx(text, operands=""):
    """Return a device function that is made of PTX instructions.

    ``operands`` has a word for each operand: ``r`` and ``l`` are 32 and 64 bits, ``f`` is a
    float32, and a number behind the letter makes it a tuple. The first may be the result:
    ``=f4`` is only written, ``+f4`` is also the function's first argument. In the text %0 is the
    first operand, %0[4] a register of it, and %0[4:8] some of them in braces.
    """
    words = [re.fullmatch(r"([=+]?)([rlf])(\d*)", word).groups() for word in operands.split()]
    result = words[0] if words and words[0][0] else None
    inputs = words[1:] if result and result[0] == "=" else words

    # LLVM numbers the results first, then the arguments; a tied argument has numbers of its own.
    names, first = [], 0
    for sign, _, count in words:
        names.append([f"${first + i}" for i in range(int(count or 1))])
        first += int(count or 1) * (2 if sign == "+" else 1)

    def registers(found):
        operand, low, colon, high = found.groups()
        part = names[int(operand)]
        if not words[int(operand)][2]:
            return part[0]
        if low and not colon:
            return part[int(low)]
        return "{" + ", ".join(part[int(low or 0) : int(high or len(part))]) + "}"

    assembly = re.sub(r"%(\d+)(?:\[(\d+)(:?)(\d*)\])?", registers, text)
    constraints = []
    if result:
        constraints += [f"=&{result[1]}"] * len(names[0])  # & as written before all is read
    for sign, letter, count in inputs:
        tied = [str(i) for i in range(int(count or 1))]
        constraints += tied if sign else [letter] * len(tied)
    constraints.append("~{memory}")

    def numba_type(word):
        kind = KINDS[word[1]][0]
        return types.UniTuple(kind, int(word[2])) if word[2] else kind

    def llvm_types(word):
        return [KINDS[word[1]][1]] * int(word[2] or 1)

    def define(context, *arguments):
        def generate(context, builder, signature, values):
            flat = []
            for value, (_, _, count) in zip(values, inputs, strict=True):
                flat += [builder.extract_value(value, i) for i in range(int(count or 0))] or [value]
            if result is None:
                gives = ir.VoidType()
            elif result[2]:
                gives = ir.LiteralStructType(llvm_types(result))
            else:
                gives = llvm_types(result)[0]
            takes = [kind for word in inputs for kind in llvm_types(word)]
            code = ir.InlineAsm(
                ir.FunctionType(gives, takes), assembly, ",".join(constraints), side_effect=True
            )
            got = builder.call(code, flat)
            if result is None:
                return context.get_dummy_value()
            if not result[2]:
                return got
            parts = [builder.extract_value(got, i) for i in range(int(result[2]))]
            return context.make_tuple(builder, signature.return_type, parts)

        returns = numba_type(result) if result else types.void
        return returns(*map(numba_type, inputs)), generate

    # Numba wants to know how many arguments there are.
    named = [
        inspect.Parameter(f"x{i}", inspect.Parameter.POSITIONAL_ONLY)
        for i in range(len(inputs) + 1)
    ]
    define.__signature__ = inspect.Signature(named)
    return intrinsic(define)


# --8<-- [end:ptx]
