import numpy as np
from cupy.cuda import runtime

x = np.zeros(2**20)


def right():
    runtime.hostRegister(x.ctypes.data, x.nbytes, 0)
    runtime.hostUnregister(x.ctypes.data)


def wrong():
    runtime.hostUnregister(x.ctypes.data)
