"""GPU code without a GPU.

``stepper`` runs Numba CUDA kernels thread by thread in plain Python.
"""
