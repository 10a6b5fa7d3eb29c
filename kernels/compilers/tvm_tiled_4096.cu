extern "C" __global__ void __launch_bounds__(256) main_kernel(float* __restrict__ A_ptr, float* __restrict__ B_ptr, float* __restrict__ C_ptr) {
  alignas(64) float C_local_ptr[64];
  __shared__ alignas(64) float A_shared_ptr[2048];
  __shared__ alignas(64) float B_shared_ptr[2048];
  alignas(64) float A_shared_local_ptr[8];
  alignas(64) float B_shared_local_ptr[8];
  C_local_ptr[0] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[1] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[2] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[3] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[4] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[5] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[6] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[7] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[8] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[9] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[10] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[11] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[12] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[13] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[14] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[15] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[16] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[17] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[18] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[19] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[20] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[21] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[22] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[23] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[24] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[25] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[26] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[27] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[28] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[29] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[30] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[31] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[32] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[33] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[34] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[35] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[36] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[37] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[38] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[39] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[40] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[41] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[42] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[43] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[44] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[45] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[46] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[47] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[48] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[49] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[50] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[51] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[52] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[53] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[54] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[55] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[56] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[57] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[58] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[59] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[60] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[61] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[62] = 0x0p+0f/*0.000000e+00*/;
  C_local_ptr[63] = 0x0p+0f/*0.000000e+00*/;
  int cse_v1 = (((int)blockIdx.y) * 524288);
  int cse_v4 = (((int)blockIdx.x) * 128);
  int cse_v5 = (((int)threadIdx.x) * 8);
  for (int r_0 = 0; r_0 < 256; ++r_0) {
    int cse_v2 = (((int)threadIdx.y) * 64);
    int cse_v3 = (((int)threadIdx.x) * 4);
    __syncthreads();
    for (int ax0_ax1_fused_0 = 0; ax0_ax1_fused_0 < 2; ++ax0_ax1_fused_0) {
      *(float4*)(A_shared_ptr + (((ax0_ax1_fused_0 * 1024) + (((int)threadIdx.y) * 64)) + (((int)threadIdx.x) * 4))) = *(float4*)(A_ptr + ((((((((int)blockIdx.y) * 524288) + (ax0_ax1_fused_0 * 262144)) + (((int)threadIdx.y) * 16384)) + ((((int)threadIdx.x) >> 2) * 4096)) + (r_0 * 16)) + ((((int)threadIdx.x) & 3) * 4)));
    }
    for (int ax0_ax1_fused_0_1 = 0; ax0_ax1_fused_0_1 < 2; ++ax0_ax1_fused_0_1) {
      *(float4*)(B_shared_ptr + (((ax0_ax1_fused_0_1 * 1024) + (((int)threadIdx.y) * 64)) + (((int)threadIdx.x) * 4))) = *(float4*)(B_ptr + ((((((r_0 * 65536) + (ax0_ax1_fused_0_1 * 32768)) + ((((int)threadIdx.y) >> 1) * 4096)) + (((int)blockIdx.x) * 128)) + ((((int)threadIdx.y) & 1) * 64)) + (((int)threadIdx.x) * 4)));
    }
    __syncthreads();
    for (int r_1 = 0; r_1 < 16; ++r_1) {
      for (int ax0 = 0; ax0 < 8; ++ax0) {
        A_shared_local_ptr[ax0] = A_shared_ptr[(((((int)threadIdx.y) * 128) + (ax0 * 16)) + r_1)];
      }
      for (int ax0_0 = 0; ax0_0 < 2; ++ax0_0) {
        int cse_v6 = (ax0_0 * 4);
        *(float4*)(B_shared_local_ptr + (ax0_0 * 4)) = *(float4*)(B_shared_ptr + (((r_1 * 128) + (((int)threadIdx.x) * 8)) + (ax0_0 * 4)));
      }
      C_local_ptr[0] = (C_local_ptr[0] + (A_shared_local_ptr[0] * B_shared_local_ptr[0]));
      C_local_ptr[1] = (C_local_ptr[1] + (A_shared_local_ptr[0] * B_shared_local_ptr[1]));
      C_local_ptr[2] = (C_local_ptr[2] + (A_shared_local_ptr[0] * B_shared_local_ptr[2]));
      C_local_ptr[3] = (C_local_ptr[3] + (A_shared_local_ptr[0] * B_shared_local_ptr[3]));
      C_local_ptr[4] = (C_local_ptr[4] + (A_shared_local_ptr[0] * B_shared_local_ptr[4]));
      C_local_ptr[5] = (C_local_ptr[5] + (A_shared_local_ptr[0] * B_shared_local_ptr[5]));
      C_local_ptr[6] = (C_local_ptr[6] + (A_shared_local_ptr[0] * B_shared_local_ptr[6]));
      C_local_ptr[7] = (C_local_ptr[7] + (A_shared_local_ptr[0] * B_shared_local_ptr[7]));
      C_local_ptr[8] = (C_local_ptr[8] + (A_shared_local_ptr[1] * B_shared_local_ptr[0]));
      C_local_ptr[9] = (C_local_ptr[9] + (A_shared_local_ptr[1] * B_shared_local_ptr[1]));
      C_local_ptr[10] = (C_local_ptr[10] + (A_shared_local_ptr[1] * B_shared_local_ptr[2]));
      C_local_ptr[11] = (C_local_ptr[11] + (A_shared_local_ptr[1] * B_shared_local_ptr[3]));
      C_local_ptr[12] = (C_local_ptr[12] + (A_shared_local_ptr[1] * B_shared_local_ptr[4]));
      C_local_ptr[13] = (C_local_ptr[13] + (A_shared_local_ptr[1] * B_shared_local_ptr[5]));
      C_local_ptr[14] = (C_local_ptr[14] + (A_shared_local_ptr[1] * B_shared_local_ptr[6]));
      C_local_ptr[15] = (C_local_ptr[15] + (A_shared_local_ptr[1] * B_shared_local_ptr[7]));
      C_local_ptr[16] = (C_local_ptr[16] + (A_shared_local_ptr[2] * B_shared_local_ptr[0]));
      C_local_ptr[17] = (C_local_ptr[17] + (A_shared_local_ptr[2] * B_shared_local_ptr[1]));
      C_local_ptr[18] = (C_local_ptr[18] + (A_shared_local_ptr[2] * B_shared_local_ptr[2]));
      C_local_ptr[19] = (C_local_ptr[19] + (A_shared_local_ptr[2] * B_shared_local_ptr[3]));
      C_local_ptr[20] = (C_local_ptr[20] + (A_shared_local_ptr[2] * B_shared_local_ptr[4]));
      C_local_ptr[21] = (C_local_ptr[21] + (A_shared_local_ptr[2] * B_shared_local_ptr[5]));
      C_local_ptr[22] = (C_local_ptr[22] + (A_shared_local_ptr[2] * B_shared_local_ptr[6]));
      C_local_ptr[23] = (C_local_ptr[23] + (A_shared_local_ptr[2] * B_shared_local_ptr[7]));
      C_local_ptr[24] = (C_local_ptr[24] + (A_shared_local_ptr[3] * B_shared_local_ptr[0]));
      C_local_ptr[25] = (C_local_ptr[25] + (A_shared_local_ptr[3] * B_shared_local_ptr[1]));
      C_local_ptr[26] = (C_local_ptr[26] + (A_shared_local_ptr[3] * B_shared_local_ptr[2]));
      C_local_ptr[27] = (C_local_ptr[27] + (A_shared_local_ptr[3] * B_shared_local_ptr[3]));
      C_local_ptr[28] = (C_local_ptr[28] + (A_shared_local_ptr[3] * B_shared_local_ptr[4]));
      C_local_ptr[29] = (C_local_ptr[29] + (A_shared_local_ptr[3] * B_shared_local_ptr[5]));
      C_local_ptr[30] = (C_local_ptr[30] + (A_shared_local_ptr[3] * B_shared_local_ptr[6]));
      C_local_ptr[31] = (C_local_ptr[31] + (A_shared_local_ptr[3] * B_shared_local_ptr[7]));
      C_local_ptr[32] = (C_local_ptr[32] + (A_shared_local_ptr[4] * B_shared_local_ptr[0]));
      C_local_ptr[33] = (C_local_ptr[33] + (A_shared_local_ptr[4] * B_shared_local_ptr[1]));
      C_local_ptr[34] = (C_local_ptr[34] + (A_shared_local_ptr[4] * B_shared_local_ptr[2]));
      C_local_ptr[35] = (C_local_ptr[35] + (A_shared_local_ptr[4] * B_shared_local_ptr[3]));
      C_local_ptr[36] = (C_local_ptr[36] + (A_shared_local_ptr[4] * B_shared_local_ptr[4]));
      C_local_ptr[37] = (C_local_ptr[37] + (A_shared_local_ptr[4] * B_shared_local_ptr[5]));
      C_local_ptr[38] = (C_local_ptr[38] + (A_shared_local_ptr[4] * B_shared_local_ptr[6]));
      C_local_ptr[39] = (C_local_ptr[39] + (A_shared_local_ptr[4] * B_shared_local_ptr[7]));
      C_local_ptr[40] = (C_local_ptr[40] + (A_shared_local_ptr[5] * B_shared_local_ptr[0]));
      C_local_ptr[41] = (C_local_ptr[41] + (A_shared_local_ptr[5] * B_shared_local_ptr[1]));
      C_local_ptr[42] = (C_local_ptr[42] + (A_shared_local_ptr[5] * B_shared_local_ptr[2]));
      C_local_ptr[43] = (C_local_ptr[43] + (A_shared_local_ptr[5] * B_shared_local_ptr[3]));
      C_local_ptr[44] = (C_local_ptr[44] + (A_shared_local_ptr[5] * B_shared_local_ptr[4]));
      C_local_ptr[45] = (C_local_ptr[45] + (A_shared_local_ptr[5] * B_shared_local_ptr[5]));
      C_local_ptr[46] = (C_local_ptr[46] + (A_shared_local_ptr[5] * B_shared_local_ptr[6]));
      C_local_ptr[47] = (C_local_ptr[47] + (A_shared_local_ptr[5] * B_shared_local_ptr[7]));
      C_local_ptr[48] = (C_local_ptr[48] + (A_shared_local_ptr[6] * B_shared_local_ptr[0]));
      C_local_ptr[49] = (C_local_ptr[49] + (A_shared_local_ptr[6] * B_shared_local_ptr[1]));
      C_local_ptr[50] = (C_local_ptr[50] + (A_shared_local_ptr[6] * B_shared_local_ptr[2]));
      C_local_ptr[51] = (C_local_ptr[51] + (A_shared_local_ptr[6] * B_shared_local_ptr[3]));
      C_local_ptr[52] = (C_local_ptr[52] + (A_shared_local_ptr[6] * B_shared_local_ptr[4]));
      C_local_ptr[53] = (C_local_ptr[53] + (A_shared_local_ptr[6] * B_shared_local_ptr[5]));
      C_local_ptr[54] = (C_local_ptr[54] + (A_shared_local_ptr[6] * B_shared_local_ptr[6]));
      C_local_ptr[55] = (C_local_ptr[55] + (A_shared_local_ptr[6] * B_shared_local_ptr[7]));
      C_local_ptr[56] = (C_local_ptr[56] + (A_shared_local_ptr[7] * B_shared_local_ptr[0]));
      C_local_ptr[57] = (C_local_ptr[57] + (A_shared_local_ptr[7] * B_shared_local_ptr[1]));
      C_local_ptr[58] = (C_local_ptr[58] + (A_shared_local_ptr[7] * B_shared_local_ptr[2]));
      C_local_ptr[59] = (C_local_ptr[59] + (A_shared_local_ptr[7] * B_shared_local_ptr[3]));
      C_local_ptr[60] = (C_local_ptr[60] + (A_shared_local_ptr[7] * B_shared_local_ptr[4]));
      C_local_ptr[61] = (C_local_ptr[61] + (A_shared_local_ptr[7] * B_shared_local_ptr[5]));
      C_local_ptr[62] = (C_local_ptr[62] + (A_shared_local_ptr[7] * B_shared_local_ptr[6]));
      C_local_ptr[63] = (C_local_ptr[63] + (A_shared_local_ptr[7] * B_shared_local_ptr[7]));
    }
  }
  for (int ax0_1 = 0; ax0_1 < 8; ++ax0_1) {
    for (int ax1_0 = 0; ax1_0 < 2; ++ax1_0) {
      int cse_v7 = (ax1_0 * 4);
      *(float4*)(C_ptr + ((((((((int)blockIdx.y) * 524288) + (((int)threadIdx.y) * 32768)) + (ax0_1 * 4096)) + (((int)blockIdx.x) * 128)) + (((int)threadIdx.x) * 8)) + (ax1_0 * 4))) = *(float4*)(C_local_ptr + ((ax0_1 * 8) + (ax1_0 * 4)));
    }
  }
}

