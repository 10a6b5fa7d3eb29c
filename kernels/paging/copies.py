"""Copies of 16 bytes from memory to shared memory that a thread starts and waits for later."""

# --8<-- [start:imports]
from llvmlite import ir
from numba import types
from numba.cuda.extending import intrinsic

# --8<-- [end:imports]


# --8<-- [start:copy]
def element(context, builder, kind, array, index):
    """Emit the address of ``array[index]``."""
    return builder.gep(context.make_array(kind)(context, builder, array).data, [index])


@intrinsic
def copy16(typing, box, index, array, at, inside):
    """Start to copy four words from ``array[at]`` to ``box[index]``; zeros, if not inside (0)."""
    signature = types.void(box, types.uint32, array, types.uint64, types.int32)

    def generate(context, builder, signature, args):
        to = element(context, builder, signature.args[0], *args[:2])
        to = builder.addrspacecast(to, ir.PointerType(ir.IntType(32), 3))  # 3: shared memory
        start = element(context, builder, signature.args[2], *args[2:4])
        bits = [ir.IntType(32), ir.IntType(64), ir.IntType(32)]
        size = builder.mul(args[4], ir.IntType(32)(16))
        operands = [builder.ptrtoint(to, bits[0]), builder.ptrtoint(start, bits[1]), size]
        text = "cp.async.cg.shared.global.L2::256B [$0], [$1], 16, $2;"
        code = ir.InlineAsm(ir.FunctionType(ir.VoidType(), bits), text, "r,l,r,~{memory}", True)
        builder.call(code, operands)
        return context.get_dummy_value()

    return signature, generate


@intrinsic
def load16(typing, box, index):
    """Return four words of shared memory, read at once; index is a multiple of four."""
    signature = types.UniTuple(types.uint32, 4)(box, types.uint32)

    def generate(context, builder, signature, args):
        place = element(context, builder, signature.args[0], *args)
        place = builder.bitcast(place, ir.VectorType(ir.IntType(32), 4).as_pointer())
        four = builder.load(place, align=16)
        parts = [builder.extract_element(four, ir.IntType(32)(part)) for part in range(4)]
        return context.make_tuple(builder, signature.return_type, parts)

    return signature, generate


def instruction(text):
    """Return a device function that is one PTX instruction without operands."""

    @intrinsic
    def call(typing):
        def generate(context, builder, signature, args):
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(ir.InlineAsm(kind, text, "~{memory}", True), [])
            return context.get_dummy_value()

        return types.void(), generate

    return call


commit = instruction("cp.async.commit_group;")  # what was started since the last is one group


def waiting(groups):
    """Return a device function that waits until at most so many groups are on the way."""
    return instruction(f"cp.async.wait_group {groups};")


# --8<-- [end:copy]
