"""RMSnorm and layernorm of long rows: a cluster of blocks for a row, weights that stay."""

# --8<-- [start:imports]
import functools
import math

import numpy as np
from cuda.bindings import driver
from numba import cuda, float32, uint32, uint64

# --8<-- [end:imports]
from kernels.hopper.numba_clusters import cluster_arrive, cluster_rank, cluster_wait, in_clusters
from kernels.patterns.wide import load4, store4
from kernels.tensor_cores.ptx import ptx
from kernels.tensor_cores.tma import (
    barrier_expect,
    barrier_init,
    barrier_init_done,
    barrier_wait,
    shared_address,
)

# --8<-- [start:engine]
# Read %2 bytes at %1 into shared memory at %0, and count them at the barrier %3.
load_bytes = ptx(
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];",
    "r l r r",
)
# Write two floats to the shared memory of block %2, to the place that is at %0 in one's own, and
# count their 8 bytes at its barrier, which is at %1 in one's own.
send = ptx(
    "{ .reg .b32 there, bar; mapa.shared::cluster.u32 there, %0, %2;"
    " mapa.shared::cluster.u32 bar, %1, %2;"
    " st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [there], {%3, %4}, [bar]; }",
    "r r r f f",
)
# --8<-- [end:engine]


# --8<-- [start:sum]
@cuda.jit(device=True, forceinline=True)
def warp_sum(value):
    """Return the sum over a warp, to each lane."""
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, step)
    return value


# --8<-- [end:sum]


# --8<-- [start:kernel]
def make_cluster_norm(blocks, threads, width, slots, centered, resident=1, load=None, store=store4):
    """Return a kernel that gives a row of blocks * threads * width columns to a cluster.

    A cluster stays and takes every so many-th row. Each of its blocks keeps its columns' weights
    in registers, ``width`` a thread, and has its part of up to ``slots`` rows in flight or in
    shared memory. ``resident`` blocks share a multiprocessor. ``centered`` makes it a layernorm;
    an RMSnorm ignores its bias. blocks * threads is a multiple of 1,024, ``width`` of 4.
    """
    load = load or load_bytes
    warps = threads // 32
    part = threads * width  # columns of a block
    columns = blocks * part
    senders, waits = blocks * warps, slots + 2

    @cuda.jit(launch_bounds=(threads, resident))
    def cluster_norm_kernel(x, weight, bias, rows, eps, out):
        ring = cuda.shared.array(0, float32, alignment=128)  # slots x part
        told = cuda.shared.array((2, senders, 2), float32, alignment=16)  # by all warps of a row
        barriers = cuda.shared.array(waits, uint64)
        values = cuda.local.array(width, float32)
        scales = cuda.local.array(width, float32)
        shifts = cuda.local.array(width, float32)
        thread, rank = uint32(cuda.threadIdx.x), cluster_rank()
        lane, warp = thread % uint32(32), thread // uint32(32)
        clusters, first = uint32(cuda.gridDim.x // blocks), uint32(cuda.blockIdx.x // blocks)
        mine = rank * uint32(part) + uint32(4) * thread  # this thread's first column
        slot_at = uint32(shared_address(ring.ctypes.data))
        told_at = uint32(shared_address(told.ctypes.data))
        landed = uint32(shared_address(barriers.ctypes.data))  # a slot's part of a row is there
        heard = landed + uint32(8 * slots)  # all warps of the cluster have told
        source = uint64(x.ctypes.data) + uint64(4) * uint64(rank * uint32(part))

        if thread == 0:
            for s in range(waits):
                barrier_init(landed + uint32(8 * s), 1)
            barrier_init_done()
        for k in range(0, width, 4):
            four = load4(weight, mine + uint32(k * threads))
            scales[k], scales[k + 1], scales[k + 2], scales[k + 3] = four
            if centered:
                four = load4(bias, mine + uint32(k * threads))
                shifts[k], shifts[k + 1], shifts[k + 2], shifts[k + 3] = four
        cluster_arrive()
        cluster_wait()  # the barriers of all blocks are ready
        if thread == 0:
            for s in range(slots):
                row = first + uint32(s) * clusters
                if row < rows:
                    bar = landed + uint32(8 * s)
                    barrier_expect(bar, 4 * part)
                    to = slot_at + uint32(4 * part * s)
                    load(to, source + uint64(4 * columns) * uint64(row), 4 * part, bar)

        slot, parity, turn, phase = uint32(0), uint32(0), uint32(0), uint32(0)
        for at in range(first, rows, clusters):
            row = uint32(at)
            bar, to = landed + uint32(8) * slot, slot_at + uint32(4 * part) * slot
            barrier_wait(bar, parity)
            here = slot * uint32(part) + uint32(4) * thread
            for k in range(0, width, 4):
                four = load4(ring, here + uint32(k * threads))
                values[k], values[k + 1], values[k + 2], values[k + 3] = four

            # A warp's mean, and its squared distances from that; an RMSnorm's mean is zero.
            mean, squares = float32(0), float32(0)
            if centered:
                for k in range(width):
                    mean += values[k]
                mean = warp_sum(mean) / float32(32 * width)
            for k in range(width):
                squares += (values[k] - mean) * (values[k] - mean)
            squares = warp_sum(squares)
            every = heard + uint32(8) * turn
            if lane < blocks:  # lane r tells block r
                place = turn * uint32(senders) + rank * uint32(warps) + warp
                send(told_at + uint32(8) * place, every, lane, mean, squares)
            if thread == 0:
                barrier_expect(every, 8 * senders)
            barrier_wait(every, phase)
            following = row + uint32(slots) * clusters
            if thread == 0 and following < rows:  # all warps have read this slot
                barrier_expect(bar, 4 * part)
                load(to, source + uint64(4 * columns) * uint64(following), 4 * part, bar)

            # The row's mean is the mean of the warps' means, which are of equally many columns.
            whole, squares = float32(0), float32(0)
            if centered:
                for s in range(0, senders, 32):
                    whole += told[turn, uint32(s) + lane, 0]
                whole = warp_sum(whole) / float32(senders)
            for s in range(0, senders, 32):
                squares += told[turn, uint32(s) + lane, 1]
                if centered:
                    away = told[turn, uint32(s) + lane, 0] - whole
                    squares += float32(32 * width) * away * away
            scale = float32(1) / math.sqrt(warp_sum(squares) / float32(columns) + eps)
            start = uint64(row) * uint64(columns) + uint64(mine)
            for k in range(0, width, 4):
                a, b = (values[k] - whole) * scale, (values[k + 1] - whole) * scale
                c, d = (values[k + 2] - whole) * scale, (values[k + 3] - whole) * scale
                a, b, c, d = a * scales[k], b * scales[k + 1], c * scales[k + 2], d * scales[k + 3]
                if centered:
                    a, b, c = a + shifts[k], b + shifts[k + 1], c + shifts[k + 2]
                    d = d + shifts[k + 3]
                store(out, start + uint64(k * threads), (a, b, c, d))
            slot += uint32(1)
            if slot == slots:
                slot, parity = uint32(0), parity ^ uint32(1)
            phase = phase ^ turn
            turn = turn ^ uint32(1)

    return cluster_norm_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
SIGNATURE = "void(float32[::1], float32[::1], float32[::1], uint32, float32, float32[::1])"
EPS = np.float32(1e-5)
LONG = 32768  # columns
WAY = (4, 512, 16, 3, 2)  # blocks of a cluster, threads, width, slots, blocks of a multiprocessor


def most_clusters(kernel, blocks, threads, shared):
    """Compile a kernel for clusters of so many blocks; return how many this GPU runs at a time."""
    in_clusters(kernel, blocks, SIGNATURE)
    handle = kernel.compile(SIGNATURE).library.get_cufunc().handle
    limit = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    driver.cuKernelSetAttribute(limit, shared, handle, cuda.get_current_device().id)
    config, cluster = driver.CUlaunchConfig(), driver.CUlaunchAttribute()
    config.gridDimX, config.gridDimY, config.gridDimZ = blocks, 1, 1
    config.blockDimX, config.blockDimY, config.blockDimZ = threads, 1, 1
    config.sharedMemBytes = shared
    cluster.id = driver.CUlaunchAttributeID.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
    size = cluster.value.clusterDim
    size.x, size.y, size.z = blocks, 1, 1
    config.attrs, config.numAttrs = [cluster], 1
    error, function = driver.cuKernelGetFunction(handle)
    if not error:
        error, most = driver.cuOccupancyMaxActiveClusters(function, config)
    if error or not most:
        raise ValueError(f"clusters of {blocks} blocks, {shared} bytes of shared memory: {error}")
    return most


@functools.cache
def cluster_norm(centered, way=WAY):
    """Return a kernel with its launch: a grid of as many clusters as the GPU has room for."""
    blocks, threads, width, slots, resident = way
    kernel = make_cluster_norm(blocks, threads, width, slots, centered, resident)
    shared = 4 * slots * threads * width
    most = most_clusters(kernel, blocks, threads, shared)
    return kernel[blocks * most, threads, 0, shared]


def cluster_norm_rows(x, weight, bias, rows, out, eps=EPS, way=WAY):
    """Launch the norm of each row of a flat float32 array on the device, into ``out``.

    A row has blocks * threads * width columns, 32,768 unless ``way`` says otherwise. Without a bias
    (None) it is an RMSnorm, with one a layernorm. Needs clusters, so a GPU of Hopper or newer.
    """
    centered = bias is not None
    launch = cluster_norm(centered, way)
    launch(x, weight, bias if centered else weight, np.uint32(rows), np.float32(eps), out)


# --8<-- [end:host]
