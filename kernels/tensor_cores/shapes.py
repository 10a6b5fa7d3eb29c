"""bf16 matrix product for any shape on Hopper from Numba: the tile and the split of k by shape."""

# --8<-- [start:imports]
import ctypes
import functools
import math

import numpy as np
from cuda.bindings import driver
from numba import cuda, int32, uint32, uint64

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
    use_map,
)
from kernels.tensor_cores.wgmma import consumer_barrier, describe, launch, put, wgmma_wait


# --8<-- [start:padded]
def padded(x):
    """Return a matrix as bfloat16 in uint16, with zeros up to multiples of 8."""
    x = np.asarray(x, dtype=np.float32)
    return to_bfloat16(np.pad(x, [(0, -length % 8) for length in x.shape]))


# --8<-- [end:padded]


# --8<-- [start:instructions]
def step_text(width):
    """Return PTX that starts 64 x 64 by 64 x ``width``, the second operand transposed."""
    text = "{ .reg .b64 a, b; wgmma.fence.sync.aligned; "
    for step in range(4):
        text += f"add.s64 a, %1, {2 * step}; add.s64 b, %2, {128 * step}; "
        text += f"wgmma.mma_async.sync.aligned.m64n{width}k16.f32.bf16.bf16"
        text += " %0, a, b, 1, 1, 1, 0, 1; "
    return text + "wgmma.commit_group.sync.aligned; }"


def quads(count, line):
    """Return ``line(byte offset, first register)`` for each four registers of a thread."""
    return " ".join(line(i * 2048, 4 * i) for i in range(count // 4))


wait_but_one = ptx("wgmma.wait_group.sync.aligned 1;")
one_of_group = ptx(  # is it true for any thread of a warpgroup? All wait for all.
    "{ .reg .pred p, q; setp.ne.u32 q, %2, 0; bar.red.or.pred p, %1, 128, q;"
    " selp.u32 %0, 1, 0, p; }",
    "=r r r",
)
count_up = ptx("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;", "=r l")
start_again = ptx("st.relaxed.gpu.global.u32 [%0], 0;", "l")
stores_read = ptx("cp.async.bulk.wait_group.read 0;")  # the end of a kernel does the rest
copy_16_bytes = ptx(
    "{ .reg .b32 r<4>; ld.global.nc.v4.u32 {r0, r1, r2, r3}, [%0];"
    " st.global.v4.u32 [%1], {r0, r1, r2, r3}; }",
    "l l",
)
# --8<-- [end:instructions]


# --8<-- [start:kernel]
@functools.cache
def shape_kernel(BM, BN, in_parts=True, A_ROWS=None):
    """Return (kernel, threads, shared bytes): tiles of BM x BN, k in ``splits`` parts.

    Two consumers share 128 rows, or 256 columns; smaller tiles have one. A kernel that is not
    ``in_parts`` has no code for parts, which would have to come from memory too. ``A_ROWS`` is
    for a of fewer rows than a tile: its box has no more. The tensor cores then read on behind the
    box, where other numbers stand. What comes of those are rows that c does not have.
    """
    BK, BOX, BAND = 64, 64 * 64 * 2, 16
    A_BYTES, B_BYTES = (A_ROWS or BM) * BK * 2, BK * BN * 2
    consumers = 2 if BM == 128 or BN == 256 else 1
    WIDTH = BN if BM == 128 or consumers == 1 else BN // 2  # columns of a consumer
    DOWN, ACROSS = (1, 0) if BM == 128 else (0, 1)  # where the second one's part is
    COUNT = WIDTH // 2  # sums of a thread
    STAGES = min(12, (227 * 1024 - consumers * 2 * BOX - 1024) // (A_BYTES + B_BYTES))
    THREADS = 128 + 128 * consumers
    zeros = ptx(" ".join(f"mov.f32 %0[{i}], 0f00000000;" for i in range(COUNT)), f"=f{COUNT}")
    multiply = ptx(step_text(WIDTH), f"+f{COUNT} l l")
    store_part = ptx(
        quads(
            COUNT,
            lambda at, i: (
                f"st.global.v4.f32 [%0+{at}], {{%1[{i}], %1[{i + 1}], %1[{i + 2}], %1[{i + 3}]}};"
            ),
        ),
        f"l f{COUNT}",
    )
    add_part = ptx(
        "{ .reg .f32 t<4>; "
        + quads(
            COUNT,
            lambda at, i: (
                f"ld.relaxed.gpu.global.v4.f32 {{t0, t1, t2, t3}}, [%1+{at}]; "
                + " ".join(f"add.f32 %0[{i + j}], %0[{i + j}], t{j};" for j in range(4))
            ),
        )
        + " }",
        f"+f{COUNT} l",
    )
    fewer = ptx("setmaxnreg.dec.sync.aligned.u32 40;")
    more = ptx("setmaxnreg.inc.sync.aligned.u32 232;")

    @cuda.jit(device=True)
    def place(tile, rows, columns):
        band = uint32(tile) // uint32(BAND * columns)
        first = uint32(band * BAND)
        height = min(uint32(BAND), uint32(rows - first))
        inside = uint32(tile - band * BAND * columns)
        return int32(first + inside % uint32(height)), int32(inside // uint32(height))

    @cuda.jit(launch_bounds=(THREADS, 1))
    def multiply_kernel(maps, parts, counters, m, n, k, splits):
        """``parts`` holds the float32 sums of each part of k, ``counters`` zeros, as it ends."""
        map_a = uint64(maps.ctypes.data)
        map_b, map_c = map_a + uint64(128), map_a + uint64(256)
        memory = cuda.shared.array(0, np.uint8, alignment=1024)
        tiles_a = int32(shared_address(memory.ctypes.data))
        tiles_b = int32(tiles_a + STAGES * A_BYTES)
        boxes = int32(tiles_b + STAGES * B_BYTES)
        full = int32(boxes + consumers * 2 * BOX)
        empty = int32(full + 8 * STAGES)
        group, thread = cuda.threadIdx.x // 128, cuda.threadIdx.x % 128
        rows = int32(uint32(m + BM - 1) // uint32(BM))
        columns = int32(uint32(n + BN - 1) // uint32(BN))
        steps = int32(uint32(k + BK - 1) // uint32(BK))
        if not in_parts:
            splits = int32(1)
        items = int32(rows * columns * splits)
        # Two threads load, an operand each. They prepare their maps side by side.
        if cuda.threadIdx.x == 32:
            use_map(map_b)
        if cuda.threadIdx.x == 64:
            use_map(map_a)
        if cuda.threadIdx.x == 0:
            for s in range(STAGES):
                barrier_init(full + 8 * s, 1)
                barrier_init(empty + 8 * s, consumers)
            barrier_init_done()
        cuda.syncthreads()

        slot, parity = int32(0), int32(0)
        item = int32(cuda.blockIdx.x)
        if group == 0:
            if consumers == 2:
                fewer()
            if thread == 32 or thread == 64:
                while item < items:
                    part = int32(uint32(item) % uint32(splits))
                    row, column = place(uint32(item) // uint32(splits), rows, columns)
                    first = int32(uint32(part * steps) // uint32(splits))
                    last = int32(uint32((part + 1) * steps) // uint32(splits))
                    for i in range(first, last):
                        barrier_wait(empty + 8 * slot, parity ^ 1)
                        if thread == 32:
                            barrier_expect(full + 8 * slot, A_BYTES + B_BYTES)  # both operands
                            to_b = tiles_b + slot * B_BYTES
                            for j in range(BN // 64):
                                x = column * BN + 64 * j
                                load_box(to_b + j * BOX, map_b, x, i * BK, full + 8 * slot)
                        else:
                            to_a = tiles_a + slot * A_BYTES
                            load_box(to_a, map_a, i * BK, row * BM, full + 8 * slot)
                        slot = int32(slot + 1)
                        if slot == STAGES:
                            slot, parity = int32(0), int32(parity ^ 1)
                    item = int32(item + cuda.gridDim.x)
        else:
            if consumers == 2:
                more()
            half = int32(group - 1)
            box = int32(boxes + half * 2 * BOX)
            other_box = int32(box + BOX)
            if thread == 0:
                use_map(map_c)
            while item < items:
                tile = int32(uint32(item) // uint32(splits))
                part = int32(uint32(item) % uint32(splits))
                row, column = place(tile, rows, columns)
                first = int32(uint32(part * steps) // uint32(splits))
                last = int32(uint32((part + 1) * steps) // uint32(splits))
                total = zeros()
                before = int32(-1)
                for _ in range(first, last):
                    barrier_wait(full + 8 * slot, parity)
                    a = describe(tiles_a + slot * A_BYTES + DOWN * half * BOX, 16, 1024)
                    b = tiles_b + slot * B_BYTES + ACROSS * half * (WIDTH // 64) * BOX
                    b = describe(b, BOX, 1024)
                    total = multiply(total, a, b)
                    wait_but_one()  # the step before this one is done
                    if thread == 0 and before >= 0:
                        barrier_arrive(empty + 8 * before)
                    before = slot
                    slot = int32(slot + 1)
                    if slot == STAGES:
                        slot, parity = int32(0), int32(parity ^ 1)
                wgmma_wait()
                if thread == 0:
                    barrier_arrive(empty + 8 * before)
                whole = uint32(1)
                if in_parts:
                    # Has this warp a row of c? Its 16 are the same in each of its parts.
                    low = row * BM + DOWN * half * 64 + thread // 32 * 16 < m
                    mine = uint64(tile * consumers + half)
                    size = uint64(128 * COUNT * 4)
                    at = uint64(parts.ctypes.data) + mine * uint64(splits) * size
                    at += uint64(16 * thread)
                    if low:
                        store_part(at + uint64(part) * size, total)
                    cuda.threadfence()
                    consumer_barrier(group)
                    whole = uint32(0)
                    counter = uint64(counters.ctypes.data) + mine * uint64(4)
                    if thread == 0:
                        whole = uint32(count_up(counter) == splits - 1)
                    whole = one_of_group(group, whole)
                    if whole:  # the last to come adds up, always in the same order
                        if thread == 0:
                            start_again(counter)
                        total = zeros()
                        if low:
                            for other in range(splits):
                                total = add_part(total, at + uint64(other) * size)
                if whole:
                    y, x = row * BM + DOWN * half * 64, column * BN + ACROSS * half * WIDTH
                    put(total[0:32], box, group, map_c, x, y)
                    if WIDTH >= 128:
                        put(total[32:64], other_box, group, map_c, x + 64, y)
                    if WIDTH >= 192:
                        put(total[64:96], box, group, map_c, x + 128, y)
                    if WIDTH >= 256:
                        put(total[96:128], other_box, group, map_c, x + 192, y)
                    if WIDTH == 64 or WIDTH == 192:  # the box that was used last comes last again
                        box, other_box = other_box, box
                item = int32(item + cuda.gridDim.x)
            if thread == 0:
                stores_read()

    shared = STAGES * (A_BYTES + B_BYTES) + consumers * 2 * BOX + 16 * STAGES
    return multiply_kernel, THREADS, shared


# --8<-- [end:kernel]


# --8<-- [start:choose]
SPLITS = (1, 2, 3, 4, 5, 6, 8, 12, 16)
STEP = {  # rows and columns of a tile -> us for 64 elements of k, from a search on an H200
    (128, 256): 0.600, (128, 192): 0.483, (128, 128): 0.325,
    (64, 256): 0.342, (64, 192): 0.285, (64, 128): 0.206, (64, 64): 0.163,
}  # fmt: skip
START, PARTS = 7.2, 8.7  # us; us for the parts of a tile of 128 x 256
BYTES, LINES = 3.5e6, 19.5e6  # bytes a us from memory, and from L2
SHOWS = 0.06  # how much of the shorter times shows beside the longest
COPIED = 5e9  # multiply-adds from which on b is copied, where its rows are uneven
COPY, COPY_BYTES = 1.6, 2e6  # us for a copy's launch; bytes that it copies a us


def copies(m, n, k, rows):
    """Is b first copied to rows that are whole lines? Not for one row of tiles, which reads b once.

    Each further row of tiles reads all of b again, from whole lines then.
    """
    return n % 64 > 0 and m > rows and m * n * k >= COPIED


def rows_of_a(m, rows):
    """Return how many rows of a are loaded for a tile: no more than a has, in sixteens."""
    return min(rows, m + -m % 16)


def predicted(m, n, k, rows, columns, splits, processors):
    """Return how long a product would take with this tile and split, in us."""
    tiles, steps = -(-m // rows) * -(-n // columns), math.ceil(k / 64)
    waves = math.ceil(tiles * splits / processors)
    a_rows, copy = rows_of_a(m, rows), copies(m, n, k, rows)
    # A row of a box lies in two lines of the cache where the matrix's rows are uneven.
    of_a, of_b = 1 + (k % 64 > 0), 1 + (n % 64 > 0 and not copy)
    lines = tiles * steps * 128 * (a_rows * of_a + columns * of_b) / LINES
    memory = 2 * (m * k + k * n + m * n) / BYTES
    times = (waves * steps / splits * STEP[rows, columns], lines, memory)
    parts = waves * PARTS * a_rows * columns / (128 * 256) if splits > 1 else 0
    before = START + (COPY + 2 * k * n / COPY_BYTES if copy else 0)
    return before + (1 - SHOWS) * max(times) + SHOWS * sum(times) + parts


def choose(m, n, k, processors):
    """Return (rows and columns of a tile, parts of k) for a product of m x k by k x n."""
    ways = []
    for rows, columns in STEP:
        tiles = -(-m // rows) * -(-n // columns)
        for splits in SPLITS:
            fits = splits == 1 or (splits * 256 <= k and tiles * splits <= 3 * processors)
            if fits and (m > 64 or rows == 64):
                ways.append((rows, columns, splits))
    return min(ways, key=lambda way: predicted(m, n, k, *way, processors))


# --8<-- [end:choose]


def _choose_example():
    """
    --8<-- [start:choose_example]
    >>> for shape in ((8192, 8192, 8192), (16, 8192, 8192), (1000, 1000, 1000)):
    ...     print(shape, choose(*shape, processors=132))
    (8192, 8192, 8192) (128, 256, 1)
    (16, 8192, 8192) (64, 64, 1)
    (1000, 1000, 1000) (64, 128, 1)

    --8<-- [end:choose_example]
    """


# --8<-- [start:host]
@functools.cache
def workspace(processors):
    """Return device memory for partial sums and their counters, which are zeros between calls."""
    items = 3 * processors
    return (
        cuda.device_array(items * 128 * 256, np.float32),
        cuda.to_device(np.zeros(2 * items, np.uint32)),
    )


def map_of(array, columns, box_rows):
    """As ``tensor_map``, for a matrix whose rows may be longer than the ``columns`` that count.

    L2 fetches 256 bytes at a time, and 128 where rows are no multiples of 128 bytes.
    """
    rows, pitch = array.shape
    address, _ = array.__cuda_array_interface__["data"]
    fetch = driver.CUtensorMapL2promotion
    error, filled = driver.cuTensorMapEncodeTiled(
        driver.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_BFLOAT16,
        2,
        address,
        [driver.cuuint64_t(columns), driver.cuuint64_t(rows)],
        [driver.cuuint64_t(pitch * 2)],  # bytes from row to row
        [driver.cuuint32_t(64), driver.cuuint32_t(box_rows)],
        [driver.cuuint32_t(1), driver.cuuint32_t(1)],
        driver.CUtensorMapInterleave.CU_TENSOR_MAP_INTERLEAVE_NONE,
        driver.CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B,
        fetch.CU_TENSOR_MAP_L2_PROMOTION_L2_128B
        if pitch % 64
        else fetch.CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
        driver.CUtensorMapFloatOOBfill.CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE,
    )
    if error:
        raise ValueError(f"no tensor map of {array.shape} at {address:#x}: {error.name}")
    return np.frombuffer(ctypes.string_at(filled.getPtr(), 128), dtype=np.uint8)


@cuda.jit
def copy_rows_kernel(x, wide):
    """Copy a matrix into one with longer rows, 8 elements a thread; a block has 128 x 2 threads."""
    source, to = uint64(x.ctypes.data), uint64(wide.ctypes.data)
    pieces, pitch = x.shape[1] // 8, wide.shape[1] // 8
    column = cuda.blockIdx.x * 128 + cuda.threadIdx.x
    if column < pieces:
        first = cuda.blockIdx.y * 2 + cuda.threadIdx.y
        for row in range(first, x.shape[0], 2 * cuda.gridDim.y):
            here, there = row * pieces + column, row * pitch + column
            copy_16_bytes(source + uint64(16) * uint64(here), to + uint64(16) * uint64(there))


def product(d_a, d_b, d_c, way=None):
    """Return a function that computes c = a @ b whenever it is called, bfloat16 bits.

    Rows must be multiples of 16 bytes. Where those of b are no multiples of 128, each row of a box
    lies in two lines of the cache, and a large product first copies b to rows that are (``copies``
    decides). ``way`` is (rows and columns of a tile, parts of k), which else ``choose`` chooses.
    Calls share memory for partial sums, so they must be in one stream.
    """
    (m, k), n = d_a.shape, d_b.shape[1]
    processors = cuda.get_current_device().MULTIPROCESSOR_COUNT
    rows, columns, splits = way or choose(m, n, k, processors)
    a_rows = rows_of_a(m, rows)
    kernel, threads, shared = shape_kernel(rows, columns, splits > 1, a_rows)
    first, d_narrow = None, d_b
    if copies(m, n, k, rows):
        d_b = cuda.device_array((k, n + -n % 64), np.uint16)
        first = copy_rows_kernel[(-(-n // 8 // 128), min(-(-k // 2), 1024)), (128, 2)]
    boxes = ((d_a, k, a_rows), (d_b, n, 64), (d_c, n, 64))
    d_maps = cuda.to_device(np.concatenate([map_of(*box) for box in boxes]))
    items = -(-m // rows) * -(-n // columns) * splits
    sizes = [int32(x) for x in (m, n, k, splits)]
    arguments = (d_maps, *workspace(processors), *sizes)
    blocks = min(items, processors)
    launch(kernel, blocks, threads, shared, *arguments)  # raises its limit of shared memory
    ready = kernel[blocks, threads, 0, shared]

    def multiply():
        if first:
            first(d_narrow, d_b)
        ready(*arguments)

    return multiply


def matmul(a, b):
    """Return ``a @ b`` for a of shape (M, K) and b of shape (K, N), rounded to bfloat16.

    The operands are rounded to bfloat16 too; the sums are float32. Needs a Hopper GPU.

    --8<-- [start:example]
    >>> random = np.random.default_rng(seed=1)
    >>> for m, n, k in ((1, 1, 1), (16, 520, 4096), (1001, 70, 300)):
    ...     a, b = (random.integers(-4, 5, shape) for shape in ((m, k), (k, n)))
    ...     print((m, n, k), (matmul(a, b) == from_bfloat16(to_bfloat16(a @ b))).all())
    (1, 1, 1) True
    (16, 520, 4096) True
    (1001, 70, 300) True

    --8<-- [end:example]
    """
    if np.shape(a)[1] != np.shape(b)[0]:
        raise ValueError(f"a has {np.shape(a)[1]} columns and b has {np.shape(b)[0]} rows")
    rows, columns = len(a), np.shape(b)[1]
    d_a, d_b = cuda.to_device(padded(a)), cuda.to_device(padded(b))
    d_c = cuda.device_array((d_a.shape[0], d_b.shape[1]), np.uint16)
    product(d_a, d_b, d_c)()
    return from_bfloat16(d_c.copy_to_host()[:rows, :columns])


# --8<-- [end:host]


# --8<-- [start:exercise]
def wave_share(m, n, tile_rows, tile_columns, processors=132):
    """Return which share of the multiprocessors' time the tiles of an m x n product fill."""
    tiles = -(-m // tile_rows) * -(-n // tile_columns)
    return tiles / (-(-tiles // processors) * processors)


# --8<-- [end:exercise]


def _exercise():
    """
    --8<-- [start:exercise_example]
    >>> round(wave_share(2048, 2048, 128, 256), 2), round(wave_share(2048, 2048, 128, 192), 2)
    (0.97, 0.67)
    >>> round(wave_share(16, 8192, 128, 256), 2), round(wave_share(16, 8192, 64, 64), 2)
    (0.24, 0.97)

    --8<-- [end:exercise_example]
    """
