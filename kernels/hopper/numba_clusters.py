"""Clusters of thread blocks from Numba: a softmax whose rows lie in the registers of a cluster."""

# --8<-- [start:imports]
import functools

import numpy as np
from cuda.bindings import driver
from numba import cuda, float32, uint32, uint64

# --8<-- [end:imports]
from kernels.patterns.wide import exp2
from kernels.softmax.row import LOG2_E, LOWEST, combine, read_fours, write_fours
from kernels.tensor_cores.ptx import ptx
from kernels.tensor_cores.tma import shared_address

# --8<-- [start:cluster]
cluster_rank = ptx("mov.u32 %0, %cluster_ctarank;", "=r")  # which block of the cluster this is
cluster_arrive = ptx("barrier.cluster.arrive.release.aligned;")
cluster_wait = ptx("barrier.cluster.wait.acquire.aligned;")
# Write a float to the shared memory of block %1, to the place that is at %0 in one's own.
put_there = ptx(
    "{ .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1;"
    " st.shared::cluster.f32 [there], %2; }",
    "r r f",
)
# --8<-- [end:cluster]


# --8<-- [start:kernel]
def make_cluster_softmax(blocks, threads, width):
    """Return a kernel that gives a row to a cluster: ``width`` elements to a thread.

    The grid is ``blocks`` for each row, and the row at most blocks * threads * width long.
    ``threads`` is a multiple of 32, ``width`` of 4.
    """
    warps = threads // 32

    @cuda.jit(launch_bounds=(threads, 1024 // threads))
    def cluster_softmax_kernel(x, columns, out):
        boxes = cuda.shared.array((2, warps), float32)
        parts = cuda.shared.array((2, blocks), float32)  # of every block: its largest, its sum
        values = cuda.local.array(width, float32)
        cluster_arrive()  # this block has started: its shared memory may be written
        rank, thread = cluster_rank(), uint32(cuda.threadIdx.x)
        first = min(rank * uint32(threads * width), columns)
        start = uint64(cuda.blockIdx.x // blocks) * columns + first
        read_fours(x, start, columns - first, values)

        mine, total = LOWEST, float32(0)
        for k in range(width):
            mine = max(mine, values[k])
        for k in range(width):
            values[k] = exp2((values[k] - mine) * LOG2_E)
            total += values[k]
        largest, total = combine(mine, total)
        lane, warp = thread % 32, thread // 32
        if lane == 0:
            boxes[0, warp], boxes[1, warp] = largest, total
        cuda.syncthreads()
        largest, total = LOWEST, float32(0)
        if lane < warps:
            largest, total = boxes[0, lane], boxes[1, lane]
        largest, total = combine(largest, total)

        cluster_wait()  # all blocks of the cluster have started
        if thread < blocks:  # thread r tells block r
            place = uint32(shared_address(parts.ctypes.data)) + uint32(4) * rank
            put_there(place, thread, largest)
            put_there(place + uint32(4 * blocks), thread, total)
        cluster_arrive()
        cluster_wait()  # everybody has told everybody
        largest, total = LOWEST, float32(0)
        for block in range(blocks):
            largest = max(largest, parts[0, block])
        for block in range(blocks):
            total += parts[1, block] * exp2((parts[0, block] - largest) * LOG2_E)
        scale = exp2((mine - largest) * LOG2_E) / total
        for k in range(width):
            values[k] *= scale
        write_fours(out, start, columns - first, values)

    return cluster_softmax_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
SIDES = ("WIDTH", "HEIGHT", "DEPTH")
make_cluster_softmax = functools.cache(make_cluster_softmax)


def in_clusters(kernel, blocks, signature):
    """Compile a kernel, whose launches come in clusters of so many blocks from now on."""
    handle = kernel.compile(signature).library.get_cufunc().handle
    for side, size in zip(SIDES, (blocks, 1, 1), strict=True):
        name, device = f"CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_{side}", cuda.get_current_device().id
        attribute = getattr(driver.CUfunction_attribute, name)
        (error,) = driver.cuKernelSetAttribute(attribute, size, handle, device)
        if error:
            raise ValueError(f"clusters of {blocks} blocks: {error.name}")


def cluster_softmax(columns, blocks=8, threads=512):
    """Return (kernel, blocks for each row, threads) for rows of ``columns`` float32.

    A cluster has at most 8 blocks. Raises ValueError for a row that its registers cannot hold, or
    that is no multiple of four long.
    """
    width = 4 * -(-columns // (4 * blocks * threads))
    if width > 32 or columns % 4:
        most = blocks * threads * 32
        raise ValueError(f"{columns} columns: a multiple of 4 up to {most} wanted")
    kernel = make_cluster_softmax(blocks, threads, width)
    in_clusters(kernel, blocks, "void(float32[::1], uint32, float32[::1])")
    return kernel, blocks, threads


def softmax_by_clusters(x):
    """Return the softmax of each row of a float32 matrix, up to 131,072 columns.

    --8<-- [start:example]
    >>> logits = np.log(np.arange(1, 128_257, dtype=np.float32)).reshape(1, -1)
    >>> p = softmax_by_clusters(logits)  # word i gets i of 1 + 2 + ... + 128,256
    >>> print(round(float(p.sum()), 4), round(float(p[0, -1] * 128_257), 3))
    1.0 2.0

    --8<-- [end:example]
    """
    rows, columns = x.shape
    kernel, blocks, threads = cluster_softmax(columns)
    d_x = cuda.to_device(np.ascontiguousarray(x, dtype=np.float32).reshape(-1))
    out = cuda.device_array_like(d_x)
    kernel[rows * blocks, threads](d_x, np.uint32(columns), out)
    return out.copy_to_host().reshape(x.shape)


# --8<-- [end:host]
