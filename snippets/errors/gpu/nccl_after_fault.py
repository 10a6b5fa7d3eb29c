import cupy
from cupy.cuda import nccl

fill = cupy.RawKernel(
    'extern "C" __global__ void fill(float *x, long long i) { x[i] = 1; }',
    "fill",
)
(comm,) = nccl.NcclCommunicator.initAll([0])
x = cupy.ones(1000, dtype=cupy.float32)
out = cupy.empty_like(x)


def add(i):
    fill((1,), (1,), (x, i))
    device = cupy.cuda.Device()
    try:
        device.synchronize()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        print("lost:", error)
    kind = nccl.NCCL_FLOAT32
    comm.allReduce(x.data.ptr, out.data.ptr, x.size, kind, nccl.NCCL_SUM, 0)


def right():
    add(999)


def wrong():
    add(2**38)
