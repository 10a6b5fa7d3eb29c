"""Say which GPUs this machine has: device, driver, CUDA. Nothing here starts a GPU context."""

import ctypes
import functools
import re
import subprocess

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

    Empty where there is no NVIDIA driver.
    """
    fields = "name,compute_cap,driver_version,memory.total"
    command = ["nvidia-smi", f"--query-gpu={fields}", "--format=csv,noheader,nounits"]
    try:
        out = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return ()
    keys = ("name", "compute_capability", "driver", "memory_mib")
    rows = [
        dict(zip(keys, map(str.strip, line.split(",")), strict=True)) for line in out.splitlines()
    ]
    for row in rows:
        row["memory_mib"] = int(row["memory_mib"])
    return tuple(rows)


@functools.cache
def cuda_version() -> str | None:
    """Return the newest CUDA version that the driver supports, such as 13.0."""
    try:
        out = subprocess.run(["nvidia-smi"], capture_output=True, text=True, timeout=60).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    found = re.search(r"CUDA Version:\s*([\d.]+)", out)
    return found[1] if found else None


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
