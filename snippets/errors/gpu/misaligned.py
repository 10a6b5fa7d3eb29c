import cupy

copy = cupy.RawKernel(
    r"""
extern "C" __global__ void copy(const float4 *x, float4 *out) {
    out[threadIdx.x] = x[threadIdx.x];
}
""",
    "copy",
)
x = cupy.ones(132, dtype=cupy.float32)
out = cupy.zeros(128, dtype=cupy.float32)


def right():
    copy((1,), (32,), (x[4:], out))
    cupy.cuda.Device().synchronize()


def wrong():
    copy((1,), (32,), (x[1:], out))
    cupy.cuda.Device().synchronize()
