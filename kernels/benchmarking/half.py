"""A right kernel and a wrong one, checked with and without poison."""

# --8<-- [start:kernel]
from numba import cuda


@cuda.jit
def add_kernel(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


# --8<-- [end:kernel]


def show():
    """Run the right kernel, then the wrong one into the same array.

    --8<-- [start:example]
    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.standard_normal((2, 90), dtype=np.float32)
    >>> right = a.astype(np.float64) + b
    >>> d_a, d_b, d_out = cuda.to_device(a), cuda.to_device(b), cuda.device_array(90, np.float32)
    >>> add_kernel[6, 16](d_a, d_b, d_out)
    >>> half_add_kernel[3, 16](d_a, d_b, d_out)  # into the same array, with half of the blocks
    >>> np.allclose(d_out.copy_to_host(), right)
    True

    --8<-- [end:example]

    --8<-- [start:caught]
    >>> out = np.empty(90, np.float32)
    >>> error_of(lambda: add_kernel[6, 16](a, b, out), out, right) < 1e-6
    True
    >>> error_of(lambda: half_add_kernel[3, 16](a, b, out), out, right)
    nan

    --8<-- [end:caught]
    """
