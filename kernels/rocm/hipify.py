"""What hipify does, in twenty lines: rename CUDA's runtime to HIP's, and say what it cannot."""

# --8<-- [start:hipify]
import re

HEADERS = {"cuda_runtime.h": "hip/hip_runtime.h", "cublas_v2.h": "hipblas/hipblas.h"}
SAME = {"hip": r"\bcuda([A-Z]\w*)", "hipblas": r"\bcublas([A-Z]\w*)"}  # cudaMalloc, hipMalloc
DOUBTS = {
    r"\b0x[fF]{8}\b": "a mask of 32 lanes: wavefronts of 64 need 64 bits",
    r"%\s*32\b|/\s*32\b|>>\s*5\b|&\s*31\b": "a warp of 32: use warpSize",
    r"\basm\s*(volatile)?\s*\(": "inline PTX: AMD has another instruction set",
    r"__\w+_sync\b": "a warp function with a mask, which HIP wants with 64 bits",
}


def hipify(source):
    """Return HIP C++ for CUDA C++, and (line, doubt) for what no renaming makes right."""
    for old, new in HEADERS.items():
        source = source.replace(f"#include <{old}>", f"#include <{new}>")
    for new, pattern in SAME.items():
        source = re.sub(pattern, rf"{new}\1", source)
    lines = enumerate(source.splitlines(), start=1)
    doubts = [
        (k, why) for k, line in lines for what, why in DOUBTS.items() if re.search(what, line)
    ]
    return source, doubts


# --8<-- [end:hipify]


def _examples():
    """
    --8<-- [start:example]
    >>> before = open("saxpy.cu").read()
    >>> after, doubts = hipify(before)
    >>> for old, new in zip(before.splitlines(), after.splitlines()):
    ...     if old != new:
    ...         print(new)
    #include <hip/hip_runtime.h>
        hipMallocManaged(&x, n * sizeof(float));
        hipMallocManaged(&y, n * sizeof(float));
        hipError_t error = hipDeviceSynchronize();
        printf("%s, y[999] = %g", hipGetErrorString(error), y[999]);
        hipFree(x), hipFree(y);
    >>> doubts
    []

    --8<-- [end:example]

    --8<-- [start:doubts]
    >>> _, doubts = hipify('''int lane = threadIdx.x % 32;
    ... for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
    ... if (lane == 0) atomicAdd(total, sum);''')
    >>> for line, why in doubts:
    ...     print(line, why)
    1 a warp of 32: use warpSize
    2 a mask of 32 lanes: wavefronts of 64 need 64 bits
    2 a warp function with a mask, which HIP wants with 64 bits

    --8<-- [end:doubts]
    """
