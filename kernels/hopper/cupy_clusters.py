"""Clusters of thread blocks and their distributed shared memory, by way of CuPy."""

import cupy as cp

# --8<-- [start:histogram]
COUNT = cp.RawModule(code=open("histogram.cu").read(), options=("-std=c++17",))
OWN_BYTES = 65536 // 2 * 4  # counters of a block of the cluster, and bytes of each


def histogram16(way, x):
    """Return how often each of the 65,536 values occurs in a uint16 array of CuPy's."""
    kernel = COUNT.get_function(way)
    shared = 0 if way == "histogram_global" else OWN_BYTES
    kernel.max_dynamic_shared_size_bytes = shared
    counts = cp.zeros(65536, cp.uint32)
    blocks = cp.cuda.Device().attributes["MultiProcessorCount"] // 2 * 2
    kernel((blocks,), (1024,), (x, cp.int64(x.size), counts), shared_mem=shared)
    return counts


# --8<-- [end:histogram]


# --8<-- [start:softmax]
SOFTMAX = cp.RawModule(code=open("softmax.cu").read(), options=("-std=c++17",))
CLUSTER = 8  # blocks for a row, as in softmax.cu


def softmax_long(way, x):
    """Return the softmax of each row of a float32 matrix of CuPy's, up to 464,000 columns."""
    rows, columns = x.shape
    if columns % 4:
        raise ValueError(f"{columns} columns: TMA takes 16 bytes, so a multiple of 4")
    kernel, out = SOFTMAX.get_function(way), cp.empty_like(x)
    shared = 16 * -(-columns // (4 * CLUSTER)) if way == "softmax_cluster" else 0
    kernel.max_dynamic_shared_size_bytes = shared
    blocks = rows * CLUSTER if shared else rows
    kernel((blocks,), (512,), (x, out, cp.uint32(columns // 4)), shared_mem=shared)
    return out


# --8<-- [end:softmax]


def _examples():
    """
    --8<-- [start:histogram_example]
    >>> noise = cp.random.default_rng(1).standard_normal(1_000_003)
    >>> sound = (32768 + 4000 * noise).astype(cp.uint16)
    >>> right = np.bincount(sound.get(), minlength=65536)
    >>> ways = ["histogram_global", "histogram_halves", "histogram_cluster"]
    >>> [bool(np.all(histogram16(way, sound).get() == right)) for way in ways]
    [True, True, True]

    --8<-- [end:histogram_example]

    --8<-- [start:softmax_example]
    >>> logits = cp.log(cp.arange(1, 128_257, dtype=cp.float32)).reshape(1, -1)
    >>> for way in ("softmax_twice", "softmax_cluster"):  # word i gets i of 1 + 2 + ... + 128,256
    ...     p = softmax_long(way, logits)
    ...     print(round(float(p.sum()), 4), round(float(p[0, -1] * 128_257), 3))
    1.0 2.0
    1.0 2.0

    --8<-- [end:softmax_example]
    """
