"""2:4 sparsity: keep two of each four numbers of a row, and where they stood."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda

# --8<-- [end:imports]


# --8<-- [start:prune]
@cuda.jit
def prune_kernel(w, kept, places):
    """Keep the two largest of each four; ``places`` says where they stood, 2 bits for each."""
    group, row = cuda.grid(2)
    if row < w.shape[0] and group < places.shape[1]:
        count, bits = 0, 0
        for i in range(4):
            size, larger = abs(w[row, 4 * group + i]), 0
            for j in range(4):
                other = abs(w[row, 4 * group + j])
                if other > size or (other == size and j < i):
                    larger += 1
            if larger < 2 and count < 2:
                kept[row, 2 * group + count] = w[row, 4 * group + i]
                bits |= i << (2 * count)
                count += 1
        places[row, group] = bits


# --8<-- [end:prune]


# --8<-- [start:host]
def prune(w):
    """Return the kept half of a matrix, and the places of each four's two, four bits a group."""
    w = np.ascontiguousarray(w, dtype=np.float32)
    rows, columns = w.shape
    if columns % 4:
        raise ValueError(f"{columns} columns are no whole groups of four")
    kept = cuda.device_array((rows, columns // 2), np.float32)
    places = cuda.device_array((rows, columns // 4), np.uint8)
    grid = (-(-columns // 4 // 32), -(-rows // 4))
    prune_kernel[grid, (32, 4)](cuda.to_device(w), kept, places)
    return kept.copy_to_host(), places.copy_to_host()


def restore(kept, places):
    """Return the pruned matrix with its zeros."""
    rows, groups = places.shape
    full = np.zeros((rows, groups, 4), kept.dtype)
    for half in range(2):
        where = (places >> 2 * half & 3)[..., None].astype(np.int64)
        np.put_along_axis(full, where, kept.reshape(rows, groups, 2)[:, :, half, None], axis=2)
    return full.reshape(rows, 4 * groups)


# --8<-- [end:host]


def _example():
    """
    --8<-- [start:example]
    >>> w = np.array([[3, -1, 0, 7, 2, 2, 2, 2], [0, 0, 0, 5, -8, 1, 9, 0]], dtype=np.float32)
    >>> kept, places = prune(w)
    >>> kept
    array([[ 3.,  7.,  2.,  2.],
           [ 0.,  5., -8.,  9.]], dtype=float32)
    >>> [[f"{p & 3},{p >> 2}" for p in row] for row in places]
    [['0,3', '0,1'], ['0,3', '0,2']]
    >>> restore(kept, places)
    array([[ 3.,  0.,  0.,  7.,  2.,  2.,  0.,  0.],
           [ 0.,  0.,  0.,  5., -8.,  0.,  9.,  0.]], dtype=float32)

    --8<-- [end:example]
    """
