"""A stack of images through the GPU: copy in, compute, copy out, in one stream or in several."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:kernel]
@cuda.jit
def gamma_kernel(image, out, steps):
    """Square root of each pixel, by ``steps`` steps of Newton's method from 1."""
    i = cuda.grid(1)
    if i < out.size:
        root = np.float32(1.0)
        for _ in range(steps):
            root = np.float32(0.5) * (root + image[i] / root)
        out[i] = root


# --8<-- [end:kernel]


# --8<-- [start:process]
def process(images, out, steps=8, streams=3, threads=256):
    """Write the square root of each row of ``images`` into ``out``, row i in stream i % streams.

    ``images`` and ``out`` are float32 arrays of one shape (number of images, pixels of one), each
    in pinned memory. Pixels are above 0 and not far above 1. Raises ValueError for other shapes.
    """
    if images.shape != out.shape or images.ndim != 2:
        raise ValueError(f"two arrays of one shape (images, pixels), not {images.shape, out.shape}")
    count, pixels = images.shape
    if not images.size:
        return
    blocks = -(-pixels // threads)
    queues = [cuda.stream() for _ in range(streams)]
    # Each stream has buffers of its own, made once: an allocation would stop all streams.
    buffers = [[cuda.device_array(pixels, np.float32) for _ in range(2)] for _ in queues]
    for i in range(count):
        stream, (d_image, d_out) = queues[i % streams], buffers[i % streams]
        d_image.copy_to_device(images[i], stream=stream)
        gamma_kernel[blocks, threads, stream](d_image, d_out, steps)
        d_out.copy_to_host(out[i], stream=stream)
    for stream in queues:
        stream.synchronize()


# --8<-- [end:process]


def example():
    """Four images of five pixels through three streams.

    --8<-- [start:example]
    >>> images = cuda.pinned_array((4, 5), dtype=np.float32)
    >>> out = cuda.pinned_array((4, 5), dtype=np.float32)
    >>> images[:] = np.linspace(0.05, 1, 20).reshape(4, 5)
    >>> process(images, out, streams=3, threads=4)
    >>> bool(np.allclose(out, np.sqrt(images), rtol=1e-5))
    True

    --8<-- [end:example]
    """
