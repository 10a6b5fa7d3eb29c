#include <hip/hip_runtime.h>
#include <cstdio>

__global__ void saxpy(float a, const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

int main() {
    int n = 1000;
    float *x, *y;
    hipMallocManaged(&x, n * sizeof(float));
    hipMallocManaged(&y, n * sizeof(float));
    for (int i = 0; i < n; ++i) x[i] = i, y[i] = 1;
    saxpy<<<(n + 255) / 256, 256>>>(2, x, y, n);
    hipError_t error = hipDeviceSynchronize();
    printf("%s, y[999] = %g", hipGetErrorString(error), y[999]);
    hipFree(x), hipFree(y);
}
