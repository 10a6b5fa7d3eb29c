"""Where to clip a tensor before it becomes int8: three ways to choose, from a histogram."""

import numpy as np


# --8<-- [start:simple]
def largest(x):
    """Clip nothing."""
    return float(np.abs(x).max())


def percentile(x, share=99.9):
    """Clip one of a thousand."""
    return float(np.percentile(np.abs(x), share))


# --8<-- [end:simple]


# --8<-- [start:entropy]
def entropy(x, bins=2048, levels=128):
    """Clip where the distribution in int8 says most about the one in float: least KL divergence."""
    counts, edges = np.histogram(np.abs(x), bins)
    best = np.inf, bins
    for end in range(levels, bins + 1):
        kept = counts[:end].astype(float)
        reference = kept.copy()
        reference[-1] += counts[end:].sum()  # what is clipped becomes the largest
        level = np.arange(end) * levels // end
        filled = np.bincount(level, kept > 0, levels)
        rounded = (np.bincount(level, kept, levels) / np.maximum(filled, 1))[level] * (kept > 0)
        p, q = reference / reference.sum(), rounded / max(rounded.sum(), 1)
        inside = p > 0
        q = np.maximum(q, 1e-9)  # the last bin may hold clipped values alone
        divergence = (p[inside] * np.log(p[inside] / q[inside])).sum()
        best = min(best, (divergence, end))
    return float(edges[best[1]])


# --8<-- [end:entropy]


# --8<-- [start:lost]
def lost(x, limit):
    """Return the error of int8 with a limit, relative to the size of x."""
    step = limit / 127
    return float(np.linalg.norm(np.rint(x / step).clip(-127, 127) * step - x) / np.linalg.norm(x))


# --8<-- [end:lost]


def examples():
    """The examples.

    --8<-- [start:tail_example]
    >>> random = np.random.default_rng(7)
    >>> x = random.laplace(size=200_000)
    >>> x[:20] *= 20  # a few numbers are far out
    >>> for choose in (largest, percentile, entropy):
    ...     limit = choose(x)
    ...     off = lost(x, limit), lost(x[20:], limit)
    ...     print(f"{choose.__name__:10} {limit:6.2f} {off[0]:.3f} {off[1]:.3f}")
    largest     94.21 0.146 0.151
    percentile   6.95 0.226 0.032
    entropy     10.30 0.213 0.017

    --8<-- [end:tail_example]

    --8<-- [start:fold_example]
    >>> folded = fold_batch_norm(model)
    >>> kinds(folded)[:5]
    ['Conv', 'Relu', 'Conv', 'Add', 'Relu']
    >>> np.allclose(run(folded, image), before, rtol=1e-4, atol=1e-5)
    True
    >>> shared = copy.deepcopy(model)  # with somebody else who reads the second convolution
    >>> shared.graph.node.extend([helper.make_node("Relu", ["second.conv"], ["seen"])])
    >>> kinds(fold_batch_norm(shared)).count("BatchNormalization")
    1

    --8<-- [end:fold_example]

    --8<-- [start:int8_example]
    >>> tensors = ["first.norm", "first.relu", "second.norm"]
    >>> some = np.random.default_rng(2).standard_normal((16, 3, 32, 32)).astype(np.float32)
    >>> seen = session(watched(folded, tensors)).run(tensors, {"image": some})
    >>> seen = dict(zip(["image", *tensors], [some, *seen], strict=True))
    >>> for choose in (largest, percentile, entropy):
    ...     limits = {name: choose(tensor) for name, tensor in seen.items()}
    ...     off = run(with_int8(folded, limits), image) - before
    ...     print(f"{choose.__name__:10} {np.linalg.norm(off) / np.linalg.norm(before):.3f}")
    largest    0.002
    percentile 0.002
    entropy    0.005
    >>> print(*kinds(optimized(with_int8(folded, limits), "ORT_ENABLE_EXTENDED"))[:6])
    QuantizeLinear QLinearConv DequantizeLinear Relu QuantizeLinear QLinearConv

    --8<-- [end:int8_example]
    """
