extern "C" __global__
void whoami(int* index, int* lane, int* multiprocessor, long long n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        index[i] = i;
        asm("mov.u32 %0, %%laneid;" : "=r"(lane[i]));  // PTX's special registers
        asm("mov.u32 %0, %%smid;" : "=r"(multiprocessor[i]));
    }
}
