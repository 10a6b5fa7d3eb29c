#include <metal_stdlib>
using namespace metal;

// The values of a SIMD-group, in the other order.
kernel void reverse(device const float* x [[buffer(0)]],
                    device float* out [[buffer(1)]],
                    uint lane [[thread_index_in_simdgroup]]) {
    out[lane] = simd_shuffle(x[lane], 31 - lane);
}
