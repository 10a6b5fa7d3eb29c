import cupy
import numpy as np

x = cupy.ones(1000)


def right():
    np.asarray(x.get())


def wrong():
    np.asarray(x)
