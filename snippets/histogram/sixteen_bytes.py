@cuda.jit
def histogram_shared4_kernel(x, counts):  # for sizes that are a multiple of four
    local = cuda.shared.array(BINS, np.uint32)
    tid, threads = cuda.threadIdx.x, cuda.blockDim.x
    for b in range(tid, BINS, threads):
        local[b] = 0
    cuda.syncthreads()
    for i in range(4 * cuda.grid(1), x.size, 4 * cuda.gridsize(1)):
        for value in load4(x, i):
            if 0 <= value < BINS:
                cuda.atomic.add(local, value, np.uint32(1))
    cuda.syncthreads()
    for b in range(tid, BINS, threads):
        cuda.atomic.add(counts, b, local[b])
