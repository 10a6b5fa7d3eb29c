"""Waves: blocks that all take the same time, of which so many run at once."""

from numba import cuda, float32

WORDS = 12 * 1024  # 48 KiB of shared memory a block: four fit on a multiprocessor of an H200


@cuda.jit
def block_work_kernel(steps, out):
    """One warp and a chain of multiply-adds: a block takes as long alone as beside three others."""
    room = cuda.shared.array(WORDS, float32)
    x = float32(cuda.threadIdx.x)
    for _ in range(steps):
        x = x * float32(0.999) + float32(0.5)
    room[cuda.threadIdx.x] = x
    out[cuda.grid(1)] = room[cuda.threadIdx.x]
