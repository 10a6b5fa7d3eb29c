"""Four neighbors of an array in one instruction: 16 bytes for elements of 4."""

# --8<-- [start:imports]
from llvmlite import ir
from numba import types
from numba.cuda.extending import intrinsic

# --8<-- [end:imports]


# --8<-- [start:vectors]
def address(context, builder, array, value, i):
    """Emit the address of four elements as that of one vector, and the bytes that it has."""
    data = context.make_array(array)(context, builder, value).data
    four = ir.VectorType(context.get_data_type(array.dtype), 4)
    return builder.bitcast(builder.gep(data, [i]), four.as_pointer()), array.dtype.bitwidth // 2


@intrinsic
def load4(typing, array, i):
    """Return elements i to i + 3, read at once. i counts in memory, and is a multiple of four."""
    signature = types.UniTuple(array.dtype, 4)(array, types.int64)

    def generate(context, builder, signature, args):
        place, size = address(context, builder, array, *args)
        four = builder.load(place, align=size)
        parts = [builder.extract_element(four, ir.IntType(32)(k)) for k in range(4)]
        return context.make_tuple(builder, signature.return_type, parts)

    return signature, generate


@intrinsic
def store4(typing, array, i, values):
    """Write a tuple to the elements i to i + 3 at once, as ``load4`` reads them."""
    signature = types.void(array, types.int64, types.UniTuple(array.dtype, 4))

    def generate(context, builder, signature, args):
        place, size = address(context, builder, array, *args[:2])
        four = place.type.pointee(ir.Undefined)
        for k in range(4):
            part = builder.extract_value(args[2], k)
            four = builder.insert_element(four, part, ir.IntType(32)(k))
        builder.store(four, place, align=size)
        return context.get_dummy_value()

    return signature, generate


# --8<-- [end:vectors]
