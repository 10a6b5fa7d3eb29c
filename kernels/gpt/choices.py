"""A model with the products and the kernels of one's choice."""
# ruff: noqa: I001

import cupy as cp
from numba import cuda

from kernels.gpt.cublas import Cublas
from kernels.gpt.cupy_kernels import CupyGPT
from kernels.gpt.matmul import Ours
from kernels.gpt.model import GPT


# --8<-- [start:choose]
def build(config, products="ours", kernels="numba", seed=0):
    """Return a model and its stream, as ``on_gpu`` does. products: "ours" or "cublas"."""
    stream = cp.cuda.Stream(non_blocking=True)
    numba_stream = cuda.external_stream(stream.ptr)

    def view(x):
        return cuda.as_cuda_array(x, sync=False)

    kind = {"numba": GPT, "cupy": CupyGPT}[kernels]
    with stream:
        gemm = {"ours": lambda: Ours(numba_stream), "cublas": lambda: Cublas(stream)}[products]()
        model = kind(config, cp, gemm.gemm, view, numba_stream, seed)
    stream.synchronize()
    return model, stream


# --8<-- [end:choose]
