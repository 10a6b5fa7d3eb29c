"""A step of the wave equation in 1D: the exercise of the page."""

from numba import cuda, float32


# --8<-- [start:kernel]
@cuda.jit
def wave_kernel(now, before, speed, out):
    i = cuda.grid(1)
    last = now.size - 1
    if 0 < i < last:
        bend = now[i - 1] - float32(2) * now[i] + now[i + 1]
        out[i] = float32(2) * now[i] - before[i] + speed * bend
    elif i <= last:
        out[i] = 0


# --8<-- [end:kernel]


def example():
    """Show a pulse that runs apart.

    --8<-- [start:example]
    >>> now = cuda.to_device(np.array([0, 0, 0, 4, 0, 0, 0], dtype=np.float32))
    >>> out = cuda.device_array(7, np.float32)
    >>> wave_kernel[2, 4](now, now, np.float32(0.25), out)
    >>> out.copy_to_host()
    array([0., 0., 1., 2., 1., 0., 0.], dtype=float32)

    --8<-- [end:example]
    """
