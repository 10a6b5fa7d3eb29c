"""The pipeline of images: every pixel of every image, whatever the number of streams."""

import numpy as np
import pytest

from kernels.streams.gamma import cuda, process


def pinned(shape):
    return cuda.pinned_array(shape, dtype=np.float32)


@pytest.mark.parametrize("shape", [(1, 1), (2, 31), (3, 33), (7, 129), (4, 257)])
@pytest.mark.parametrize("streams", [1, 3, 5])
def test_each_image_comes_out_whole(shape, streams):
    images, out = pinned(shape), pinned(shape)
    images[:] = np.random.default_rng(shape[1]).random(shape, dtype=np.float32) + np.float32(0.01)
    out[:] = np.nan
    process(images, out, steps=12, streams=streams, threads=32)
    np.testing.assert_allclose(out, np.sqrt(images.astype(np.float64)), rtol=3e-7)


def test_nothing_to_do_is_done_and_other_shapes_are_refused():
    process(np.empty((0, 5), np.float32), np.empty((0, 5), np.float32))
    process(np.empty((5, 0), np.float32), np.empty((5, 0), np.float32))
    for shapes in (((2, 5), (2, 4)), ((5,), (5,))):
        with pytest.raises(ValueError, match="two arrays of one shape"):
            process(*(np.ones(shape, np.float32) for shape in shapes))
