import cupy


def right():
    cupy.cuda.Device(0).use()


def wrong():
    cupy.cuda.Device(99).use()
