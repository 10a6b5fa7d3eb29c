"""Faults that were planted are found, at their line; kernels that are right give no findings."""

import textwrap

import pytest

from simulator.stepper import KINDS, run_script

HEAD = "import numpy as np\nfrom numba import cuda\n"

# Each: name -> (kind, script). The line that must be reported ends with "#!"; where a finding
# has a second party, its line ends with "#2". A script that also appears under RIGHT is this one
# with the mistake taken out.
FAULTS = {
    "no guard": (
        "out-of-bounds",
        """
        @cuda.jit
        def k(a, out):
            i = cuda.grid(1)
            out[i] = 2 * a[i]  #!
        k[3, 4](np.zeros(10, np.float32), np.zeros(10, np.float32))
        """,
    ),
    "guard off by one": (
        "out-of-bounds",
        """
        @cuda.jit
        def k(out):
            i = cuda.grid(1)
            if i <= out.size:
                out[i] = 1  #!
        k[2, 4](np.zeros(5))
        """,
    ),
    "x and y mixed up": (
        "out-of-bounds",
        """
        @cuda.jit
        def k(out):
            x, y = cuda.grid(2)
            rows, columns = out.shape
            if x < columns and y < rows:
                out[x, y] = 1  #!
        k[(2, 1), (4, 3)](np.zeros((3, 7)))
        """,
    ),
    "guard with or": (
        "out-of-bounds",
        """
        @cuda.jit
        def k(out):
            x, y = cuda.grid(2)
            if y < out.shape[0] or x < out.shape[1]:
                out[y, x] = 1  #!
        k[(2, 2), (4, 4)](np.zeros((6, 7)))
        """,
    ),
    "shared array too small": (
        "out-of-bounds",
        """
        @cuda.jit
        def k(out):
            tile = cuda.shared.array(16, np.float32)
            i = cuda.threadIdx.x
            tile[i] = i  #!
            cuda.syncthreads()
            out[i] = tile[i]
        k[1, 17](np.zeros(17))
        """,
    ),
    "local array too small, in a device function": (
        "out-of-bounds",
        """
        @cuda.jit(device=True)
        def fill(window, n):
            for j in range(n + 1):
                window[j] = j  #!
        @cuda.jit
        def k(out):
            window = cuda.local.array(4, np.float32)
            fill(window, 4)
            out[0] = window[0]
        k[1, 1](np.zeros(1))
        """,
    ),
    "atomic outside": (
        "out-of-bounds",
        """
        @cuda.jit
        def k(x, bins):
            i = cuda.grid(1)
            if i < x.size:
                cuda.atomic.add(bins, x[i], 1)  #!
        k[1, 4](np.array([0, 1, 2, 3]), np.zeros(3, np.int32))
        """,
    ),
    "left neighbor of the first": (
        "negative-index",
        """
        @cuda.jit
        def k(a, out):
            i = cuda.grid(1)
            if i < a.size - 1:
                out[i] = a[i - 1] + a[i + 1]  #!
        k[2, 4](np.zeros(7), np.zeros(7))
        """,
    ),
    "far below zero": (
        "negative-index",
        """
        @cuda.jit
        def k(a, out):
            i = cuda.grid(1)
            out[i] = a[i - 100]  #!
        k[1, 4](np.zeros(7), np.zeros(7))
        """,
    ),
    "shared memory read before it is written": (
        "uninitialized",
        """
        @cuda.jit
        def k(a, out):
            total = cuda.shared.array(1, np.float32)
            i = cuda.threadIdx.x
            cuda.atomic.add(total, 0, a[i])  #!
            cuda.syncthreads()
            out[0] = total[0]
        k[1, 8](np.ones(8, np.float32), np.zeros(1, np.float32))
        """,
    ),
    "the halo is never loaded": (
        "uninitialized",
        """
        @cuda.jit
        def k(a, out):
            tile = cuda.shared.array(10, np.float32)
            i = cuda.threadIdx.x
            tile[i + 1] = a[i]
            cuda.syncthreads()
            out[i] = tile[i] + tile[i + 2]  #!
        k[1, 8](np.ones(8, np.float32), np.zeros(8, np.float32))
        """,
    ),
    "device_array taken for zeros": (
        "uninitialized",
        """
        @cuda.jit
        def k(a, out):
            i = cuda.grid(1)
            out[i] += a[i]  #!
        k[1, 8](np.ones(8), cuda.device_array(8))
        """,
    ),
    "an accumulator in a local array": (
        "uninitialized",
        """
        @cuda.jit
        def k(a, out):
            sums = cuda.local.array(2, np.float64)
            sums[0] = 0
            for j in range(4):
                sums[j % 2] += a[j]  #!
            out[0] = sums[0] + sums[1]
        k[1, 1](np.ones(4), np.zeros(1))
        """,
    ),
    "barrier in a branch": (
        "divergent-barrier",
        """
        @cuda.jit
        def k(out):
            tile = cuda.shared.array(64, np.float32)
            i = cuda.threadIdx.x
            if i < 40:
                tile[i] = i
                cuda.syncthreads()  #!
            out[i] = i
        k[1, 64](np.zeros(64))
        """,
    ),
    "return before the barrier": (
        "divergent-barrier",
        """
        @cuda.jit
        def k(a, out):
            tile = cuda.shared.array(8, np.float32)
            i = cuda.grid(1)
            if i >= a.size:
                return
            tile[cuda.threadIdx.x] = a[i]
            cuda.syncthreads()  #!
            out[i] = tile[0]
        k[2, 8](np.zeros(13), np.zeros(13))
        """,
    ),
    "two barriers for one": (
        "divergent-barrier",
        """
        @cuda.jit
        def k(out):
            i = cuda.threadIdx.x
            if i % 2 == 0:
                out[i] = 1
                cuda.syncthreads()  #!
            else:
                out[i] = 2
                cuda.syncthreads()
        k[1, 8](np.zeros(8))
        """,
    ),
    "a loop with another number of turns": (
        "divergent-barrier",
        """
        @cuda.jit
        def k(out):
            i = cuda.threadIdx.x
            for _ in range(i % 2 + 1):
                out[i] += 1
                cuda.syncthreads()  #!
        k[1, 4](np.zeros(4))
        """,
    ),
    "a block does not come to the grid's barrier": (
        "divergent-barrier",
        """
        @cuda.jit
        def k(out):
            b = cuda.blockIdx.x
            if b > 0:
                out[b] = 1
                cuda.cg.this_grid().sync()  #!
        k[3, 1](np.zeros(3))
        """,
    ),
    "no barrier after loading the tile": (
        "shared-race",
        """
        @cuda.jit
        def k(a, out):
            tile = cuda.shared.array(64, np.float32)
            i = cuda.threadIdx.x
            tile[i] = a[i]  #2
            out[i] = tile[63 - i]  #!
        k[1, 64](np.ones(64), np.zeros(64))
        """,
    ),
    "no barrier before the tile is loaded again": (
        "shared-race",
        """
        @cuda.jit
        def k(a, out):
            tile = cuda.shared.array(64, np.float32)
            i = cuda.threadIdx.x
            total = 0.0
            for step in range(2):
                tile[i] = a[step, i]  #!
                cuda.syncthreads()
                for j in range(64):
                    total += tile[j]  #2
            out[i] = total
        k[1, 64](np.ones((2, 64)), np.zeros(64))
        """,
    ),
    "a reduction with no barrier in its loop": (
        "shared-race",
        """
        @cuda.jit
        def k(a, out):
            s = cuda.shared.array(128, np.float32)
            i = cuda.threadIdx.x
            s[i] = a[i]
            cuda.syncthreads()
            half = 64
            while half > 0:
                if i < half:
                    s[i] += s[i + half]  #! #2
                half //= 2
            if i == 0:
                out[0] = s[0]
        k[1, 128](np.ones(128), np.zeros(1))
        """,
    ),
    "all add up in one place": (
        "shared-race",
        """
        @cuda.jit
        def k(a, out):
            s = cuda.shared.array(1, np.float32)
            i = cuda.threadIdx.x
            if i == 0:
                s[0] = 0
            cuda.syncthreads()
            if i % 32 == 0:
                s[0] = s[0] + a[i]  #! #2
            cuda.syncthreads()
            if i == 0:
                out[0] = s[0]
        k[1, 96](np.ones(96), np.zeros(1))
        """,
    ),
    "blocks add up with no atomics": (
        "global-race",
        """
        @cuda.jit
        def k(out):
            out[0] += 1  #! #2
        k[3, 1](np.zeros(1))
        """,
    ),
    "a neighbor block's element": (
        "global-race",
        """
        @cuda.jit
        def k(a):
            i = cuda.grid(1)
            a[i] = a[(i + 4) % a.size] + 1  #! #2
        k[4, 4](np.zeros(16))
        """,
    ),
    "a scan in place over global memory": (
        "global-race",
        """
        @cuda.jit
        def k(a):
            i = cuda.threadIdx.x
            left = a[i - 32] if i >= 32 else 0  #2
            a[i] += left  #!
        k[1, 96](np.ones(96))
        """,
    ),
    "the last block reads without a fence": (
        "global-race",
        """
        @cuda.jit
        def k(partial, count, out):
            b = cuda.blockIdx.x
            partial[b] = b + 1  #2
            if cuda.atomic.add(count, 0, 1) == cuda.gridDim.x - 1:
                total = 0
                for j in range(cuda.gridDim.x):
                    total += partial[j]  #!
                out[0] = total
        k[3, 1](np.zeros(3, np.int64), np.zeros(1, np.int32), np.zeros(1, np.int64))
        """,
    ),
    "a flag without atomics": (
        "global-race",
        """
        @cuda.jit
        def k(flag, out):
            if cuda.blockIdx.x == 0:
                flag[0] = 1  #2
            else:
                out[0] = flag[0]  #!
        k[2, 1](np.zeros(1, np.int32), np.zeros(1, np.int32))
        """,
    ),
    "a warp's reduction without syncwarp": (
        "missing-syncwarp",
        """
        @cuda.jit
        def k(a, out):
            s = cuda.shared.array(32, np.float32)
            i = cuda.threadIdx.x
            s[i] = a[i]
            cuda.syncwarp()
            half = 16
            while half > 0:
                if i < half:
                    s[i] += s[i + half]  #! #2
                half //= 2
            if i == 0:
                out[0] = s[0]
        k[1, 32](np.ones(32), np.zeros(1))
        """,
    ),
    "a shuffle is no memory barrier": (
        "missing-syncwarp",
        """
        @cuda.jit
        def k(out):
            s = cuda.shared.array(32, np.int32)
            i = cuda.threadIdx.x
            s[i] = i  #2
            v = cuda.shfl_xor_sync(0xffffffff, i, 1)
            out[i] = s[31 - i] + v  #!
        k[1, 32](np.zeros(32, np.int32))
        """,
    ),
    "syncwarp of the wrong half": (
        "missing-syncwarp",
        """
        @cuda.jit
        def k(out):
            s = cuda.shared.array(32, np.int32)
            i = cuda.threadIdx.x
            s[i] = i  #2
            if i < 16:
                cuda.syncwarp(0x0000ffff)
            else:
                cuda.syncwarp(0xffff0000)
            out[i] = s[31 - i]  #!
        k[1, 32](np.zeros(32, np.int32))
        """,
    ),
    "the mask names lanes that went elsewhere": (
        "warp-mask",
        """
        @cuda.jit
        def k(out):
            i = cuda.threadIdx.x
            v = i
            if i < 16:
                v += cuda.shfl_down_sync(0xffffffff, v, 8)  #!
            cuda.syncthreads()  #2
            out[i] = v
        k[1, 32](np.zeros(32, np.int32))
        """,
    ),
    "the mask leaves out the caller": (
        "warp-mask",
        """
        @cuda.jit
        def k(out):
            i = cuda.threadIdx.x
            out[i] = cuda.ballot_sync(0x0000ffff, i > 3)  #!
        k[1, 32](np.zeros(32, np.int32))
        """,
    ),
    "a sum over lanes that are not there": (
        "warp-mask",
        """
        @cuda.jit
        def k(a, out):
            i = cuda.threadIdx.x
            v = a[i]
            delta = 16
            while delta > 0:
                v += cuda.shfl_down_sync(0xffffffff, v, delta)  #!
                delta //= 2
            if i == 0:
                out[0] = v
        k[1, 20](np.ones(20), np.zeros(1))
        """,
    ),
    "a broadcast from a lane outside of the mask": (
        "warp-mask",
        """
        @cuda.jit
        def k(a, out):
            i = cuda.threadIdx.x
            if i < 16:
                out[i] = cuda.shfl_sync(0xffff, a[i], 20)  #!
        k[1, 32](np.arange(32), np.zeros(32))
        """,
    ),
    "a butterfly over 20 lanes": (
        "warp-mask",
        """
        @cuda.jit
        def k(a, out):
            i = cuda.threadIdx.x
            if i < 20:
                v = a[i]
                for step in (1, 2, 4, 8, 16):
                    v += cuda.shfl_xor_sync(0xfffff, v, step)  #!
                out[i] = v
        k[1, 32](np.arange(32, dtype=np.int32), np.zeros(32, np.int32))
        """,
    ),
    "a sum whose step is half of too much": (
        "warp-mask",
        """
        @cuda.jit
        def k(a, out):
            i = cuda.threadIdx.x
            if i < 20:
                v = a[i]
                step = 16
                while step > 0:
                    v += cuda.shfl_down_sync(0xfffff, v, step)  #!
                    step //= 2
                if i == 0:
                    out[0] = v
        k[1, 32](np.arange(32, dtype=np.int32), np.zeros(1, np.int32))
        """,
    ),
    "a running sum whose first lanes take from outside": (
        "warp-mask",
        """
        @cuda.jit
        def k(a, out):
            i = cuda.threadIdx.x
            if i >= 8:
                v = a[i]
                for step in (1, 2, 4, 8, 16):
                    v += cuda.shfl_up_sync(0xffffff00, v, step)  #!
                out[i] = v
        k[1, 32](np.arange(32, dtype=np.float32), np.zeros(32, np.float32))
        """,
    ),
    "two masks for one operation": (
        "warp-mask",
        """
        @cuda.jit
        def k(out):
            i = cuda.threadIdx.x
            mask = 0xffffffff if i < 31 else 0xfffffffe
            out[i] = cuda.any_sync(mask, i > 3)  #! #2
        k[1, 32](np.zeros(32, np.int32))
        """,
    ),
    "no dynamic shared memory at the launch": (
        "dynamic-shared",
        """
        @cuda.jit
        def k(out):
            tile = cuda.shared.array(0, np.float32)
            i = cuda.threadIdx.x
            tile[i] = i  #!
            cuda.syncthreads()
            out[i] = tile[i]
        k[1, 8](np.zeros(8))
        """,
    ),
    "elements taken for bytes": (
        "dynamic-shared",
        """
        @cuda.jit
        def k(out):
            tile = cuda.shared.array(0, np.float32)
            i = cuda.threadIdx.x
            tile[i] = i  #!
            cuda.syncthreads()
            out[i] = tile[i]
        k[1, 8, 0, 8](np.zeros(8))
        """,
    ),
    "too many threads in a block": (
        "launch-limit",
        """
        @cuda.jit
        def k(out):
            out[0] = 1
        k[1, (64, 32)](np.zeros(1))  #!
        """,
    ),
    "too much shared memory": (
        "launch-limit",
        """
        @cuda.jit
        def k(out):  #!
            tile = cuda.shared.array((128, 128), np.float32)
            tile[0, 0] = 1
            out[0] = tile[0, 0]
        k[1, 1](np.zeros(1))
        """,
    ),
    "a cooperative grid that does not fit": (
        "launch-limit",
        """
        @cuda.jit
        def k(out):
            cuda.cg.this_grid().sync()
            out[0] = 1
        k[1000, 512](np.zeros(1))  #!
        """,
    ),
    "too many threads along x": (
        "launch-limit",
        """
        @cuda.jit
        def k(out):
            out[0] = 1
        k[1, 2048](np.zeros(1))  #!
        """,
    ),
    "too much constant memory": (
        "launch-limit",
        """
        ONE, TWO = np.zeros(8192), np.zeros(1, np.int8)
        @cuda.jit
        def k(out):
            one = cuda.const.array_like(ONE)
            two = cuda.const.array_like(TWO)  #!
            out[0] = one[0] + two[0]
        k[1, 1](np.zeros(1))
        """,
    ),
    "a barrier in two calls of one function": (
        "divergent-barrier",
        """
        @cuda.jit(device=True)
        def wait():
            cuda.syncthreads()  #! #2
        @cuda.jit
        def k(out):
            if cuda.threadIdx.x < 32:
                wait()
            else:
                wait()
            out[0] = 1
        k[1, 64](np.zeros(1))
        """,
    ),
    "a constant array is written": (
        "read-only",
        """
        TABLE = np.zeros(4)
        @cuda.jit
        def k(out):
            TABLE[0] = 1  #!
            out[0] = TABLE[0]
        k[1, 1](np.zeros(1))
        """,
    ),
    "a variable that only one path sets": (
        "error",
        """
        @cuda.jit
        def k(out):
            i = cuda.grid(1)
            if i > 0:
                x = 1
            out[i] = x  #!
        k[1, 2](np.zeros(2))
        """,
    ),
    "an endless loop": (
        "endless",
        """
        @cuda.jit
        def k(out):
            n = 10
            while n != 0:  #!
                n -= 3
            out[0] = n
        k[1, 1](np.zeros(1))
        """,
    ),
}

RIGHT = {
    "guard": """
        @cuda.jit
        def k(a, out):
            i = cuda.grid(1)
            if i < out.size:
                out[i] = 2 * a[i]
        k[3, 4](np.zeros(10, np.float32), cuda.device_array(10))
        """,
    "grid stride": """
        @cuda.jit
        def k(out):
            for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
                out[i] += i
        k[3, 32](np.zeros(1000))
        """,
    "reduction in a block": """
        @cuda.jit
        def k(a, out):
            s = cuda.shared.array(128, np.float32)
            i = cuda.threadIdx.x
            s[i] = a[i]
            cuda.syncthreads()
            half = 64
            while half > 0:
                if i < half:
                    s[i] += s[i + half]
                cuda.syncthreads()
                half //= 2
            if i == 0:
                out[0] = s[0]
        k[1, 128](np.ones(128), np.zeros(1))
        """,
    "reduction in a warp": """
        @cuda.jit
        def k(a, out):
            s = cuda.shared.array(32, np.float32)
            i = cuda.threadIdx.x
            s[i] = a[i]
            cuda.syncwarp()
            half = 16
            while half > 0:
                v = s[i + half] if i < half else 0
                cuda.syncwarp()
                if i < half:
                    s[i] += v
                cuda.syncwarp()
                half //= 2
            if i == 0:
                out[0] = s[0]
        k[1, 32](np.ones(32), np.zeros(1))
        """,
    "halves of a warp on their own": """
        @cuda.jit
        def k(out):
            s = cuda.shared.array(32, np.int32)
            i = cuda.threadIdx.x
            s[i] = i
            if i < 16:
                cuda.syncwarp(0x0000ffff)
                out[i] = s[15 - i]
            else:
                cuda.syncwarp(0xffff0000)
                out[i] = s[47 - i]
        k[1, 32](np.zeros(32, np.int32))
        """,
    "shuffles in half a warp": """
        @cuda.jit
        def k(out):
            i = cuda.threadIdx.x
            v = i
            if i < 16:
                for delta in (8, 4, 2, 1):
                    v += cuda.shfl_xor_sync(0xffff, v, delta)
            out[i] = v
        k[1, 32](np.zeros(32, np.int32))
        """,
    "all write the same flag": """
        @cuda.jit
        def k(a, found):
            i = cuda.grid(1)
            if a[i] > 5:
                found[0] = 1
        k[4, 32](np.arange(128), np.zeros(1))
        """,
    "double buffered scan": """
        @cuda.jit
        def k(a, out):
            buffers = cuda.shared.array((2, 64), np.int32)
            i = cuda.threadIdx.x
            buffers[0, i] = a[i]
            cuda.syncthreads()
            source, step = 0, 1
            while step < 64:
                v = buffers[source, i]
                if i >= step:
                    v += buffers[source, i - step]
                buffers[1 - source, i] = v
                cuda.syncthreads()
                source = 1 - source
                step *= 2
            out[i] = buffers[source, i]
        k[1, 64](np.ones(64, np.int32), np.zeros(64))
        """,
    "two buffers that change places": """
        @cuda.jit
        def k(a, out):
            one, two = cuda.shared.array(64, np.int32), cuda.shared.array(64, np.int32)
            i = cuda.threadIdx.x
            one[i] = a[i]
            for _ in range(4):
                cuda.syncthreads()
                two[i] = one[(i + 1) % 64]
                one, two = two, one
            out[i] = one[i]
        k[1, 64](np.arange(64), np.zeros(64))
        """,
    "histogram with atomics": """
        @cuda.jit
        def k(x, out):
            bins = cuda.shared.array(8, np.int32)
            i = cuda.threadIdx.x
            if i < 8:
                bins[i] = 0
            cuda.syncthreads()
            cuda.atomic.add(bins, x[cuda.grid(1)], 1)
            cuda.syncthreads()
            if i < 8:
                cuda.atomic.add(out, i, bins[i])
        k[3, 32](np.arange(96, dtype=np.int32) % 8, np.zeros(8, np.int32))
        """,
    "the last block": """
        @cuda.jit
        def k(partial, count, out):
            b = cuda.blockIdx.x
            partial[b] = b + 1
            cuda.threadfence()
            if cuda.atomic.add(count, 0, 1) == cuda.gridDim.x - 1:
                total = 0
                for j in range(cuda.gridDim.x):
                    total += partial[j]
                out[0] = total
        k[3, 1](np.zeros(3, np.int64), np.zeros(1, np.int32), np.zeros(1, np.int64))
        """,
    "neighbors across a grid barrier": """
        @cuda.jit
        def k(a, b):
            i = cuda.grid(1)
            g = cuda.cg.this_grid()
            for _ in range(3):
                b[i] = a[(i + 4) % a.size] + 1
                g.sync()
                a[i] = b[(i + 5) % a.size]
                g.sync()
        k[4, 4](np.zeros(16), np.zeros(16))
        """,
    "return together before the barrier": """
        @cuda.jit
        def k(a):
            if cuda.blockIdx.x >= 2:
                return
            s = cuda.shared.array(4, np.float32)
            i = cuda.threadIdx.x
            s[i] = i
            cuda.syncthreads()
            a[cuda.grid(1)] = s[3 - i]
        k[3, 4](np.zeros(8))
        """,
    "dynamic shared memory that is enough": """
        @cuda.jit
        def k(out):
            tile = cuda.shared.array(0, np.float32)
            i = cuda.threadIdx.x
            tile[i] = i
            cuda.syncthreads()
            out[i] = tile[7 - i]
        k[1, 8, 0, 32](np.zeros(8))
        """,
    "constant memory that is just enough": """
        ONE = np.zeros(8192)
        @cuda.jit
        def k(out):
            one = cuda.const.array_like(ONE)
            out[0] = one[0] + ONE[1]
        k[1, 1](np.zeros(1))
        """,
    "the last element from the end": """
        @cuda.jit
        def k(a, out):
            out[0] = a[-1]
        k[1, 1](np.ones(4), np.zeros(1))
        """,
    "partly written, read where it is written": """
        @cuda.jit
        def k(d, out):
            i = cuda.grid(1)
            if i % 2:
                d[i] = i
                out[i] = d[i]
        k[1, 8](cuda.device_array(8), np.zeros(8))
        """,
    "a second launch sees what the first wrote": """
        d = cuda.device_array(8)
        @cuda.jit
        def k(d):
            i = cuda.grid(1)
            d[i] = i
        @cuda.jit
        def m(d, out):
            i = cuda.grid(1)
            out[i] = d[7 - i]
        k[2, 4](d)
        m[2, 4](d, np.zeros(8))
        """,
}


def check(script, seed=None, mode="check"):
    source = HEAD + textwrap.dedent(script).lstrip()
    return source, run_script(source, mode=mode, seed=seed, max_steps=200_000)


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("seed", [None, 11])
def test_a_planted_fault_is_found_at_its_line(name, seed):
    kind, script = FAULTS[name]
    source, result = check(script, seed)
    lines = source.splitlines()
    here = {n for n, line in enumerate(lines, 1) if "#!" in line}
    there = {n for n, line in enumerate(lines, 1) if "#2" in line}
    found = [f for f in result.findings if f.kind == kind]
    assert found, [str(f) for f in result.findings] or result.message
    finding = found[0]
    if seed is None or not there:
        assert finding.line in here, finding
    else:  # in another order, either party may come second
        assert finding.line in here | there, finding
    if there and seed is None:
        assert finding.other_line in there, finding
    others = {f.kind for f in result.findings} - {kind}
    assert not others, [str(f) for f in result.findings]
    # A sentence for a newcomer: whose thread it was, and no more lines than needed.
    assert finding.message.endswith(".") and "\n" not in finding.message
    if kind not in ("launch-limit", "read-only", "endless", "error", "divergent-barrier"):
        assert finding.thread is not None and finding.block is not None
        assert "thread" in finding.message or "lane" in finding.message


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("seed", [None, 1, 2])
@pytest.mark.parametrize("mode", ["check", "run"])
def test_a_right_kernel_has_no_findings(name, seed, mode):
    _, result = check(RIGHT[name], seed, mode)
    assert result.error is None, result.message
    assert not result.findings, [str(f) for f in result.findings]


def test_every_kind_of_finding_is_planted():
    # What depends on the order alone is planted in test_stepper_explore.py.
    # A note is no fault: test_stepper_planted.py has those.
    noted = {"order-dependent", "same-value"}
    assert {kind for kind, _ in FAULTS.values()} == set(KINDS) - noted
    assert len(FAULTS) >= 25


def test_the_thread_and_the_block_are_named():
    _, result = check(FAULTS["no guard"][1])
    (finding,) = result.findings
    assert finding.block == (2, 0, 0) and finding.thread == (2, 0, 0)
    assert "thread 2 of block 2" in finding.message and "`a`" in finding.message
    assert "10 elements" in finding.message and finding.array == "a"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("no guard", "there are 10 elements (0 to 9)"),
        ("x and y mixed up", "there are 3 elements along axis 0 (0 to 2)"),
        (
            "too many threads along x",
            "The launch asks for 2048 threads along x, where a block can have at most 1024: use "
            "more blocks.",
        ),
        ("a barrier in two calls of one function", "in another call of the same line."),
        ("too much constant memory", "with `TWO` the kernel has 65537 bytes"),
    ],
)
def test_what_a_finding_says(name, said):
    _, result = check(FAULTS[name][1])
    assert said in result.findings[0].message


def test_plain_runs_stop_at_what_they_cannot_do_right():
    """Without checks: outside an array, and barriers and masks that can never be completed."""
    for name in ("no guard", "barrier in a branch", "the mask leaves out the caller"):
        kind, script = FAULTS[name]
        _, result = check(script, mode="run")
        assert result.error is not None and result.findings[0].kind == kind


def test_a_kernel_that_is_right_by_luck_is_wrong_in_another_order():
    script = HEAD + textwrap.dedent("""
    @cuda.jit
    def k(a, out):
        s = cuda.shared.array(64, np.float32)
        i = cuda.threadIdx.x
        s[i] = a[i]
        out[i] = s[i - 1] if i > 0 else 0
    out = np.zeros(64)
    k[1, 64](np.arange(64), out)
    """)
    right = [0, *range(63)]
    assert run_script(script).namespace["out"].tolist() == right
    for seed in (1, 2, 3):
        assert run_script(script, seed=seed).namespace["out"].tolist() != right


def test_findings_are_raised_when_asked_for():
    from simulator.stepper import KernelFault

    _, result = check(FAULTS["device_array taken for zeros"][1])
    assert result.error is None and result.findings
    source = HEAD + textwrap.dedent(FAULTS["device_array taken for zeros"][1]).lstrip()
    result = run_script(source, mode="check", raise_findings=True)
    assert isinstance(result.error, KernelFault) and result.line == 6
