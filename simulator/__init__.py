"""GPU code without a GPU.

``stepper`` runs Numba CUDA kernels thread by thread in plain Python; ``grade`` grades a reader's
kernel with it.
"""
