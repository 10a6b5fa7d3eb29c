"""One GPU's kernels in another's memory: peer access, copies and loads.

Source: https://docs.nvidia.com/cuda/cuda-programming-guide/03-advanced/multi-gpu-systems.html
"""

# --8<-- [start:imports]
import cupy as cp
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:reach]
devices = [0, 1]


def reach(devices):
    """Let each GPU read and write the memory of the others, or say which cannot."""
    for here in devices:
        for there in devices:
            if here == there:
                continue
            if not cp.cuda.runtime.deviceCanAccessPeer(here, there):
                raise RuntimeError(f"GPU {here} cannot reach GPU {there}: nvidia-smi topo -p2p r")
            with cp.cuda.Device(here):
                cp.cuda.runtime.deviceEnablePeerAccess(there)


def on_each(make, devices=devices):
    """Return a list with one array for each rank: make(rank), made on that rank's GPU."""
    arrays = []
    for rank, device in enumerate(devices):
        with cp.cuda.Device(device):
            arrays.append(make(rank))
            cp.cuda.get_current_stream().synchronize()
    return arrays


# --8<-- [end:reach]


# --8<-- [start:copies]
def copy_by_engine(source, target):
    """Copy between GPUs without a kernel: the copy engines do it."""
    cp.cuda.runtime.memcpyPeer(
        target.data.ptr, target.device.id, source.data.ptr, source.device.id, source.nbytes
    )


def copy_by_kernel(kernel, source, target, on):
    """Copy with a kernel that runs on GPU ``on``: the target's pulls, the source's pushes."""
    with cp.cuda.Device(on):
        kernel((264,), (512,), (source, target, np.uint64(source.size // 4)))
        cp.cuda.get_current_stream().synchronize()


# --8<-- [end:copies]
