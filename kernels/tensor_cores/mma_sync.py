"""bf16 matrix product with mma.sync from Numba: cp.async, ldmatrix, and 32 products at a time."""

# --8<-- [start:imports]
import numpy as np
from cuda.bindings import driver
from numba import cuda, int32, int64, typeof, uint32

# --8<-- [end:imports]
from kernels.tensor_cores.formats import from_bfloat16, to_bfloat16
from kernels.tensor_cores.ptx import ptx

# --8<-- [start:instructions]
BM, BN, BK = 128, 256, 64  # a block's tile of c, and one step along k
STAGES = 3  # tiles of a and b in flight
BAND = 16  # tile rows that run at about the same time
A_BYTES, B_BYTES, BOX = BM * BK * 2, BK * BN * 2, 64 * 64 * 2
STAGE = A_BYTES + B_BYTES

shared_address = ptx("{ .reg .b64 x; cvta.to.shared.u64 x, %1; cvt.u32.u64 %0, x; }", "=r l")
copy_16_bytes = ptx("cp.async.cg.shared.global [%0], [%1], 16, %2;", "r l r")
end_of_stage = ptx("cp.async.commit_group;")
wait_for_stage = ptx(f"cp.async.wait_group {STAGES - 2};")
load_a = ptx(
    " ".join(  # 64 x 16: four pieces of 16 x 16, 16 rows of 128 bytes apart
        f"ldmatrix.sync.aligned.m8n8.x4.shared.b16 %0[{4 * i}:{4 * i + 4}], [%1 + {2048 * i}];"
        for i in range(4)
    ),
    "=r16 r",
)
load_b = ptx(
    "{ .reg .b32 x; "
    + " ".join(  # 16 x 64: four pieces of 16 x 16, transposed on the way
        f"xor.b32 x, %1, {j << 5};"
        f" ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 %0[{4 * j}:{4 * j + 4}], [x];"
        for j in range(4)
    )
    + " }",
    "=r16 r",
)
multiply = ptx(
    " ".join(  # 64 x 16 by 16 x 64: 4 x 8 products
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
        f" %0[{d}:{d + 4}], %1[{4 * i}:{4 * i + 4}], %2[{2 * j}:{2 * j + 2}], %0[{d}:{d + 4}];"
        for i in range(4)
        for j in range(8)
        for d in [32 * i + 4 * j]
    ),
    "+f128 r16 r16",
)
zeros = ptx(" ".join(f"mov.f32 %0[{i}], 0f00000000;" for i in range(128)), "=f128")
store = ptx(
    "{ .reg .pred row, both; .reg .b32 two; .reg .b64 to; mov.u64 to, %0; "
    + " ".join(  # %2 rows and %3 columns are left in c from here on
        f"setp.gt.s32 row, %2, {8 * i}; "
        + " ".join(
            f"setp.gt.and.s32 both, %3, {8 * j}, row;"
            f" cvt.rn.bf16x2.f32 two, %4[{d + 1}], %4[{d}];"
            f" @both st.global.b32 [to + {16 * j}], two;"
            for j in range(8)
            for d in [i // 2 * 32 + 4 * j + i % 2 * 2]
        )
        + " add.u64 to, to, %1;"
        for i in range(8)
    )
    + " }",
    "l l r r f128",
)
# --8<-- [end:instructions]


# --8<-- [start:copy]
@cuda.jit(device=True)
def copy_stage(to, a, b, row, column, k0, m, n, k):
    """Ask for a tile of a and one of b, 12 copies of 16 bytes a thread; zeros outside."""
    r, piece = cuda.threadIdx.x // 8, cuda.threadIdx.x % 8  # a: 32 rows of 8 pieces at a time
    to_a = to + r * 128 + ((piece ^ r % 8) << 4)
    from_a = a + (int64(row + r) * k + k0 + piece * 8) * 2
    for i in range(4):
        inside = row + r + 32 * i < m and k0 + piece * 8 < k
        copy_16_bytes(to_a + 32 * 128 * i, from_a + 64 * k * i, 16 if inside else 0)
    r, piece = cuda.threadIdx.x // 32, cuda.threadIdx.x % 32  # b: 8 rows of 4 x 8 pieces
    to_b = to + A_BYTES + piece // 8 * BOX + r * 128 + ((piece % 8 ^ r) << 4)
    from_b = b + (int64(k0 + r) * n + column + piece * 8) * 2
    for i in range(8):
        inside = k0 + r + 8 * i < k and column + piece * 8 < n
        copy_16_bytes(to_b + 8 * 128 * i, from_b + 16 * n * i, 16 if inside else 0)


# --8<-- [end:copy]


# --8<-- [start:place]
@cuda.jit(device=True)
def place(tile, rows, columns):
    """Return the row and the column of a tile: down a band of rows, then to the next column."""
    band = uint32(tile) // uint32(BAND * columns)
    first = uint32(band * BAND)
    height = min(uint32(BAND), uint32(rows - first))
    inside = uint32(tile - band * BAND * columns)
    return int32(first + inside % uint32(height)), int32(inside // uint32(height))


# --8<-- [end:place]


# --8<-- [start:kernel]
@cuda.jit(launch_bounds=(256, 1))
def mma_sync_kernel(a, b, c):
    """c = a @ b for bfloat16 as uint16. The columns of a and b are multiples of 8."""
    m, k, n = int32(a.shape[0]), int32(a.shape[1]), int32(b.shape[1])
    from_a, from_b = int64(a.ctypes.data), int64(b.ctypes.data)
    memory = cuda.shared.array(0, np.uint8, alignment=1024)
    tiles = int32(shared_address(memory.ctypes.data))
    row, column = place(cuda.blockIdx.x, (m + BM - 1) // BM, (n + BN - 1) // BN)
    row, column = row * BM, column * BN

    warp, lane = cuda.threadIdx.x // 32, cuda.threadIdx.x % 32
    warp_row, warp_box = warp // 4 * 64, warp % 4  # 2 x 4 warps, 64 x 64 results each
    swizzled = (lane // 16 ^ lane % 8) << 4
    at_a = int32(tiles + (warp_row + lane % 16) * 128 + swizzled)
    at_b = int32(tiles + A_BYTES + warp_box * BOX + lane % 16 * 128 + swizzled)

    steps = int32((k + BK - 1) // BK)
    for s in range(STAGES - 1):
        if s < steps:
            copy_stage(tiles + s * STAGE, from_a, from_b, row, column, s * BK, m, n, k)
        end_of_stage()
    total = zeros()
    slot = int32(0)
    wait_for_stage()
    cuda.syncthreads()
    a0, b0 = load_a(at_a), load_b(at_b)
    for step in range(steps):
        free = slot - 1 if slot > 0 else STAGES - 1  # everybody is done with the slot before
        ahead = (step + STAGES - 1) * BK
        here_a, here_b = int32(at_a + slot * STAGE), int32(at_b + slot * STAGE)
        a1, b1 = load_a(here_a ^ 32), load_b(here_b + 16 * 128)
        if ahead < k:
            copy_stage(tiles + free * STAGE, from_a, from_b, row, column, ahead, m, n, k)
        end_of_stage()
        total = multiply(total, a0, b0)
        a0, b0 = load_a(here_a ^ 64), load_b(here_b + 32 * 128)
        total = multiply(total, a1, b1)
        a1, b1 = load_a(here_a ^ 96), load_b(here_b + 48 * 128)
        total = multiply(total, a0, b0)
        wait_for_stage()
        cuda.syncthreads()  # the next stage is there, and nobody reads this one any more
        slot = int32(slot + 1 if slot < STAGES - 1 else 0)
        a0, b0 = load_a(at_a + slot * STAGE), load_b(at_b + slot * STAGE)
        total = multiply(total, a1, b1)

    row += warp_row + lane // 4
    column += warp_box * 64 + lane % 4 * 2
    to = int64(c.ctypes.data) + (int64(row) * n + column) * 2
    store(to, int64(n) * 16, m - row, n - column, total)


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


def matmul_mma_sync(a, b):
    """Return ``a @ b`` for a of shape (M, K) and b of shape (K, N), rounded to bfloat16.

    The operands are rounded to bfloat16 too; the sums are float32.

    --8<-- [start:example]
    >>> a, b = np.arange(15).reshape(3, 5), np.arange(20).reshape(5, 4)
    >>> matmul_mma_sync(a, b)  # 120 130 140 150, 320 355 390 425, 520 580 640 700
    array([[120., 130., 140., 150.],
           [320., 356., 390., 424.],
           [520., 580., 640., 700.]], dtype=float32)

    --8<-- [end:example]
    """
    rows, columns = len(a), np.shape(b)[1]
    d_a, d_b = cuda.to_device(padded(a)), cuda.to_device(padded(b))
    d_c = cuda.device_array((d_a.shape[0], d_b.shape[1]), np.uint16)
    blocks = -(-d_c.shape[0] // BM) * -(-d_c.shape[1] // BN)
    launch(mma_sync_kernel, blocks, 256, STAGES * STAGE, d_a, d_b, d_c)
    return from_bfloat16(d_c.copy_to_host()[:rows, :columns])


# --8<-- [end:host]
