import cupy

wait = cupy.RawKernel(
    r"""
extern "C" __global__ void wait() {
    long long start = clock64();
    while (clock64() - start < 100000000) {}
}
""",
    "wait",
)


def elapsed():
    start, stop = cupy.cuda.Event(), cupy.cuda.Event()
    start.record()
    wait((1,), (1,), ())
    stop.record()
    return start, stop


def right():
    start, stop = elapsed()
    stop.synchronize()
    cupy.cuda.get_elapsed_time(start, stop)


def wrong():
    start, stop = elapsed()
    cupy.cuda.get_elapsed_time(start, stop)
