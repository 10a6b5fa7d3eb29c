import cupy
from cupy.cuda.runtime import CUDARuntimeError

stream = cupy.cuda.Stream(non_blocking=True)


def capture(wait):
    stream.begin_capture()
    try:
        if wait:
            cupy.cuda.runtime.streamSynchronize(stream.ptr)
    except CUDARuntimeError as error:
        print("lost:", error)
    return stream.end_capture()


def right():
    capture(wait=False)


def wrong():
    capture(wait=True)
