import ctypes

from mpi4py import MPI


def cuda_aware():
    """Ask Open MPI or MPICH, before it crashes, whether it takes GPU memory."""
    library = ctypes.CDLL(MPI.__file__)
    if hasattr(library, "MPIX_Query_cuda_support"):  # Open MPI
        return bool(library.MPIX_Query_cuda_support())
    if hasattr(library, "MPIX_GPU_query_support"):  # MPICH
        answer = ctypes.c_int()
        library.MPIX_GPU_query_support(0, ctypes.byref(answer))  # 0: CUDA
        return bool(answer.value)
    return False


print(MPI.Get_library_version().split(",")[0], "- takes GPU memory:", cuda_aware())
