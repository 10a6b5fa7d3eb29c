"""The wrong loss beside the right one, with the names that the page has by then."""


def examples():
    """One row of 66 logits, of which the right one is 5.

    --8<-- [start:example]
    >>> logits = np.zeros((1, 66), dtype=np.float32)
    >>> logits[0, 7] = 5
    >>> for kernel in (loss_kernel, loss_late_kernel):
    ...     d_logits, losses = cuda.to_device(logits), cuda.to_device(np.zeros(1, np.float32))
    ...     kernel[1, (32, 4)](d_logits, cuda.to_device(np.array([7], np.int32)), 66, losses)
    ...     losses.copy_to_host()[0].round(2), d_logits.copy_to_host()[0, 7].round(2)
    (np.float32(0.36), np.float32(-0.3))
    (np.float32(5.67), np.float32(-0.3))

    --8<-- [end:example]
    """
