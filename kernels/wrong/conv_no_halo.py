"""Wrong: the tile has no halo, so outputs at a block's edge read pixels that are not theirs."""

# --8<-- [start:kernel]
from numba import cuda, float32

SIDE = 8


@cuda.jit
def no_halo_kernel(x, w, out):
    tile = cuda.shared.array((SIDE, SIDE), float32)  # 3 x 3 filters need SIDE + 2
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    q, p = cuda.grid(2)
    tile[ty, tx] = x[p, q] if p < x.shape[0] and q < x.shape[1] else 0
    cuda.syncthreads()
    if p < out.shape[0] and q < out.shape[1]:
        total = float32(0)
        for r in range(3):
            for s in range(3):
                total += tile[min(ty + r, SIDE - 1), min(tx + s, SIDE - 1)] * w[r, s]
        out[p, q] = total


# --8<-- [end:kernel]


def _example():
    """
    --8<-- [start:example]
    >>> x = np.ones((20, 20), np.float32)
    >>> x[:, 8:] = 2  # brighter from column 8 on, where the second block begins
    >>> right = np.array([[0, 0, 0], [0, 0, 1], [0, 0, 0]], np.float32)  # two to the right
    >>> out = cuda.device_array((18, 18), np.float32)
    >>> no_halo_kernel[(3, 3), (SIDE, SIDE)](*map(cuda.to_device, (x, right)), out)
    >>> out.copy_to_host()[0, 4:9]  # columns 6 and 7 should see the bright half
    array([1., 1., 1., 1., 2.], dtype=float32)

    --8<-- [end:example]
    """
