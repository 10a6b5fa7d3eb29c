"""Matrix product that copies the next tiles while it multiplies: cp.async and several stages."""

import numpy as np
from llvmlite import ir
from numba import cuda, types
from numba.cuda.extending import intrinsic

from kernels.gemm.vectors import add_products, fetch, place, write


# --8<-- [start:copy]
def make_copy(size, cache):
    """Return a device function that starts a copy of ``size`` bytes to tile[y, x].

    They come from element ``at`` of a matrix, counted from its first. If that is not ``inside``
    the matrix, nothing is read, and the tile gets zeros.
    """
    text = f"cp.async.{cache}.shared.global [$0], [$1], {size}, $2;"

    @intrinsic
    def copy(typing, tile, y, x, source, at, inside):
        i64, i32 = types.int64, types.int32
        signature = types.void(tile, i64, i64, source, i64, i32)

        def generate(context, builder, signature, args):
            to = place(context, builder, signature.args[0], *args[:3])
            to = builder.addrspacecast(to, ir.PointerType(ir.FloatType(), 3))  # 3: shared
            start = context.make_array(signature.args[3])(context, builder, args[3]).data
            start = builder.gep(start, [args[4]])
            bits = [ir.IntType(32), ir.IntType(64), ir.IntType(32)]
            copied = builder.mul(args[5], ir.IntType(32)(size))
            operands = [builder.ptrtoint(to, bits[0]), builder.ptrtoint(start, bits[1]), copied]
            code = ir.InlineAsm(ir.FunctionType(ir.VoidType(), bits), text, "r,l,r,~{memory}", True)
            builder.call(code, operands)
            return context.get_dummy_value()

        return signature, generate

    return copy


copy16, copy4 = make_copy(16, "cg"), make_copy(4, "ca")


def make_instruction(text):
    """Return a device function that is one PTX instruction without operands."""

    @intrinsic
    def instruction(typing):
        def generate(context, builder, signature, args):
            kind = ir.FunctionType(ir.VoidType(), [])
            builder.call(ir.InlineAsm(kind, text, "~{memory}", True), [])
            return context.get_dummy_value()

        return types.void(), generate

    return instruction


commit = make_instruction("cp.async.commit_group;")
# --8<-- [end:copy]


# --8<-- [start:tiles]
@cuda.jit(device=True, forceinline=True)
def start_transposed(tile, BM, a, at, first_row, left, tid, threads):
    """Start to copy ``BM`` rows of ``a`` into a tile: a step for each row of the tile.

    ``at`` counts the elements of ``a`` before this thread's first, and ``left`` the steps from
    here to the end. What is not inside becomes zeros.
    """
    BK = tile.shape[0]
    y, x = np.uint32(tid // BK), np.int32(tid % BK)
    row_stride = threads // BK  # from one copy of this thread to its next
    for i in range(BM // row_stride):
        inside = np.uint32(first_row + y + i * row_stride) < np.uint32(a.shape[0]) and x < left
        copy4(tile, x, y + i * row_stride, a, at + i * row_stride * a.shape[1], inside)


def make_start_rows(copy, vector_width):
    """Return what ``start_transposed`` is for ``b``: copies of ``vector_width`` elements."""

    @cuda.jit(device=True, forceinline=True)
    def start_rows(tile, b, at, first_column, left, tid, threads):
        line = tile.shape[1] // vector_width  # threads for a row of the tile
        y, x = np.int32(tid // line), np.uint32(tid % line * vector_width)
        row_stride = threads // line
        in_width = np.uint32(first_column + x) < np.uint32(b.shape[1])
        for i in range(tile.shape[0] // row_stride):
            inside = np.int32(y + i * row_stride) < left and in_width
            copy(tile, y + i * row_stride, x, b, at + i * row_stride * b.shape[1], inside)

    return start_rows


START_ROWS = {4: make_start_rows(copy16, 4), 1: make_start_rows(copy4, 1)}


# --8<-- [end:tiles]


# --8<-- [start:kernel]
def make_pipeline(BM, BN, BK, TM, TN, stages=2, vector_width=4, pad=4):
    """Return a kernel as ``make_vectors`` does, with ``stages`` pairs of tiles: a ring.

    A copy brings ``vector_width`` elements of ``b``: 4 if its width is a multiple of four, else 1.

    --8<-- [start:example]
    >>> pipeline = make_pipeline(128, 128, BK=8, TM=8, TN=8)
    >>> np.array_equal(product(pipeline, (128, 128), (16, 16), a4, b4), a4 @ b4)
    True
    >>> pipeline_any = make_pipeline(128, 128, BK=8, TM=8, TN=8, vector_width=1)
    >>> np.array_equal(product(pipeline_any, (128, 128), (16, 16), a, b), a @ b)
    True

    --8<-- [end:example]
    """
    threads_x, threads_y = BN // TN, BM // TM
    threads, pitch = threads_x * threads_y, BM + pad
    ahead = stages - 1  # so many steps before its use a copy is started
    wait = make_instruction(f"cp.async.wait_group {ahead - 1};")  # all but the youngest
    line, start_b = BN // vector_width, START_ROWS[vector_width]

    @cuda.jit(launch_bounds=(threads, 2))
    def pipeline_kernel(a, b, c):
        tiles_a = cuda.shared.array((stages, BK, pitch), np.float32, alignment=16)
        tiles_b = cuda.shared.array((stages, BK, BN), np.float32, alignment=16)
        acc = cuda.local.array((TM, TN), np.float32)
        a_frag = cuda.local.array(TM, np.float32)
        b_frag = cuda.local.array(TN, np.float32)
        tx, ty = np.uint32(cuda.threadIdx.x), np.uint32(cuda.threadIdx.y)
        tid = np.uint32(ty * threads_x + tx)
        row0 = np.uint32(cuda.blockIdx.y * BM)
        column0 = np.uint32(cuda.blockIdx.x * BN)
        for i in range(TM):
            for j in range(TN):
                acc[i, j] = 0
        at_a = np.int64(row0 + tid // BK) * a.shape[1] + tid % BK  # what this thread copies
        at_b = np.int64(tid // line) * b.shape[1] + column0 + tid % line * vector_width
        left = np.int32(a.shape[1])
        for stage in range(ahead):
            start_transposed(tiles_a[stage], BM, a, at_a, row0, left, tid, threads)
            start_b(tiles_b[stage], b, at_b, column0, left, tid, threads)
            commit()
            at_a, at_b, left = at_a + BK, at_b + BK * b.shape[1], np.int32(left - BK)
        use, fill = np.uint32(0), np.uint32(ahead)
        while left > -ahead * BK:
            wait()  # until this thread's part of the tiles to use has come
            cuda.syncthreads()  # until all parts have come, and nobody needs the tiles to fill
            start_transposed(tiles_a[fill], BM, a, at_a, row0, left, tid, threads)
            start_b(tiles_b[fill], b, at_b, column0, left, tid, threads)
            commit()
            at_a, at_b, left = at_a + BK, at_b + BK * b.shape[1], np.int32(left - BK)
            for k in range(BK):
                fetch(tiles_a[use], k, 4 * ty, 4 * threads_y, a_frag)
                fetch(tiles_b[use], k, 4 * tx, 4 * threads_x, b_frag)
                add_products(a_frag, b_frag, acc)
            use = np.uint32(use + 1 if use < ahead else 0)
            fill = np.uint32(fill + 1 if fill < ahead else 0)
        write(c, row0 + 4 * ty, column0 + 4 * tx, 4 * threads_y, 4 * threads_x, acc)

    return pipeline_kernel


# --8<-- [end:kernel]
