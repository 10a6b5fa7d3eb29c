#include <metal_stdlib>
using namespace metal;

// The sum of the first 16 values of each SIMD-group.
kernel void sum_sixteen(device const float* x [[buffer(0)]],
                        device float* out [[buffer(1)]],
                        uint lane [[thread_index_in_simdgroup]]) {
    float value = lane < 16 ? x[lane] : 0;
    float total = simd_sum(value);  // all lanes take part
    if (lane == 0) out[0] = total;
}
