"""Wrong: the gradient of the gate without the slope of the sigmoid."""


def _example():
    """
    --8<-- [start:example]
    >>> class AlmostRight(torch.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, gate, up):
    ...         ctx.save_for_backward(gate, up)
    ...         return gate * torch.sigmoid(gate) * up
    ...     @staticmethod
    ...     def backward(ctx, grad):
    ...         gate, up = ctx.saved_tensors
    ...         s = torch.sigmoid(gate)
    ...         return grad * up * s, grad * gate * s  # the first lacks * (1 + gate * (1 - s))
    >>> torch.autograd.gradcheck(AlmostRight.apply, small, raise_exception=False)
    False

    --8<-- [end:example]
    """
