"""Element-wise kernels with 16-byte accesses: a copy, and any function of two arrays."""

from numba import cuda

from kernels.elementwise.plain import swiglu
from kernels.elementwise.vectors import load4, store4


# --8<-- [start:copy]
@cuda.jit
def copy4_kernel(x, out):
    """Each thread copies four elements: 16 bytes, where an element has 4."""
    i = 4 * cuda.grid(1)
    if i + 4 <= out.size:
        store4(out, i, load4(x, i))
    else:
        for k in range(i, out.size):  # the last one, two or three
            out[k] = x[k]


# --8<-- [end:copy]


# --8<-- [start:map]
def make_map4(function):
    """Return a kernel (a, b, out) for out = function(a, b), four elements a thread."""

    @cuda.jit
    def map4_kernel(a, b, out):
        i = 4 * cuda.grid(1)
        if i + 4 <= out.size:
            a0, a1, a2, a3 = load4(a, i)
            b0, b1, b2, b3 = load4(b, i)
            four = function(a0, b0), function(a1, b1), function(a2, b2), function(a3, b3)
            store4(out, i, four)
        else:
            for k in range(i, out.size):
                out[k] = function(a[k], b[k])

    return map4_kernel


# --8<-- [end:map]


# --8<-- [start:host]
def activate4(gate, up, threads=256):
    """Return gate / (1 + exp(-gate)) * up as ``activate`` does, with 16-byte accesses.

    --8<-- [start:example]
    >>> gate, up = (np.random.default_rng(1).standard_normal(100_003, np.float32) for _ in "ab")
    >>> expected = gate / (1 + np.exp(-gate)) * up
    >>> np.allclose(activate4(gate, up), expected, rtol=1e-5)
    True
    >>> d_out = cuda.device_array_like(gate)
    >>> copy4_kernel[-(-gate.size // 1024), 256](cuda.to_device(gate), d_out)
    >>> np.array_equal(d_out.copy_to_host(), gate)
    True

    --8<-- [end:example]
    """
    out = cuda.device_array_like(gate)
    blocks = -(-gate.size // (4 * threads))
    make_map4(swiglu)[blocks, threads](cuda.to_device(gate), cuda.to_device(up), out)
    return out.copy_to_host()


# --8<-- [end:host]
