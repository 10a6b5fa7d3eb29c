"""Exercise: sums down the columns of a table, with four loads in flight instead of one."""

import numpy as np
from numba import cuda


# --8<-- [start:start]
@cuda.jit
def station_sums_kernel(temperature, out):
    """out[station]: the sum of temperature[hour, station] over all hours, float32."""
    station = cuda.grid(1)
    if station < temperature.shape[1]:
        total = np.float32(0)
        for hour in range(temperature.shape[0]):
            total += temperature[hour, station]  # load, add, load, add: one in flight
        out[station] = total


# --8<-- [end:start]


# --8<-- [start:solution]
@cuda.jit
def station_sums_4_kernel(temperature, out):
    station = cuda.grid(1)
    if station < temperature.shape[1]:
        hours = temperature.shape[0]
        total = np.float32(0)
        for hour in range(0, hours - hours % 4, 4):
            a, b = temperature[hour, station], temperature[hour + 1, station]
            c, d = temperature[hour + 2, station], temperature[hour + 3, station]
            total += (a + b) + (c + d)
        for hour in range(hours - hours % 4, hours):
            total += temperature[hour, station]
        out[station] = total


# --8<-- [end:solution]


def check():
    """Seven hours do not divide by four.

    --8<-- [start:example]
    >>> temperature = np.arange(21, dtype=np.float32).reshape(7, 3)
    >>> sums = cuda.to_device(np.full(3, np.nan, np.float32))
    >>> station_sums_4_kernel[1, 4](cuda.to_device(temperature), sums)
    >>> sums.copy_to_host()
    array([63., 70., 77.], dtype=float32)

    --8<-- [end:example]
    """
