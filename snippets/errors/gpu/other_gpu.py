import cupy
from cuda.core import Program, ProgramOptions

SOURCE = 'extern "C" __global__ void zero(float *x) { x[threadIdx.x] = 0; }'
own = cupy.cuda.Device().compute_capability
other = "80" if own != "80" else "90"


def load(arch):
    options = ProgramOptions(arch=f"sm_{arch}")
    cubin = Program(SOURCE, "c++", options).compile("cubin").code
    module = cupy.cuda.function.Module()
    module.load(bytes(cubin))


def right():
    load(own)


def wrong():
    load(other)
