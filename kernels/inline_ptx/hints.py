"""Loads with a cache hint from Numba: codes stream past a table that should stay in L1."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, float32, int64

# --8<-- [end:imports]
from kernels.tensor_cores.ptx import ptx

# --8<-- [start:loads]
FOUR = ".v4.u32 {%0[0], %0[1], %0[2], %0[3]}, [%1];"  # 16 bytes into four registers

load_plain = ptx("ld.global" + FOUR, "=r4 l")
load_once = ptx("ld.global.nc.L1::no_allocate" + FOUR, "=r4 l")
load_deepep = ptx("ld.global.nc.L1::no_allocate.L2::256B" + FOUR, "=r4 l")
# --8<-- [end:loads]


# --8<-- [start:kernel]
def make_lookup(load=load_deepep):
    """Return a kernel that adds up table[code] over all codes, four codes at a load."""

    @cuda.jit
    def lookup_kernel(codes, table, out):
        first = int64(codes.ctypes.data)
        total = float32(0)
        for i in range(cuda.grid(1), codes.size // 4, cuda.gridsize(1)):
            a, b, c, d = load(first + 16 * i)
            total += (table[a] + table[b]) + (table[c] + table[d])
        out[cuda.grid(1)] = total

    return lookup_kernel


# --8<-- [end:kernel]


# --8<-- [start:host]
def lookup(codes, table, load=load_deepep, blocks=264, threads=1024):
    """Return the sum of table[code] over a multiple of four codes.

    --8<-- [start:example]
    >>> random = np.random.default_rng(seed=1)
    >>> codes = random.integers(0, 1000, size=100_000, dtype=np.uint32)
    >>> table = np.arange(1000, dtype=np.float32)
    >>> [lookup(codes, table, load) == codes.sum() for load in (load_plain, load_deepep)]
    [np.True_, np.True_]

    --8<-- [end:example]
    """
    if codes.size % 4:
        raise ValueError(f"{codes.size} codes: the kernel takes four at a time")
    out = cuda.device_array(blocks * threads, np.float32)
    make_lookup(load)[blocks, threads](cuda.to_device(codes), cuda.to_device(table), out)
    return out.copy_to_host().sum(dtype=np.float64)


# --8<-- [end:host]

load_nc = ptx("ld.global.nc" + FOUR, "=r4 l")
load_first = ptx("ld.global.L1::evict_first" + FOUR, "=r4 l")
load_256 = ptx("ld.global.L2::256B" + FOUR, "=r4 l")
load_64 = ptx("ld.global.L2::64B" + FOUR, "=r4 l")


def make_copy(load):
    """Return a kernel (x, out) that copies flat uint32, four at a time."""
    store = ptx("st.global.v4.u32 [%0], {%1[0], %1[1], %1[2], %1[3]};", "l r4")

    @cuda.jit
    def copy_kernel(x, out):
        i = cuda.grid(1)
        if i < x.size // 4:
            store(int64(out.ctypes.data) + 16 * i, load(int64(x.ctypes.data) + 16 * i))

    return copy_kernel


def make_gather(load):
    """Return a kernel (x, rows, out): two threads read a row of 32 bytes, and add it up."""

    @cuda.jit
    def gather_kernel(x, rows, out):
        i = cuda.grid(1)
        if i < 2 * rows.size:
            place = (int64(rows[i // 2]) * 2 + i % 2) * 16
            a, b, c, d = load(int64(x.ctypes.data) + place)
            out[i] = a + b + c + d

    return gather_kernel
