"""What Triton says to a stack that is indexed."""


def _example():
    """
    --8<-- [start:example]
    >>> text = torch.arange(8, device="cuda", dtype=torch.int32)
    >>> try:
    ...     stack_kernel[(1,)](text, torch.empty_like(text), 8, DEPTH=64)
    ... except triton.CompilationError as error:
    ...     print(type(error).__name__)
    CompilationError

    --8<-- [end:example]
    """
