"""bf16 matrix product on Hopper from Numba: the copy engine feeds wgmma through a ring."""

import numpy as np
from cuda.bindings import driver

# --8<-- [start:imports]
from numba import cuda, int32, typeof, uint32, uint64

# --8<-- [end:imports]
from kernels.tensor_cores.formats import from_bfloat16, to_bfloat16
from kernels.tensor_cores.ptx import ptx
from kernels.tensor_cores.tma import (
    barrier_arrive,
    barrier_expect,
    barrier_init,
    barrier_init_done,
    barrier_wait,
    load_box,
    shared_address,
    show_to_engine,
    store_box,
    stores_done,
    stores_read_but_one,
    tensor_map,
    use_map,
)

# --8<-- [start:wgmma]
wgmma_begin = ptx("wgmma.fence.sync.aligned;")
wgmma_end = ptx("wgmma.commit_group.sync.aligned;")
wgmma_wait = ptx("wgmma.wait_group.sync.aligned 0;")
multiply = ptx(
    "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 %0, %1, %2, 1, 1, 1, 0, 1;",
    "+f128 l l",
)
zeros = ptx(" ".join(f"mov.f32 %0[{i}], 0f00000000;" for i in range(128)), "=f128")


@cuda.jit(device=True)
def describe(address, leading, stride):
    """Return the descriptor of a swizzled matrix in shared memory: where it is, two strides."""
    where = uint64((uint32(address) & uint32(0x3FFFF)) >> uint32(4))
    strides = uint64(leading >> 4) << uint64(16) | uint64(stride >> 4) << uint64(32)
    return where | strides | uint64(1 << 62)


# --8<-- [end:wgmma]


# --8<-- [start:results]
write_16x16 = ptx(
    "{ .reg .b32 two<4>; "
    + " ".join(f"cvt.rn.bf16x2.f32 two{i}, %1[{2 * i + 1}], %1[{2 * i}];" for i in range(4))
    + " stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {two0, two1, two2, two3}; }",
    "r f8",
)
consumer_barrier = ptx("bar.sync %0, 128;", "r")


@cuda.jit(device=True)
def put(part, box, group, map_c, x, y):
    """Write 64 x 64 results: registers to a box of shared memory, and the engine does the rest."""
    thread, lane = cuda.threadIdx.x % 128, cuda.threadIdx.x % 32
    if thread == 0:
        stores_read_but_one()  # the engine has read what was in this box
    consumer_barrier(group)
    to = box + (thread // 32 * 16 + lane % 16) * 128
    piece, turn = lane // 16, lane % 8
    write_16x16(to + ((piece ^ turn) << 4), part[0:8])
    write_16x16(to + ((piece + 2 ^ turn) << 4), part[8:16])
    write_16x16(to + ((piece + 4 ^ turn) << 4), part[16:24])
    write_16x16(to + ((piece + 6 ^ turn) << 4), part[24:32])
    show_to_engine()
    consumer_barrier(group)
    if thread == 0:
        store_box(map_c, x, y, box)


# --8<-- [end:results]


# --8<-- [start:kernel]
BM, BN, BK = 128, 256, 64  # a block's tile of c, and one step along k
STAGES = 4  # tiles of a and b in flight
BAND = 16  # tile rows that run at about the same time
A_BYTES, B_BYTES, BOX = BM * BK * 2, BK * BN * 2, 64 * 64 * 2
SHARED = STAGES * (A_BYTES + B_BYTES) + 4 * BOX + 16 * STAGES

fewer_registers = ptx("setmaxnreg.dec.sync.aligned.u32 40;")
more_registers = ptx("setmaxnreg.inc.sync.aligned.u32 232;")


@cuda.jit(device=True)
def place(tile, rows, columns):
    """Return the row and the column of a tile: down a band of rows, then to the next column."""
    band = uint32(tile) // uint32(BAND * columns)
    first = uint32(band * BAND)
    height = min(uint32(BAND), uint32(rows - first))
    inside = uint32(tile - band * BAND * columns)
    return int32(first + inside % uint32(height)), int32(inside // uint32(height))


@cuda.jit(launch_bounds=(384, 1))
def wgmma_kernel(maps, m, n, k):
    """c = a @ b for bfloat16 matrices that ``maps`` describes: three tensor maps of 128 bytes."""
    map_a = uint64(maps.ctypes.data)
    map_b, map_c = map_a + uint64(128), map_a + uint64(256)
    memory = cuda.shared.array(0, np.uint8, alignment=1024)
    tiles_a = int32(shared_address(memory.ctypes.data))
    tiles_b = int32(tiles_a + STAGES * A_BYTES)
    boxes = int32(tiles_b + STAGES * B_BYTES)  # results, two boxes for each consumer
    full = int32(boxes + 4 * BOX)  # a barrier for each slot: its tiles are there
    empty = int32(full + 8 * STAGES)  # and one more: its tiles are used up
    group = cuda.threadIdx.x // 128  # 0 produces, 1 and 2 consume
    thread = cuda.threadIdx.x % 128
    rows, columns, steps = (m + BM - 1) // BM, (n + BN - 1) // BN, int32((k + BK - 1) // BK)

    if cuda.threadIdx.x == 0:
        for s in range(STAGES):
            barrier_init(full + 8 * s, 1)
            barrier_init(empty + 8 * s, 2)
        barrier_init_done()
    cuda.syncthreads()

    slot, parity = int32(0), int32(0)
    if group == 0:
        fewer_registers()
        if thread == 0:
            use_map(map_a)
            use_map(map_b)
            for tile in range(cuda.blockIdx.x, rows * columns, cuda.gridDim.x):
                row, column = place(tile, rows, columns)
                y, x = row * BM, column * BN
                for i in range(steps):
                    barrier_wait(empty + 8 * slot, parity ^ 1)
                    barrier_expect(full + 8 * slot, A_BYTES + B_BYTES)
                    load_box(tiles_a + slot * A_BYTES, map_a, i * BK, y, full + 8 * slot)
                    for j in range(4):
                        to = tiles_b + slot * B_BYTES + j * BOX
                        load_box(to, map_b, x + 64 * j, i * BK, full + 8 * slot)
                    slot = int32(slot + 1)
                    if slot == STAGES:
                        slot, parity = int32(0), int32(parity ^ 1)
    else:
        more_registers()
        half = group - 1  # the upper or the lower 64 rows
        box = boxes + half * 2 * BOX
        if thread == 0:
            use_map(map_c)
        for tile in range(cuda.blockIdx.x, rows * columns, cuda.gridDim.x):
            row, column = place(tile, rows, columns)
            y, x = row * BM + half * 64, column * BN
            total = zeros()
            for _ in range(steps):
                barrier_wait(full + 8 * slot, parity)
                a = describe(tiles_a + slot * A_BYTES + half * BOX, 16, 1024)
                b = describe(tiles_b + slot * B_BYTES, BOX, 1024)
                wgmma_begin()
                total = multiply(total, a, b)
                total = multiply(total, a + uint64(2), b + uint64(128))
                total = multiply(total, a + uint64(4), b + uint64(256))
                total = multiply(total, a + uint64(6), b + uint64(384))
                wgmma_end()
                wgmma_wait()
                if thread == 0:
                    barrier_arrive(empty + 8 * slot)
                slot = int32(slot + 1)
                if slot == STAGES:
                    slot, parity = int32(0), int32(parity ^ 1)
            put(total[0:32], box, group, map_c, x, y)
            put(total[32:64], box + BOX, group, map_c, x + 64, y)
            put(total[64:96], box, group, map_c, x + 128, y)
            put(total[96:128], box + BOX, group, map_c, x + 192, y)
        if thread == 0:
            stores_done()


# --8<-- [end:kernel]


# --8<-- [start:launch]
def launch(kernel, blocks, threads, shared, *arguments):
    """Launch a kernel with more than 48 KB of dynamic shared memory, given in bytes."""
    compiled = kernel.compile(tuple(typeof(argument) for argument in arguments))
    limit = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    handle = compiled.library.get_cufunc().handle
    (error,) = driver.cuKernelSetAttribute(limit, shared, handle, cuda.get_current_device().id)
    if error:
        raise ValueError(f"{shared} bytes of shared memory: {error.name}")
    kernel[blocks, threads, 0, shared](*arguments)


# --8<-- [end:launch]


# --8<-- [start:host]
def padded(x):
    """Return a matrix as bfloat16 in uint16, with zeros up to multiples of 8."""
    x = np.asarray(x, dtype=np.float32)
    return to_bfloat16(np.pad(x, [(0, -length % 8) for length in x.shape]))


def matmul_wgmma(a, b):
    """Return ``a @ b`` for a of shape (M, K) and b of shape (K, N), rounded to bfloat16.

    The operands are rounded to bfloat16 too; the sums are float32. Needs a Hopper GPU.

    --8<-- [start:example]
    >>> a, b = np.arange(15).reshape(3, 5), np.arange(20).reshape(5, 4)
    >>> matmul_wgmma(a, b)  # 120 130 140 150, 320 355 390 425, 520 580 640 700
    array([[120., 130., 140., 150.],
           [320., 356., 390., 424.],
           [520., 580., 640., 700.]], dtype=float32)

    --8<-- [end:example]
    """
    rows, columns = len(a), np.shape(b)[1]
    d_a, d_b = cuda.to_device(padded(a)), cuda.to_device(padded(b))
    (m, k), n = d_a.shape, d_b.shape[1]
    d_c = cuda.device_array((m, n), np.uint16)
    maps = [tensor_map(d_a, BM), tensor_map(d_b, BK), tensor_map(d_c, 64)]
    d_maps = cuda.to_device(np.concatenate(maps))
    blocks = cuda.get_current_device().MULTIPROCESSOR_COUNT
    launch(wgmma_kernel, blocks, 384, SHARED, d_maps, int32(m), int32(n), int32(k))
    return from_bfloat16(d_c.copy_to_host()[:rows, :columns])


# --8<-- [end:host]
