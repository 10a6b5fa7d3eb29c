"""8 and 16 bytes at a time, and 2 to the power x by one instruction, as device functions.

The arrays are flat and contiguous float32; an index counts elements and is a multiple of four.
"""

# --8<-- [start:imports]
from llvmlite import ir
from numba import types
from numba.cuda.extending import intrinsic

# --8<-- [end:imports]


# --8<-- [start:load]
def address(context, builder, kind, array, index, count):
    """Emit the address of ``array[index]``, as one of a vector of ``count`` float32."""
    data = context.make_array(kind)(context, builder, array).data
    vector = ir.VectorType(ir.FloatType(), count)
    return builder.bitcast(builder.gep(data, [index]), vector.as_pointer())


def loader(count):
    """Return a device function that reads ``count`` neighbors of a float32 array at once."""

    @intrinsic
    def load(typing, array, index):
        signature = types.UniTuple(types.float32, count)(array, types.uint64)

        def generate(context, builder, signature, args):
            place = address(context, builder, signature.args[0], *args, count)
            vector = builder.load(place, align=4 * count)
            parts = [builder.extract_element(vector, ir.IntType(32)(i)) for i in range(count)]
            return context.make_tuple(builder, signature.return_type, parts)

        return signature, generate

    return load


load2, load4 = loader(2), loader(4)  # load4(x, i): x[i], x[i + 1], x[i + 2], x[i + 3]


# --8<-- [end:load]


# --8<-- [start:store]
def storer(count):
    """Return a device function that writes ``count`` neighbors of a float32 array at once."""

    @intrinsic
    def store(typing, array, index, values):
        signature = types.void(array, types.uint64, types.UniTuple(types.float32, count))

        def generate(context, builder, signature, args):
            vector = ir.VectorType(ir.FloatType(), count)(ir.Undefined)
            for i in range(count):
                part = builder.extract_value(args[2], i)
                vector = builder.insert_element(vector, part, ir.IntType(32)(i))
            place = address(context, builder, signature.args[0], *args[:2], count)
            builder.store(vector, place, align=4 * count)
            return context.get_dummy_value()

        return signature, generate

    return store


store2, store4 = storer(2), storer(4)


# --8<-- [end:store]


# --8<-- [start:exp2]
@intrinsic
def exp2(typing, x):
    """Return 2 to the power x, by one instruction of the special function unit."""

    def generate(context, builder, signature, args):
        kind = ir.FunctionType(ir.FloatType(), [ir.FloatType()])
        return builder.asm(kind, "ex2.approx.ftz.f32 $0, $1;", "=f,f", args, False)

    return types.float32(types.float32), generate


# --8<-- [end:exp2]
