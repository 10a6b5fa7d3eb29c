from cupy.cuda import nccl


def right():
    nccl.NcclCommunicator.initAll([0])


def wrong():
    nccl.NcclCommunicator.initAll([0, 0])
