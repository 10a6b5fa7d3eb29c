from numba import cuda, float32

tile = cuda.shared.array(64, float32)
