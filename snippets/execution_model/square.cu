extern "C" __global__
void square(float* x, long long n)
{
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * x[i];
}
