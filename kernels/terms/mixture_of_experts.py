"""A mixture-of-experts layer: each token goes through a few of many matrices."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]


# --8<-- [start:layer]
def mixture(x, router, experts, k):
    """Return each token's weighted sum over its ``k`` best experts.

    Shapes: x (tokens, d), router (d, experts), experts (experts, d, d); the result is (tokens, d).
    """
    scores = x @ router
    chosen = np.argsort(-scores, axis=1)[:, :k]
    out = np.zeros_like(x)
    for token, own in enumerate(chosen):
        weights = np.exp(scores[token, own] - scores[token, own].max())
        for expert, weight in zip(own, weights / weights.sum(), strict=True):
            out[token] += weight * (x[token] @ experts[expert])
    return out


# --8<-- [end:layer]


def examples():
    """Two experts: one doubles, one negates.

    --8<-- [start:example]
    >>> experts = np.stack([2 * np.eye(2), -np.eye(2)])
    >>> x = np.array([[3.0, 1.0], [1.0, 3.0]])  # the router looks at which number is larger
    >>> mixture(x, router=np.eye(2), experts=experts, k=1)
    array([[ 6.,  2.],
           [-1., -3.]])

    --8<-- [end:example]
    """
