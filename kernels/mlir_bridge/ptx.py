"""The bridge to PTX on numba-cuda-mlir: the device functions of tensor_cores/ptx.py, from MLIR."""

# --8<-- [start:imports]
import inspect
import re

from numba_cuda_mlir import types
from numba_cuda_mlir._mlir import ir
from numba_cuda_mlir._mlir.dialects import llvm
from numba_cuda_mlir.extending import intrinsic, refresh_registries

# --8<-- [end:imports]


# --8<-- [start:ptx]
KINDS = {"r": (types.uint32, "i32"), "l": (types.uint64, "i64"), "f": (types.float32, "f32")}


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

    def define(context, *arguments):
        def generate(builder, target, args, kwargs):
            flat = []
            for variable, (_, letter, count) in zip(args, inputs, strict=True):
                value, kind = builder.load_var(variable), ir.Type.parse(KINDS[letter][1])
                parts = value if count else [value]
                flat += [builder.mlir_convert(part, kind) for part in parts]
            kinds = [ir.Type.parse(KINDS[result[1]][1])] * len(names[0]) if result else []
            gives = llvm.StructType.get_literal(kinds) if len(kinds) > 1 else None
            code = llvm.InlineAsmOp(
                gives or (kinds[0] if kinds else None),
                flat,
                assembly,
                ",".join(constraints),
                has_side_effects=True,
            )
            if not result:
                builder.store_var(target, None)
            elif gives:
                got = [llvm.extractvalue(kind, code.result, [i]) for i, kind in enumerate(kinds)]
                builder.store_var(target, tuple(got))
            else:
                got = code.results[0]
                builder.store_var(target, (got,) if result[2] else got)

        returns = numba_type(result) if result else types.void
        return returns(*map(numba_type, inputs)), generate

    # The compiler wants to know how many arguments there are.
    named = [
        inspect.Parameter(f"x{i}", inspect.Parameter.POSITIONAL_ONLY)
        for i in range(len(inputs) + 1)
    ]
    define.__signature__ = inspect.Signature(named)
    made = intrinsic(define)
    refresh_registries(target=False, include_uninitialized_cuda=False)  # else only the next process
    return made


# --8<-- [end:ptx]
