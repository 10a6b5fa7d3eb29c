"""A launch with more than 48 KB of shared memory, which a kernel has to be allowed first."""

# --8<-- [start:launch]
import numba
from cuda.bindings import driver
from numba import cuda


def launch(kernel, blocks, threads, shared, *arguments):
    """Launch a kernel with so many bytes of dynamic shared memory."""
    if shared > 48 * 1024:
        compiled = kernel.compile(tuple(numba.typeof(argument) for argument in arguments))
        limit = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        handle = compiled.library.get_cufunc().handle
        (error,) = driver.cuKernelSetAttribute(limit, shared, handle, cuda.get_current_device().id)
        if error:
            raise ValueError(f"{shared} bytes of shared memory: {error.name}")
    kernel[blocks, threads, 0, shared](*arguments)


# --8<-- [end:launch]
