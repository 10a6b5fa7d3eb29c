import cupy

x = cupy.ones(1000)
x *= 2  # compiled before the capture
stream = cupy.cuda.Stream(non_blocking=True)


def capture(wait):
    with stream:
        stream.begin_capture()
        global x
        x *= 2
        if wait:
            cupy.cuda.runtime.streamSynchronize(stream.ptr)
        return stream.end_capture()


def right():
    capture(wait=False).launch()


def wrong():
    capture(wait=True)
