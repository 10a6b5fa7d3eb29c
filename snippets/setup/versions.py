import platform
from importlib.metadata import PackageNotFoundError, version

PACKAGES = """numpy numba numba-cuda numba-cuda-mlir cupy-cuda13x cupy-cuda12x
cuda-toolkit cuda-bindings cuda-core nvidia-cuda-nvrtc nvidia-nccl-cu13""".split()

print(f"{'python':18} {platform.python_version()} on {platform.system()} {platform.machine()}")
for package in PACKAGES:
    try:
        print(f"{package:18} {version(package)}")
    except PackageNotFoundError:
        print(f"{package:18} -")
