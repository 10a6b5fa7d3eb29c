"""Kernels written at random, each from its seed: those that records of a GPU and a browser hold.

``wgsl_generated`` writes more kinds (shuffles, votes, float16, arrays of two dimensions), which the
suite runs. When a GPU has run those, the records can count them, and this file can go.
"""

import random

from tests import wgsl_generated

LAUNCH = 2, 32


class Kernel(wgsl_generated.Kernel):
    """One kernel, drawn from a seed: without what records do not hold yet."""

    kinds = 12

    def __init__(self, seed):
        self.random, self.lines = random.Random(seed), []
        self.atomic = self.pick("add", "max", "min", "xor", "and_", "or_")

    def quotients(self, one, two):
        return ()

    def source(self, name):
        r = self.random
        self.lines = []
        waits = r.random() < 0.5
        if waits:
            self.lines += [
                "    tile = cuda.shared.array(32, np.int32)",
                "    t = cuda.threadIdx.x",
                "    tile[t] = a[i] if i < a.size else -1",
                "    cuda.syncthreads()",
            ]
        self.lines += ["    if i < a.size:", "        j = (i * 3 + 1) % a.size",
                       "        p, f = np.int32(i), np.float32(1)", "        q = np.uint32(7)",
                       "        s = np.int32(0)"]  # fmt: skip
        if waits:
            self.lines.append("        p += tile[31 - t]")
        self.block(3, 2)
        self.lines += ["        out[i] += p + s", "        uout[i] = q", "        fout[i] += f"]
        if waits and r.random() < 0.6:
            self.lines += [
                "    cuda.syncthreads()",
                "    step = 16",
                "    while step > 0:",
                "        if t < step:",
                "            tile[t] += tile[t + step]",
                "        cuda.syncthreads()",
                "        step //= 2",
                "    if t == 0:",
                "        cuda.atomic.add(hist, 8, tile[0])",
            ]
        head = (
            f"@cuda.jit\ndef {name}(a, b, u, x, n, out, uout, fout, hist):\n    i = cuda.grid(1)\n"
        )
        return head + "\n".join(self.lines) + "\n"


def program(seeds):
    """(source, names) of kernels, one for each seed."""
    names = [f"k{seed}" for seed in seeds]
    parts = [Kernel(seed).source(name) for seed, name in zip(seeds, names, strict=True)]
    return wgsl_generated.HEAD + "\n\n".join(parts), names


def arguments(seed):
    a, b, u, x, n, _, out, uout, fout, _, hist = wgsl_generated.arguments(seed)
    return [a, b, u, x, n, out, uout, fout, hist]
