#include <metal_stdlib>
using namespace metal;

struct Wide { float3 position; float mass; };
struct Packed { packed_float3 position; float mass; };

kernel void sizes(device uint* out [[buffer(0)]]) {
    out[0] = sizeof(Wide);
    out[1] = sizeof(Packed);
}
