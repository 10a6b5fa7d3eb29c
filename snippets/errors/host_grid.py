from numba import cuda

print(cuda.grid(1))
