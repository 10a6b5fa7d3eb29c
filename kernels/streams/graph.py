"""A CUDA graph: a sequence of launches recorded once, and launched as one."""

# --8<-- [start:imports]
import cupy as cp

# --8<-- [end:imports]

# --8<-- [start:kernel]
step = cp.ElementwiseKernel("float32 x", "float32 y", "y = 0.5f * x + 1.0f", "step")

# --8<-- [end:kernel]


# --8<-- [start:record]
def record(x, scratch, launches):
    """Return a graph of ``launches`` steps, an even number, that take ``x`` to and from scratch.

    Nothing runs while the graph is recorded. It keeps the addresses of both arrays, so they must
    live as long as the graph does, and new data is written into ``x`` itself.
    """
    if launches % 2:
        raise ValueError(f"an even number of launches ends in x, not {launches}")
    step(x, scratch)  # compiled before recording, which allows no compilation
    stream = cp.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        for _ in range(launches // 2):
            step(x, scratch)
            step(scratch, x)
        graph = stream.end_capture()
    return graph, stream


# --8<-- [end:record]


def example():
    """Twenty steps of y = x / 2 + 1, whose fixed point is 2, launched as one.

    --8<-- [start:example]
    >>> x, scratch = cp.zeros(5, cp.float32), cp.empty(5, cp.float32)
    >>> graph, stream = record(x, scratch, launches=20)
    >>> x
    array([0., 0., 0., 0., 0.], dtype=float32)
    >>> graph.launch(stream)
    >>> stream.synchronize()
    >>> x.round(4)
    array([2., 2., 2., 2., 2.], dtype=float32)

    --8<-- [end:example]
    """
