"""Where each copy and each kernel of the pipeline lies in time, by events in its stream."""

import numpy as np
from numba import cuda

from kernels.streams.gamma import gamma_kernel


# --8<-- [start:timeline]
def timeline(images, out, steps=8, streams=3, threads=256):
    """Do what ``process`` does, and return (image, what, start, end) for each step, in ms.

    An event is a mark in a stream: the GPU writes the time when it gets there.
    """
    blocks = -(-images.shape[1] // threads)
    queues = [cuda.stream() for _ in range(streams)]
    buffers = [[cuda.device_array(images.shape[1], np.float32) for _ in range(2)] for _ in queues]
    marks = []
    cuda.synchronize()
    began = cuda.event(timing=True)
    began.record()
    cuda.synchronize()
    for i in range(len(images)):
        stream, (d_image, d_out) = queues[i % streams], buffers[i % streams]
        at = [cuda.event(timing=True) for _ in range(4)]
        at[0].record(stream)
        d_image.copy_to_device(images[i], stream=stream)
        at[1].record(stream)
        gamma_kernel[blocks, threads, stream](d_image, d_out, steps)
        at[2].record(stream)
        d_out.copy_to_host(out[i], stream=stream)
        at[3].record(stream)
        marks.append(at)
    cuda.synchronize()
    return [
        (i, what, cuda.event_elapsed_time(began, at[k]), cuda.event_elapsed_time(began, at[k + 1]))
        for i, at in enumerate(marks)
        for k, what in enumerate(("copy in", "kernel", "copy out"))
    ]


# --8<-- [end:timeline]


def example():
    """The order of the steps of one image, on a GPU.

    --8<-- [start:example]
    >>> images = cuda.pinned_array((6, 1_000_003), dtype=np.float32)
    >>> out = cuda.pinned_array((6, 1_000_003), dtype=np.float32)
    >>> images[:] = np.random.default_rng(1).random(images.shape, dtype=np.float32) + 0.01
    >>> spans = timeline(images, out)
    >>> [what for image, what, start, end in spans if image == 0]
    ['copy in', 'kernel', 'copy out']
    >>> all(start <= end for image, what, start, end in spans)
    True
    >>> bool(np.allclose(out, np.sqrt(images), rtol=1e-5))
    True

    --8<-- [end:example]
    """
