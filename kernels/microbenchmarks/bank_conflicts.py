"""Bank conflicts: lanes read shared memory ``stride`` words apart, again and again."""

from numba import cuda, float32, int32, uint32

from kernels.microbenchmarks.clock import clock

WORDS = 2048


@cuda.jit
def banks_kernel(stride, rounds, cycles, out):
    """Each warp reads 8 times a trip; a lane's place moves on, so that no read can be left out."""
    words = cuda.shared.array(WORDS, int32)
    for i in range(cuda.threadIdx.x, WORDS, cuda.blockDim.x):
        words[i] = 0  # what a lane reads is how far it moves: nowhere, but the compiler can't know
    cuda.syncthreads()
    at = uint32(cuda.laneid * stride)
    began = clock()
    for _ in range(rounds):
        at += uint32(words[at])
        at += uint32(words[at])
        at += uint32(words[at])
        at += uint32(words[at])
        at += uint32(words[at])
        at += uint32(words[at])
        at += uint32(words[at])
        at += uint32(words[at])
    cuda.syncthreads()
    if cuda.threadIdx.x == 0:
        cycles[cuda.blockIdx.x] = clock() - began
    out[cuda.grid(1)] = float32(at)
