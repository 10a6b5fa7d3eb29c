"""Matrix products for the model on a GPU: cuBLAS through ctypes."""
# ruff: noqa: I001

import numpy as np

# --8<-- [start:cublas]
import ctypes

import cupy as cp


FLOAT, FAST_TF32, DEFAULT = 0, 77, -1  # CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32, and its choice


def as_columns_first(x):
    """Return (1, row length) if the matrix x is stored transposed, (0, row length) if not."""
    rows, columns = (step // 4 for step in x.strides[-2:])
    if columns == 1:
        return 0, rows
    if rows == 1:
        return 1, columns
    raise ValueError(f"a matrix with strides {x.strides} has no unit step")


class Cublas:
    """Products by cuBLAS, in TF32, called directly: CuPy refuses cuBLAS while it captures."""

    def __init__(self, stream, library="libcublas.so.13"):
        cp.cuda.device.get_cublas_handle()  # CuPy finds and loads the library; we then name it
        self.lib, self.handle = ctypes.CDLL(library), ctypes.c_void_p()
        self.call("cublasCreate_v2", ctypes.byref(self.handle))
        self.call("cublasSetStream_v2", self.handle, ctypes.c_void_p(stream.ptr))
        self.space = cp.empty(64 * 2**20, cp.uint8)  # ours: a graph must not allocate
        size = ctypes.c_size_t(self.space.nbytes)
        self.call("cublasSetWorkspace_v2", self.handle, self.pointer(self.space), size)
        self.lists = {}  # addresses of the matrices of a stack, on the GPU

    def call(self, name, *arguments):
        if status := getattr(self.lib, name)(*arguments):
            raise RuntimeError(f"{name} returned status {status}")

    @staticmethod
    def pointer(x):
        return ctypes.c_void_p(x.data.ptr)

    def addresses(self, x):
        """Return the addresses of a stack's matrices, kept for the next call with the same."""
        key = x.data.ptr, x.shape, x.strides
        if key not in self.lists:
            places = np.zeros(x.shape[:-2], np.int64) + x.data.ptr
            for axis, step in enumerate(x.strides[:-2]):
                shape = [1] * places.ndim
                shape[axis] = -1
                places += step * np.arange(x.shape[axis]).reshape(shape)
            self.lists[key] = cp.asarray(places.reshape(-1))
        return self.pointer(self.lists[key])

    def gemm(self, a, b, out, scale=1.0, add=False):
        """out = scale * a @ b, or out += it. Matrices, or stacks of them: the last two axes."""
        (m, k), n = a.shape[-2:], b.shape[-1]
        # cuBLAS counts columns first: it sees our arrays transposed, and out.T = b.T @ a.T.
        turn_a, step_a = as_columns_first(a)
        turn_b, step_b = as_columns_first(b)
        step_out = out.strides[-2] // 4
        one, other = ctypes.c_float(scale), ctypes.c_float(1.0 if add else 0.0)
        head = self.handle, turn_b, turn_a, n, m, k, ctypes.byref(one)
        if a.ndim == 2:
            name, where, end = "cublasGemmEx", self.pointer, ()
        else:
            name, where, end = "cublasGemmBatchedEx", self.addresses, (a.size // (m * k),)
        self.call(
            name,
            *head,
            *(where(b), FLOAT, step_b, where(a), FLOAT, step_a),
            *(ctypes.byref(other), where(out), FLOAT, step_out, *end, FAST_TF32, DEFAULT),
        )


# --8<-- [end:cublas]
