// A barrier of a cluster: two blocks, each on a multiprocessor of its own.

extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster_barrier(int rounds, long long* cycles) {
    long long began = clock64();
    for (int i = 0; i < rounds; i++)
        asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - began;
}
