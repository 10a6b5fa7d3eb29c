"""The FHd step of an iterative MRI reconstruction: by samples, by voxels, in registers."""

import numpy as np
from numba import cuda, float32

# --8<-- [start:samples]
import math  # isort: skip

TWO_PI = float32(2 * np.pi)


@cuda.jit
def by_samples_kernel(phi, d, k, voxels, out):
    """A thread for each sample of k-space: it adds to all voxels. out: real and imaginary parts."""
    m = cuda.grid(1)
    if m < k.shape[0]:
        real = phi[m, 0] * d[m, 0] + phi[m, 1] * d[m, 1]  # conj(phi) d
        imag = phi[m, 0] * d[m, 1] - phi[m, 1] * d[m, 0]
        for n in range(voxels.shape[0]):
            dot = k[m, 0] * voxels[n, 0] + k[m, 1] * voxels[n, 1] + k[m, 2] * voxels[n, 2]
            c, s = math.cos(TWO_PI * dot), math.sin(TWO_PI * dot)
            cuda.atomic.add(out, (n, 0), real * c - imag * s)
            cuda.atomic.add(out, (n, 1), imag * c + real * s)


# --8<-- [end:samples]


# --8<-- [start:fission]
@cuda.jit
def mu_kernel(phi, d, mu):
    """What depends on the sample alone, in a kernel of its own."""
    m = cuda.grid(1)
    if m < mu.shape[0]:
        mu[m, 0] = phi[m, 0] * d[m, 0] + phi[m, 1] * d[m, 1]
        mu[m, 1] = phi[m, 0] * d[m, 1] - phi[m, 1] * d[m, 0]


# --8<-- [end:fission]


# --8<-- [start:voxels]
@cuda.jit
def by_voxels_kernel(mu, k, voxels, out):
    """The loops interchanged: a thread for each voxel, which nobody else writes."""
    n = cuda.grid(1)
    if n < out.shape[0]:
        for m in range(k.shape[0]):
            dot = k[m, 0] * voxels[n, 0] + k[m, 1] * voxels[n, 1] + k[m, 2] * voxels[n, 2]
            c, s = math.cos(TWO_PI * dot), math.sin(TWO_PI * dot)
            out[n, 0] += mu[m, 0] * c - mu[m, 1] * s
            out[n, 1] += mu[m, 1] * c + mu[m, 0] * s


# --8<-- [end:voxels]


# --8<-- [start:registers]
def make_in_registers(fastmath):
    """Return the kernel by voxels with the place and the sums of a voxel in registers."""

    @cuda.jit(fastmath=fastmath)
    def in_registers_kernel(mu, k, voxels, out):
        n = cuda.grid(1)
        if n < out.shape[0]:
            x, y, z = voxels[n, 0], voxels[n, 1], voxels[n, 2]
            real, imag = out[n, 0], out[n, 1]
            for m in range(k.shape[0]):
                turns = k[m, 0] * x + k[m, 1] * y + k[m, 2] * z
                turns -= float32(math.floor(turns + float32(0.5)))  # whole turns change nothing
                c, s = math.cos(TWO_PI * turns), math.sin(TWO_PI * turns)
                real += mu[m, 0] * c - mu[m, 1] * s
                imag += mu[m, 1] * c + mu[m, 0] * s
            out[n, 0], out[n, 1] = real, imag

    return in_registers_kernel


in_registers_kernel, special_units_kernel = make_in_registers(False), make_in_registers(True)
# --8<-- [end:registers]


# --8<-- [start:host]
def fhd(phi, d, k, voxels, way, threads=64):
    """Return sum over m of conj(phi) d exp(2 pi i k.x) at each voxel, real and imaginary part.

    phi and d are (samples, 2), k is (samples, 3) and voxels (n, 3).
    """
    phi, d, k, voxels = (
        cuda.to_device(np.asarray(x, dtype=np.float32)) for x in (phi, d, k, voxels)
    )
    out = cuda.to_device(np.zeros((len(voxels), 2), np.float32))
    samples = -(-len(k) // threads)
    if way is by_samples_kernel:
        way[samples, threads](phi, d, k, voxels, out)
        return out.copy_to_host()
    mu = cuda.device_array((len(k), 2), np.float32)
    mu_kernel[samples, threads](phi, d, mu)
    way[-(-len(voxels) // threads), threads](mu, k, voxels, out)
    return out.copy_to_host()


# --8<-- [end:host]


def _example():
    """
    --8<-- [start:example]
    >>> k = [[0, 0, 0], [0.5, 0, 0]]  # a constant, and a wave along x that turns after 2
    >>> voxels = [[0, 0, 0], [0.5, 0, 0], [1, 0, 0]]
    >>> ways = by_samples_kernel, by_voxels_kernel, in_registers_kernel, special_units_kernel
    >>> for way in ways:
    ...     print(abs(fhd([[1, 0]] * 2, [[1, 0]] * 2, k, voxels, way).round(3)).tolist())
    [[2.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    [[2.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    [[2.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    [[2.0, 0.0], [1.0, 1.0], [0.0, 0.0]]

    --8<-- [end:example]
    """
