#include <metal_stdlib>
using namespace metal;

// Each thread hands its value to its neighbor, by way of device memory.
kernel void pass_on(device const float* x [[buffer(0)]],
                    device float* scratch [[buffer(1)]],
                    device float* out [[buffer(2)]],
                    uint i [[thread_position_in_threadgroup]],
                    uint n [[threads_per_threadgroup]]) {
    scratch[i] = x[i];
    threadgroup_barrier(mem_flags::mem_device);
    out[i] = scratch[(i + 1) % n];
}
