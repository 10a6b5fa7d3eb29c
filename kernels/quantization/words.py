"""16 bytes in one load, and the bits of a word as a float, as device functions."""

# --8<-- [start:imports]
from llvmlite import ir
from numba import types
from numba.cuda.extending import intrinsic

# --8<-- [end:imports]


# --8<-- [start:float]
@intrinsic
def as_float(typing, bits):
    """Return the float32 whose bits are those of a 32-bit word. No instruction is needed."""

    def generate(context, builder, signature, args):
        return builder.bitcast(args[0], ir.FloatType())

    return types.float32(types.uint32), generate


# --8<-- [end:float]


# --8<-- [start:load]
# Read once: past the L1 cache, and first to leave the L2 cache, so that the rest of it stays.
LOAD = """{
  .reg .b64 policy;
  createpolicy.fractional.L2::evict_first.b64 policy, 1.0;
  ld.global.nc.L1::no_allocate.L2::cache_hint.L2::256B.v4.u32 {$0, $1, $2, $3}, [$4], policy;
}"""
KEEP = "ld.global.nc.v4.u32 {$0, $1, $2, $3}, [$4];"


def loader(instruction):
    """Return a device function: words i to i + 3 of a uint32 array; i is a multiple of four."""

    @intrinsic
    def load(typing, array, index):
        signature = types.UniTuple(types.uint32, 4)(array, types.uint64)

        def generate(context, builder, signature, args):
            data = context.make_array(array)(context, builder, args[0]).data
            word = ir.IntType(32)
            kind = ir.FunctionType(ir.LiteralStructType([word] * 4), [data.type])
            place = builder.gep(data, [args[1]])
            # With a side effect the loads stay where they are written: all before the first use.
            asm = ir.InlineAsm(kind, instruction, "=r,=r,=r,=r,l", side_effect=True)
            four = builder.call(asm, [place])
            parts = [builder.extract_value(four, part) for part in range(4)]
            return context.make_tuple(builder, signature.return_type, parts)

        return signature, generate

    return load


load_once, load_shared = loader(LOAD), loader(KEEP)


# --8<-- [end:load]
