"""What waiting costs: barriers of a block, of a warp and of the grid, and memory fences."""

from numba import cuda, uint32

from kernels.microbenchmarks.clock import clock

EACH = 8  # in one trip of a loop, so that the loop itself is cheap


@cuda.jit
def block_barrier_kernel(rounds, cycles):
    cuda.syncthreads()
    began = clock()
    for _ in range(rounds):
        cuda.syncthreads()
        cuda.syncthreads()
        cuda.syncthreads()
        cuda.syncthreads()
        cuda.syncthreads()
        cuda.syncthreads()
        cuda.syncthreads()
        cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cycles[0] = clock() - began


@cuda.jit
def warp_barrier_kernel(rounds, cycles):
    began = clock()
    for _ in range(rounds):
        cuda.syncwarp()
        cuda.syncwarp()
        cuda.syncwarp()
        cuda.syncwarp()
        cuda.syncwarp()
        cuda.syncwarp()
        cuda.syncwarp()
        cuda.syncwarp()
    if cuda.threadIdx.x == 0:
        cycles[0] = clock() - began


@cuda.jit
def grid_barrier_kernel(rounds):
    grid = cuda.cg.this_grid()
    for _ in range(rounds):
        grid.sync()


# A fence has something to order: each waits for the write before it.


@cuda.jit
def no_fence_kernel(out, rounds, cycles):
    began = clock()
    for i in range(rounds):
        out[uint32(cuda.threadIdx.x)] = i
    if cuda.threadIdx.x == 0:
        cycles[0] = clock() - began


@cuda.jit
def block_fence_kernel(out, rounds, cycles):
    began = clock()
    for i in range(rounds):
        out[uint32(cuda.threadIdx.x)] = i
        cuda.threadfence_block()
    if cuda.threadIdx.x == 0:
        cycles[0] = clock() - began


@cuda.jit
def device_fence_kernel(out, rounds, cycles):
    began = clock()
    for i in range(rounds):
        out[uint32(cuda.threadIdx.x)] = i
        cuda.threadfence()
    if cuda.threadIdx.x == 0:
        cycles[0] = clock() - began


@cuda.jit
def system_fence_kernel(out, rounds, cycles):
    began = clock()
    for i in range(rounds):
        out[uint32(cuda.threadIdx.x)] = i
        cuda.threadfence_system()
    if cuda.threadIdx.x == 0:
        cycles[0] = clock() - began
