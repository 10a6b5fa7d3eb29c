"""A matrix product in TVM: what is computed, and then how, on a CPU and on a GPU."""

# --8<-- [start:imports]
import tvm
from tvm import te
from tvm.s_tir import Schedule

# --8<-- [end:imports]


# --8<-- [start:define]
def product(m, n, k):
    """Return C = A @ B for float32 as a function of three nested loops, and no order of them."""
    A = te.placeholder((m, k), "float32", "A")
    B = te.placeholder((k, n), "float32", "B")
    r = te.reduce_axis((0, k), "r")
    C = te.compute((m, n), lambda i, j: te.sum(A[i, r] * B[r, j], axis=r), "C")
    return te.create_prim_func([A, B, C])


# --8<-- [end:define]


# --8<-- [start:cpu]
def reordered(function):
    """The loop over the columns innermost, so that rows of B and C are read in order."""
    s = Schedule(function)
    i, j, r = s.get_loops(s.get_sblock("C"))
    s.reorder(i, r, j)
    return s


def tiled(function, rows=4, columns=16, lanes=8):
    """A tile of C that stays in registers while r runs, and one strip of rows for each core."""
    s = Schedule(function)
    block = s.get_sblock("C")
    i, j, r = s.get_loops(block)
    i0, i1 = s.split(i, [None, rows])
    j0, j1, lane = s.split(j, [None, columns // lanes, lanes])
    s.reorder(i0, j0, r, i1, j1, lane)
    tile = s.cache_write(block, 0, "local")
    s.reverse_compute_at(tile, j0)
    *_, store = s.get_loops(tile)
    s.vectorize(s.split(store, [None, lanes])[1])
    s.vectorize(lane)
    s.unroll(j1)
    s.unroll(i1)
    s.parallel(i0)
    s.decompose_reduction(block, r)  # the zeros before the loop over r, not inside of it
    return s


# --8<-- [end:cpu]


# --8<-- [start:compile]
def compiled(schedule, target):
    """Compile what a schedule says. A target is ``llvm``, with this processor, or a GPU's."""
    return tvm.compile(schedule.mod, target=tvm.target.Target(target))


# --8<-- [end:compile]


# --8<-- [start:gpu]
def on_gpu(function, BM=128, BN=128, BK=16, TM=8, TN=8):
    """The register-tiled kernel: BM x BN results a block, BK of k in shared memory at a time."""
    s = Schedule(function)
    block = s.get_sblock("C")
    i, j, r = s.get_loops(block)
    block_y, thread_y, i1 = s.split(i, [None, BM // TM, TM])
    block_x, thread_x, j1 = s.split(j, [None, BN // TN, TN])
    step, r1 = s.split(r, [None, BK])
    s.reorder(block_y, block_x, thread_y, thread_x, step, r1, i1, j1)
    for loop, index in zip(
        (block_y, block_x, thread_y, thread_x),
        ("blockIdx.y", "blockIdx.x", "threadIdx.y", "threadIdx.x"),
        strict=True,
    ):
        s.bind(loop, index)
    results = s.cache_write(block, 0, "local")  # TM x TN sums in registers
    s.reverse_compute_at(results, thread_x)
    s.vectorize(s.split(s.get_loops(results)[-1], [None, 4])[1])
    for operand in (0, 1):
        tile = s.cache_read(block, operand, "shared")  # fetched by all threads of the block
        s.compute_at(tile, step)
        fused = s.fuse(*s.get_loops(tile)[-2:])
        _, y, x, four = s.split(fused, [None, BM // TM, BN // TN, 4])
        s.bind(y, "threadIdx.y")
        s.bind(x, "threadIdx.x")
        s.vectorize(four)  # 16 bytes a load
        piece = s.cache_read(block, operand, "local")  # from there to registers
        s.compute_at(piece, r1)
        if operand == 1:  # a row of B: its elements are neighbors
            s.vectorize(s.split(s.get_loops(piece)[-1], [None, 4])[1])
    s.unroll(i1)
    s.unroll(j1)
    s.decompose_reduction(block, step)
    return s


# --8<-- [end:gpu]


# --8<-- [start:source]
def source(executable):
    """Return the CUDA C++ of a compiled module, from its kernel on: before it stand typedefs."""
    text = executable.mod.imports[0].inspect_source("cuda")
    return text[text.rindex('extern "C" __global__') :]


# --8<-- [end:source]


# --8<-- [start:plain]
def one_thread_a_result(function):
    """The naive kernel: a thread for each element of C, in blocks of 16 x 16."""
    s = Schedule(function)
    i, j, r = s.get_loops(s.get_sblock("C"))
    block_y, thread_y = s.split(i, [None, 16])
    block_x, thread_x = s.split(j, [None, 16])
    s.reorder(block_y, block_x, thread_y, thread_x, r)
    s.bind(block_y, "blockIdx.y")
    s.bind(block_x, "blockIdx.x")
    s.bind(thread_y, "threadIdx.y")
    s.bind(thread_x, "threadIdx.x")
    return s


# --8<-- [end:plain]
