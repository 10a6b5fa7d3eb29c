import cupy


def elapsed(**options):
    start, stop = cupy.cuda.Event(**options), cupy.cuda.Event(**options)
    start.record()
    stop.record()
    stop.synchronize()
    return cupy.cuda.get_elapsed_time(start, stop)


def right():
    elapsed()


def wrong():
    elapsed(disable_timing=True)
