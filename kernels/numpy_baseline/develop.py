"""Develop a photo four ways: NumPy, Numba on one core and on all of them, and a GPU."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:numpy]
def develop_numpy(photo, gain):
    """Return a photo brightened by ``gain``, with soft highlights and a gamma curve, as float32.

    ``photo``: linear light, float32, not negative, any shape.

    --8<-- [start:numpy_example]
    >>> develop_numpy(np.array([0, 0.25, 1, 4], np.float32), gain=1).round(3)
    array([0.   , 0.481, 0.73 , 0.904], dtype=float32)

    --8<-- [end:numpy_example]
    """
    light = photo * np.float32(gain)
    return (light / (1 + light)) ** np.float32(1 / 2.2)


# --8<-- [end:numpy]


# --8<-- [start:kernel]
@cuda.jit
def develop_kernel(photo, gain, out):
    i = cuda.grid(1)
    if i < photo.size:
        light = photo[i] * gain
        out[i] = (light / (np.float32(1) + light)) ** np.float32(1 / 2.2)


# --8<-- [end:kernel]


# --8<-- [start:host]
def develop_gpu(photo, gain, threads=256):
    """Return what ``develop_numpy`` does, with both copies: to the GPU and back.

    --8<-- [start:gpu_example]
    >>> photo = np.linspace(0, 4, 999, dtype=np.float32)
    >>> np.allclose(develop_gpu(photo, 2), develop_numpy(photo, 2), rtol=1e-5)
    True

    --8<-- [end:gpu_example]
    """
    d_photo = cuda.to_device(photo)
    d_out = cuda.device_array_like(d_photo)
    develop_kernel[-(-d_photo.size // threads), threads](d_photo, np.float32(gain), d_out)
    return d_out.copy_to_host()


# --8<-- [end:host]
