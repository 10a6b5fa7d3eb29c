import cupy
import numpy as np

x = np.ones(1000)
y = cupy.ones(1000)


def right():
    cupy.asarray(x) + y


def wrong():
    x + y
