import numpy as np
from numba import cuda


def right():
    cuda.device_array(10**6, np.uint8)


def wrong():
    cuda.device_array(10**13, np.uint8)  # 10 TB
