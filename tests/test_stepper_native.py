"""Long launches in mode "run" are compiled by Numba: results and findings are the stepper's own."""

import os
import subprocess
import sys

from tests.pages import ROOT

KERNELS = """
import math
import numpy as np
from numba import cuda, float32, int32, vectorize
from numba.cuda.random import create_xoroshiro128p_states, xoroshiro128p_uniform_float32

TABLE = np.array([3, 1, 2], np.int32)

@cuda.jit(device=True)
def bend(x, y, more=2):
    if x > y:
        return x * y
    return math.exp(-x) + y + more

@cuda.jit("int32(int32, int32)", device=True)
def larger(a, b):
    return a if a > b else b

@cuda.jit
def sums(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        s = float32(0)
        for j in range(8):
            s += a[(i + j) % a.size] * b[i]
        out[i] = bend(s, b[i]) + larger(i, 3) + TABLE[i % 3]

@cuda.jit
def atomics(a, counts):
    x, y = cuda.grid(2)
    if x < a.shape[1] and y < a.shape[0]:
        t = cuda.local.array(3, float32)
        for q in range(3):
            t[q] = a[y, x] * q
        old = cuda.atomic.add(counts, y % 8, 1)
        cuda.atomic.max(counts, 8, old)
        cuda.atomic.sub(counts, 9, x)
        cuda.atomic.xor(counts, 10, x * y)
        cuda.atomic.cas(counts, 11, 0, y + 1)
        a[y, x] += min(max(t[0], t[1]), 3.5) + cuda.threadIdx.y - cuda.blockDim.x * cuda.gridDim.y

@cuda.jit("void(int32[:,:], int32)")
def mandelbrot(out, most):
    x, y = cuda.grid(2)
    if x < out.shape[1] and y < out.shape[0]:
        cr = x / out.shape[1] * 3 - 2
        ci = y / out.shape[0] * 2 - 1
        zr = zi = 0.0
        n = 0
        while n < most and zr * zr + zi * zi < 4:
            zr, zi = zr * zr - zi * zi + cr, 2 * zr * zi + ci
            n += 1
        out[y, x] = n

@cuda.jit
def random(states, out):
    for k in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[k] = xoroshiro128p_uniform_float32(states, cuda.grid(1))

@vectorize(["float64(float32, int64)"], target="cuda")
def scaled(x, k):
    return math.sqrt(abs(x)) * k

@cuda.jit
def rounded(a, out):  # a float that becomes an integer is left to the stepper
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] * 1e12

@cuda.jit
def outside(a, out):
    i = cuda.grid(1)
    out[0] += 1
    if i < out.size:
        out[i] = a[i]

@cuda.jit
def endless(out):
    i = cuda.grid(1)
    while out[i] < 1:
        out[i] -= 1

r = np.random.default_rng(0)
a, b = r.random((2, 6000), dtype=np.float32)
matrix = r.random((60, 40))
"""

RUN = """
import sys
import stepper
import numpy as np
stepper.runtime.LONG = 50

def run(fast):
    made = stepper.install(mode="run", fast=fast, raise_findings=False, max_steps=200_000_000)
    space = {"__name__": "kernels"}
    exec(compile(open("kernels.py").read(), "kernels.py", "exec"), space)
    k, cuda = space, space["cuda"]
    found = [np.zeros(6000), k["matrix"].copy(), np.zeros(12, np.int64)]
    k["sums"][24, 256](k["a"], k["b"], found[0])
    k["atomics"][(5, 8), (8, 8)](found[1], found[2])
    found.append(np.zeros((60, 50), np.int32))
    k["mandelbrot"][(7, 8), (8, 8)](found[3], 40)
    states = k["create_xoroshiro128p_states"](128, 7)
    found.append(np.zeros(6000, np.float32))
    k["random"][4, 32](states, found[4])
    found.append(k["scaled"](k["a"], np.arange(6000)))
    found.append(np.zeros(6000, np.int32))
    k["rounded"][24, 256](k["a"], found[6])
    found.append(np.zeros(6000))
    try:
        k["outside"][24, 256](k["a"][:5000], found[7])
    except Exception as error:
        found.append(str(error))
    native = {n: type(p.native).__name__ for n in k if isinstance(k[n], stepper.host.Kernel)
              for p in k[n].programs.values()}
    if fast:
        try:
            made.settings.max_steps = 100_000
            k["endless"][64, 64](np.zeros(4096))
        except Exception as error:
            print("endless:", error)
    return found, native

fast, native = run(True)
slow, _ = run(False)
print(native)
for k, (x, y) in enumerate(zip(fast, slow, strict=True)):
    same = x == y if isinstance(x, str) else np.array_equal(x, y, equal_nan=True)
    assert same, (k, x, y)
assert "line 75" in fast[8] and "thread 136 of block 19" in fast[8], fast[8]
"""


def test_compiled_launches_are_the_steppers_to_the_bit(tmp_path):
    (tmp_path / "stepper").symlink_to(ROOT / "simulator/stepper")
    (tmp_path / "kernels.py").write_text(KERNELS, encoding="utf-8")
    (tmp_path / "run.py").write_text(RUN, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "run.py"], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("sums", "atomics", "mandelbrot", "random"):
        assert f"'{name}': 'Native'" in done.stdout, done.stdout
    # What is left to the stepper, and what it had to say which thread of.
    for name in ("rounded", "outside"):
        assert f"'{name}': 'NoneType'" in done.stdout, done.stdout
    assert "endless: " in done.stdout and "was in the loop at line 80" in done.stdout
