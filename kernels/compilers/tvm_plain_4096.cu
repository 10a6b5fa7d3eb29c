extern "C" __global__ void __launch_bounds__(256) main_kernel(float* __restrict__ A_ptr, float* __restrict__ B_ptr, float* __restrict__ C_ptr) {
  for (int r = 0; r < 4096; ++r) {
    int cse_v1 = (((int)blockIdx.x) * 16);
    int cse_v2 = ((((int)blockIdx.y) * 65536) + (((int)threadIdx.y) * 4096));
    int cse_v3 = ((((((int)blockIdx.y) * 65536) + (((int)threadIdx.y) * 4096)) + (((int)blockIdx.x) * 16)) + ((int)threadIdx.x));
    if (r == 0) {
      C_ptr[((((((int)blockIdx.y) * 65536) + (((int)threadIdx.y) * 4096)) + (((int)blockIdx.x) * 16)) + ((int)threadIdx.x))] = 0x0p+0f/*0.000000e+00*/;
    }
    C_ptr[((((((int)blockIdx.y) * 65536) + (((int)threadIdx.y) * 4096)) + (((int)blockIdx.x) * 16)) + ((int)threadIdx.x))] = (C_ptr[((((((int)blockIdx.y) * 65536) + (((int)threadIdx.y) * 4096)) + (((int)blockIdx.x) * 16)) + ((int)threadIdx.x))] + (A_ptr[(((((int)blockIdx.y) * 65536) + (((int)threadIdx.y) * 4096)) + r)] * B_ptr[(((r * 4096) + (((int)blockIdx.x) * 16)) + ((int)threadIdx.x))]));
  }
}

