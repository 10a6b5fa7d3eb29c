"""MLX: a gradient, a training loop, a compiled function, and a kernel of one's own."""

# --8<-- [start:imports]
import mlx.core as mx
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:gradient]
def loss(weights, x, y):
    """Return the mean squared error of a linear model: weights (d,), x (n, d), y (n,)."""
    return mx.mean((x @ weights - y) ** 2)


gradient = mx.grad(loss)  # with respect to the first argument
# --8<-- [end:gradient]


# --8<-- [start:train]
def fit(x, y, steps=200, rate=0.1):
    """Return weights (d,) that make ``x @ weights`` close to ``y``, by gradient descent."""
    weights = mx.zeros(x.shape[1])
    for _ in range(steps):
        weights = weights - rate * gradient(weights, x, y)
        mx.eval(weights)  # compute this step before the next one is written down
    return weights


true = mx.array([0.5, -2.0, 1.25])
x = mx.random.normal((256, 3), key=mx.random.key(1))
assert mx.allclose(fit(x, x @ true), true, atol=1e-3)
# --8<-- [end:train]


# --8<-- [start:compile]
@mx.compile
def silu(x):
    """Return ``x * sigmoid(x)``, of any shape."""
    return x / (1 + mx.exp(-x))


expected = np.array([1 / (1 + np.exp(-1.0)), 0.0], dtype=np.float32)
np.testing.assert_allclose(silu(mx.array([1.0, 0.0])), expected, rtol=1e-6)
# --8<-- [end:compile]


# --8<-- [start:kernel]
saxpy_kernel = mx.fast.metal_kernel(
    name="saxpy",
    input_names=["alpha", "x", "y"],
    output_names=["out"],
    source="""
        uint i = thread_position_in_grid.x;
        out[i] = alpha[0] * x[i] + y[i];
    """,
)


def saxpy(alpha, x, y):
    """Return ``alpha * x + y`` of float32 arrays of one shape."""
    alpha = mx.array([alpha], dtype=mx.float32)
    if not mx.metal.is_available():
        return alpha * x + y
    (out,) = saxpy_kernel(
        inputs=[alpha, x, y],
        grid=(x.size, 1, 1),  # threads, not groups
        threadgroup=(min(256, x.size), 1, 1),
        output_shapes=[x.shape],
        output_dtypes=[mx.float32],
    )
    return out


# --8<-- [end:kernel]
