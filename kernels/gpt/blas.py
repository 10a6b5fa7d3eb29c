"""Matrix products for the model: cuBLAS through ctypes on a GPU, NumPy elsewhere."""


# --8<-- [start:plain]
class Plain:
    """Products by NumPy: for tiny models on a CPU."""

    @staticmethod
    def gemm(a, b, out, scale=1.0, add=False):
        """out = scale * a @ b, or out += it. Matrices, or stacks of them: the last two axes."""
        product = scale * (a @ b)
        out[...] = out + product if add else product


# --8<-- [end:plain]

# --8<-- [start:cublas]
