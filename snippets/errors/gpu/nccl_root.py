import cupy
from cupy.cuda import nccl

(comm,) = nccl.NcclCommunicator.initAll([0])
x = cupy.ones(1000, dtype=cupy.float32)
pointer = x.data.ptr


def broadcast(root):
    comm.broadcast(pointer, pointer, x.size, nccl.NCCL_FLOAT32, root, 0)


def right():
    broadcast(root=0)


def wrong():
    broadcast(root=1)
