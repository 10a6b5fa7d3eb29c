"""What CUDA is here: the driver's, the runtime's, the compiler's, and the GPU's own number."""

# --8<-- [start:gpu]
import cupy as cp


def dotted(version):
    """Return CUDA's 1000 * major + 10 * minor as text: 13000 is 13.0."""
    return f"{version // 1000}.{version % 1000 // 10}"


runtime = cp.cuda.runtime
gpu = runtime.getDeviceProperties(0)
print(f"GPUs                           {runtime.getDeviceCount()}")
print(f"GPU 0                          {gpu['name'].decode()}")
print(f"compute capability             {gpu['major']}.{gpu['minor']}")
print(f"driver supports CUDA up to     {dotted(runtime.driverGetVersion())}")
print(f"CUDA runtime that CuPy uses    {dotted(runtime.runtimeGetVersion())}")
print(f"compiler that CuPy uses        {'.'.join(map(str, cp.cuda.nvrtc.getVersion()))}")
# --8<-- [end:gpu]
