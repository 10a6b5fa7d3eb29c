"""FP8 matrix product on Hopper from Numba, with fast sums and with sums promoted to float32."""

import ctypes

import numpy as np
from cuda.bindings import driver

# --8<-- [start:imports]
from numba import cuda, int32, uint32, uint64

# --8<-- [end:imports]
from kernels.tensor_cores.e4m3 import to_e4m3
from kernels.tensor_cores.formats import from_bfloat16
from kernels.tensor_cores.ptx import ptx
from kernels.tensor_cores.tma import (
    barrier_arrive,
    barrier_expect,
    barrier_init,
    barrier_init_done,
    barrier_wait,
    load_box,
    shared_address,
    stores_done,
    tensor_map,
    use_map,
)
from kernels.tensor_cores.wgmma import describe, launch, put, wgmma_wait


# --8<-- [start:map]
def byte_map(array, box_rows):
    """Describe a device matrix of bytes to TMA: boxes of ``box_rows`` x 128."""
    rows, columns = array.shape
    address, _ = array.__cuda_array_interface__["data"]
    error, filled = driver.cuTensorMapEncodeTiled(
        driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_UINT8,
        2,
        address,
        [driver.cuuint64_t(columns), driver.cuuint64_t(rows)],
        [driver.cuuint64_t(columns)],  # bytes from row to row
        [driver.cuuint32_t(128), driver.cuuint32_t(box_rows)],
        [driver.cuuint32_t(1), driver.cuuint32_t(1)],
        driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B,
        driver.CUtensorMapL2promotion.CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,  # zeros
    )
    if error:
        raise ValueError(f"no tensor map of {array.shape} at {address:#x}: {error.name}")
    return np.frombuffer(ctypes.string_at(filled.getPtr(), 128), dtype=np.uint8)


# --8<-- [end:map]


# --8<-- [start:instructions]
def multiply_text(width, first):
    """Return PTX that starts 64 x 128 by 128 x ``width``: four steps of 32 bytes along k.

    With ``first`` the registers' old contents are not added: a sum begins.
    """
    text = "{ .reg .b64 a, b; .reg .pred no; setp.ne.b32 no, 0, 0; wgmma.fence.sync.aligned; "
    for step in range(4):
        text += f"add.s64 a, %1, {2 * step}; add.s64 b, %2, {2 * step}; "
        text += f"wgmma.mma_async.sync.aligned.m64n{width}k32.f32.e4m3.e4m3"
        text += f" %0, a, b, {'no' if first and step == 0 else '1'}, 1, 1; "
    return text + "wgmma.commit_group.sync.aligned; }"


def each(count, line):
    return " ".join(line(i) for i in range(count))


# --8<-- [end:instructions]


# --8<-- [start:kernel]
def fp8_kernel(BN, promoted, STAGES=4, BAND=16):
    """Return (kernel, shared bytes, BN): c = a @ bt.T, tiles of 128 x BN, 128 along k a step.

    With ``promoted`` the tensor cores sum 128 products, and threads add these sums in float32.
    """
    BM, BK = 128, 128
    A_BYTES, B_BYTES, BOX = BM * BK, BK * BN, 64 * 64 * 2
    COUNT = BN // 2  # sums of a thread
    zeros = ptx(each(COUNT, lambda i: f"mov.f32 %0[{i}], 0f00000000;"), f"=f{COUNT}")
    multiply = ptx(multiply_text(BN, first=False), f"+f{COUNT} l l")
    begin = ptx(multiply_text(BN, first=True), f"=f{COUNT} l l")
    plus = ptx(each(COUNT, lambda i: f"add.f32 %0[{i}], %0[{i}], %1[{i}];"), f"+f{COUNT} f{COUNT}")
    fewer = ptx("setmaxnreg.dec.sync.aligned.u32 24;")
    more = ptx("setmaxnreg.inc.sync.aligned.u32 240;")

    @cuda.jit(device=True)
    def place(tile, rows, columns):
        band = uint32(tile) // uint32(BAND * columns)
        first = uint32(band * BAND)
        height = min(uint32(BAND), uint32(rows - first))
        inside = uint32(tile - band * BAND * columns)
        return int32(first + inside % uint32(height)), int32(inside // uint32(height))

    @cuda.jit(launch_bounds=(384, 1))
    def fp8(maps, m, n, k):
        """``maps`` are the tensor maps of a (m, k), bt (n, k), both e4m3, and c in bfloat16."""
        map_a = uint64(maps.ctypes.data)
        map_b, map_c = map_a + uint64(128), map_a + uint64(256)
        memory = cuda.shared.array(0, np.uint8, alignment=1024)
        tiles_a = int32(shared_address(memory.ctypes.data))
        tiles_b = int32(tiles_a + STAGES * A_BYTES)
        boxes = int32(tiles_b + STAGES * B_BYTES)
        full = int32(boxes + 4 * BOX)
        empty = int32(full + 8 * STAGES)
        group, thread = cuda.threadIdx.x // 128, cuda.threadIdx.x % 128
        rows, columns = int32((m + BM - 1) // BM), int32((n + BN - 1) // BN)
        steps = int32((k + BK - 1) // BK)
        if cuda.threadIdx.x == 0:
            for s in range(STAGES):
                barrier_init(full + 8 * s, 1)
                barrier_init(empty + 8 * s, 2)
            barrier_init_done()
        cuda.syncthreads()

        slot, parity = int32(0), int32(0)
        if group == 0:
            fewer()
            if thread == 0:
                use_map(map_a)
                use_map(map_b)
                for tile in range(cuda.blockIdx.x, rows * columns, cuda.gridDim.x):
                    row, column = place(tile, rows, columns)
                    for i in range(steps):
                        barrier_wait(empty + 8 * slot, parity ^ 1)
                        barrier_expect(full + 8 * slot, A_BYTES + B_BYTES)
                        to_a, to_b = tiles_a + slot * A_BYTES, tiles_b + slot * B_BYTES
                        load_box(to_a, map_a, i * BK, row * BM, full + 8 * slot)
                        load_box(to_b, map_b, i * BK, column * BN, full + 8 * slot)
                        slot = int32(slot + 1)
                        if slot == STAGES:
                            slot, parity = int32(0), int32(parity ^ 1)
        else:
            more()
            half = group - 1
            box = int32(boxes + half * 2 * BOX)
            other_box = int32(box + BOX)
            if thread == 0:
                use_map(map_c)
            for tile in range(cuda.blockIdx.x, rows * columns, cuda.gridDim.x):
                row, column = place(tile, rows, columns)
                y, x = row * BM + half * 64, column * BN
                total = zeros()
                for _ in range(steps):
                    barrier_wait(full + 8 * slot, parity)
                    a = describe(tiles_a + slot * A_BYTES + half * 64 * BK, 16, 1024)
                    b = describe(tiles_b + slot * B_BYTES, 16, 1024)
                    if promoted:
                        part = begin(a, b)
                        wgmma_wait()
                    else:
                        total = multiply(total, a, b)
                        wgmma_wait()
                    if thread == 0:
                        barrier_arrive(empty + 8 * slot)
                    if promoted:
                        total = plus(total, part)
                    slot = int32(slot + 1)
                    if slot == STAGES:
                        slot, parity = int32(0), int32(parity ^ 1)
                put(total[0:32], box, group, map_c, x, y)
                put(total[32:64], other_box, group, map_c, x + 64, y)
                if BN >= 192:
                    put(total[64:96], box, group, map_c, x + 128, y)
                if BN == 256:
                    put(total[96:128], other_box, group, map_c, x + 192, y)
                if BN == 192:  # three results, two boxes: the next tile begins with the other
                    box, other_box = other_box, box
            if thread == 0:
                stores_done()

    return fp8, STAGES * (A_BYTES + B_BYTES) + 4 * BOX + 16 * STAGES, BN


FAST, PROMOTED = fp8_kernel(256, promoted=False), fp8_kernel(192, promoted=True)
# --8<-- [end:kernel]


# --8<-- [start:host]
def fp8_arguments(way, d_a, d_bt, d_c, k):
    """Return (kernel, threads, shared bytes, arguments): c = a @ bt.T, rows of bytes, k of them."""
    kernel, shared, width = way
    maps = [byte_map(d_a, 128), byte_map(d_bt, width), tensor_map(d_c, 64)]
    sizes = (int32(d_a.shape[0]), int32(d_bt.shape[0]), int32(k))
    return kernel, 384, shared, (cuda.to_device(np.concatenate(maps)), *sizes)


def matmul_fp8(a, b, promoted=True):
    """Return ``a @ b`` for a of shape (M, K) and b of shape (K, N), rounded to bfloat16.

    The operands are rounded to FP8 e4m3, whose largest number is 448. The tensor cores' own sums
    have fewer bits than float32; ``promoted`` adds them in float32 after every 128 products.
    Needs a Hopper GPU.

    --8<-- [start:example]
    >>> a, b = np.arange(15).reshape(3, 5), np.arange(20).reshape(5, 4) % 7
    >>> (matmul_fp8(a, b) == a @ b).all()  # these numbers e4m3 has, and bfloat16 their sums
    np.True_

    --8<-- [end:example]
    """
    a, bt = np.asarray(a, dtype=np.float32), np.asarray(b, dtype=np.float32).T
    rows, columns, k = len(a), len(bt), a.shape[1]
    if bt.shape[1] != k:
        raise ValueError(f"a has {k} columns and b has {bt.shape[1]} rows")
    a, bt = (np.pad(x, ((0, -len(x) % 8), (0, -k % 16))) for x in (a, bt))
    d_a, d_bt = (cuda.to_device(np.ascontiguousarray(to_e4m3(x))) for x in (a, bt))
    d_c = cuda.device_array((len(a), len(bt)), np.uint16)
    way = PROMOTED if promoted else FAST
    kernel, threads, shared, arguments = fp8_arguments(way, d_a, d_bt, d_c, a.shape[1])
    blocks = cuda.get_current_device().MULTIPROCESSOR_COUNT
    launch(kernel, blocks, threads, shared, *arguments)
    return from_bfloat16(d_c.copy_to_host()[:rows, :columns])


# --8<-- [end:host]
