// A kernel that needs as many registers as it is given: compiled with --maxrregcount, it has that
// many. The occupancy calculator is compared with the driver on it.

extern "C" __global__ void hungry(float* a, int n) {
    float v[240];
#pragma unroll
    for (int k = 0; k < 240; k++) v[k] = a[k * n + threadIdx.x];
    for (int i = 0; i < n; i++) {
#pragma unroll
        for (int k = 0; k < 240; k++) v[k] = v[k] * v[(k + 7) % 240] + a[i];
    }
#pragma unroll
    for (int k = 0; k < 240; k++) a[k * n + threadIdx.x] = v[k];
}
