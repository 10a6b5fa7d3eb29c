"""Say which GPUs this machine has: device, driver, CUDA. Nothing here starts a GPU context."""

import ctypes
import functools
import re

from lockstep import environment

# What a reader needs to know to repeat a run.
PACKAGES = (
    "numba",
    "numba-cuda",
    "numba-cuda-mlir",
    "cupy-cuda13x",
    "cupy-cuda12x",
    "numpy",
    "cuda-core",
    "cuda-bindings",
    "nvidia-nccl-cu13",
    "mpi4py",
    "torch",
    "triton",
    "mlx",
    "apache-tvm",
    "tensorrt-rtx-cu13",
)


@functools.cache
def gpus() -> tuple[dict, ...]:
    """Return one dict for each NVIDIA GPU: name, compute_capability, driver, memory_mib.

    Empty where there is no NVIDIA driver, whose library is asked: a program named nvidia-smi could
    be anybody's. https://docs.nvidia.com/deploy/nvml-api/
    """
    return _driver()[0]


def cuda_version() -> str | None:
    """Return the newest CUDA version that the driver supports, such as 13.0."""
    return _driver()[1]


@functools.cache
def _driver() -> tuple[tuple[dict, ...], str | None]:
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
    except OSError:
        return (), None
    if nvml.nvmlInit_v2():
        return (), None
    text, count, cuda = ctypes.create_string_buffer(96), ctypes.c_uint(), ctypes.c_int()

    def said(call, *about) -> str:
        return "" if call(*about, text, len(text)) else text.value.decode()

    driver = said(nvml.nvmlSystemGetDriverVersion)
    nvml.nvmlSystemGetCudaDriverVersion_v2(ctypes.byref(cuda))  # 1000 * major + 10 * minor
    nvml.nvmlDeviceGetCount_v2(ctypes.byref(count))
    rows = []
    for number in range(count.value):
        gpu, major, minor = ctypes.c_void_p(), ctypes.c_int(), ctypes.c_int()
        memory = (ctypes.c_ulonglong * 3)()  # total, free, used
        nvml.nvmlDeviceGetHandleByIndex_v2(number, ctypes.byref(gpu))
        nvml.nvmlDeviceGetCudaComputeCapability(gpu, ctypes.byref(major), ctypes.byref(minor))
        nvml.nvmlDeviceGetMemoryInfo(gpu, memory)
        rows.append(
            {
                "name": said(nvml.nvmlDeviceGetName, gpu),
                "compute_capability": f"{major.value}.{minor.value}",
                "driver": driver,
                "memory_mib": memory[0] // 2**20,
            }
        )
    nvml.nvmlShutdown()
    return tuple(rows), f"{cuda.value // 1000}.{cuda.value % 1000 // 10}"


def machine() -> str:
    """Return the folder name of this machine's evidence: nvidia-h200, or cpu without a GPU.

    The driver calls the H100 of a server NVIDIA H100 80GB HBM3, and a card's NVIDIA H100 PCIe.
    """
    found = gpus()
    if not found:
        return "cpu"
    name = found[0]["name"].lower().removesuffix(" 80gb hbm3")
    return re.sub(r"[^a-z0-9]+", "-", name).strip("-")


def describe() -> dict:
    """Return what a record says of where it was made: device, packages, python, date."""
    found = gpus()
    device = {**found[0], "cuda": cuda_version(), "count": len(found)} if found else None
    return {
        "device": device or environment.processor(),
        "packages": environment.packages(PACKAGES),
        "python": environment.python(),
        "date": environment.today(),
    }


def cuda_is_started() -> bool:
    """Whether this process has started CUDA, which does not survive a fork."""
    try:
        library = ctypes.CDLL("libcuda.so.1")
        current = ctypes.c_void_p()
        return library.cuCtxGetCurrent(ctypes.byref(current)) != 3  # 3: not initialized
    except (OSError, AttributeError):
        return False
