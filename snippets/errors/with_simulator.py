from numba import cuda

assert list(cuda.to_device([1.0])) == [1.0]
