// Breadth-first search in which the GPU launches the levels, and a grid for each long row.

// The first that comes to a vertex gives it its level and appends it to the next frontier.
__device__ void visit(int w, int* level, int depth, int* following, int* count) {
    if (atomicCAS(level + w, -1, depth + 1) == -1) following[atomicAdd(count, 1)] = w;
}

// A thread for each neighbor of one vertex.
extern "C" __global__ void row(const int* targets, int length, int* level, int depth,
                               int* following, int* count) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < length) visit(targets[e], level, depth, following, count);
}

// A thread for each vertex of the frontier. One with more than `most` neighbors launches a grid.
extern "C" __global__ void expand(const int* starts, const int* targets, int* level, int depth,
                                  const int* frontier, int length, int* following, int* count,
                                  int most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length) return;
    int e = starts[frontier[i]], end = starts[frontier[i] + 1];
    if (end - e > most) {
        row<<<(end - e + 127) / 128, 128, 0, cudaStreamFireAndForget>>>(
            targets + e, end - e, level, depth, following, count);
        if (cudaGetLastError() == cudaSuccess) return;  // else too many wait: walk the row
    }
    for (; e < end; ++e) visit(targets[e], level, depth, following, count);
}

// One thread in the host's place: launch a level, and behind it, as a tail, itself for the next.
extern "C" __global__ void search(const int* starts, const int* targets, int* level, int depth,
                                  int* frontier, int* following, int* counts, int most) {
    int length = counts[depth % 2], *count = counts + (depth + 1) % 2;
    if (length == 0) return;
    *count = 0;
    expand<<<(length + 127) / 128, 128, 0, cudaStreamFireAndForget>>>(
        starts, targets, level, depth, frontier, length, following, count, most);
    search<<<1, 1, 0, cudaStreamTailLaunch>>>(
        starts, targets, level, depth + 1, following, frontier, counts, most);
    if (cudaGetLastError() != cudaSuccess) counts[2] = 1;  // a level would be missing
}

// For kernels in Python: addresses and sizes in, whether the launch was taken out.
extern "C" __device__ int launch_row(int* taken, unsigned long long targets, int length,
                                     unsigned long long level, int depth,
                                     unsigned long long following, unsigned long long count) {
    row<<<(length + 127) / 128, 128, 0, cudaStreamFireAndForget>>>(
        (const int*)targets, length, (int*)level, depth, (int*)following, (int*)count);
    *taken = cudaGetLastError() == cudaSuccess;
    return 0;
}
