import cupy

SOURCE = "__global__ void zero(float *x) { x[threadIdx.x] = 0; }"


def right():
    cupy.RawModule(code='extern "C" ' + SOURCE).get_function("zero")


def wrong():
    cupy.RawModule(code=SOURCE).get_function("zero")
