"""How fast the stepper is beside Numba's simulator: ``python -m simulator.speed`` prints the table.

Ten kernels of the usual kinds, each written for this, six more with a race that the checks have to
explain, and three whose few threads are each busy for long, which gains least. Each simulator runs
in a process of its own; the CPU time of the best of three to forty launches counts, compilation in
none.
"""

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SCRIPT = """
import math
import numpy as np
from numba import cuda, float32

F = np.float32

@cuda.jit
def add(a, b, out):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]

@cuda.jit
def saxpy(alpha, x, y):
    for i in range(cuda.grid(1), x.size, cuda.gridsize(1)):
        y[i] = alpha * x[i] + y[i]

@cuda.jit
def matmul(a, b, c):
    x, y = cuda.grid(2)
    if x < c.shape[1] and y < c.shape[0]:
        total = float32(0)
        for k in range(a.shape[1]):
            total += a[y, k] * b[k, x]
        c[y, x] = total

@cuda.jit
def tiled(a, b, c):
    s = cuda.shared.array((8, 8), float32)
    t = cuda.shared.array((8, 8), float32)
    x, y = cuda.grid(2)
    i, j = cuda.threadIdx.x, cuda.threadIdx.y
    total = float32(0)
    for k in range(0, a.shape[1], 8):
        s[j, i] = a[y, k + i]
        t[j, i] = b[k + j, x]
        cuda.syncthreads()
        for n in range(8):
            total += s[j, n] * t[n, i]
        cuda.syncthreads()
    c[y, x] = total

@cuda.jit
def reduce(a, out):
    s = cuda.shared.array(64, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = a[i] if i < a.size else float32(0)
    cuda.syncthreads()
    half = 32
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        cuda.atomic.add(out, 0, s[0])

@cuda.jit
def histogram(values, counts):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(counts, values[i], 1)

@cuda.jit
def transpose(a, out):
    tile = cuda.shared.array((16, 17), float32)
    x, y = cuda.grid(2)
    tile[cuda.threadIdx.y, cuda.threadIdx.x] = a[y, x]
    cuda.syncthreads()
    x = cuda.blockIdx.y * 16 + cuda.threadIdx.x
    y = cuda.blockIdx.x * 16 + cuda.threadIdx.y
    out[y, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y]

@cuda.jit
def stencil(a, out):
    x, y = cuda.grid(2)
    if 0 < x < a.shape[1] - 1 and 0 < y < a.shape[0] - 1:
        out[y, x] = F(0.25) * (a[y - 1, x] + a[y + 1, x] + a[y, x - 1] + a[y, x + 1])

@cuda.jit
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
def nbody(position, force):
    i = cuda.grid(1)
    if i < position.shape[0]:
        fx = float32(0)
        fy = float32(0)
        for j in range(position.shape[0]):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            r = dx * dx + dy * dy + float32(0.01)
            w = float32(1) / (r * math.sqrt(r))
            fx += dx * w
            fy += dy * w
        force[i, 0] = fx
        force[i, 1] = fy

@cuda.jit
def nbody_in_place(position):
    i = cuda.grid(1)
    if i < position.shape[0]:
        fx = float32(0)
        fy = float32(0)
        for j in range(position.shape[0]):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            r = dx * dx + dy * dy + float32(0.01)
            w = float32(1) / (r * math.sqrt(r))
            fx += dx * w
            fy += dy * w
        position[i, 0] += fx * float32(0.01)
        position[i, 1] += fy * float32(0.01)

@cuda.jit
def histogram_lost(values, counts):
    i = cuda.grid(1)
    if i < values.size:
        counts[values[i]] += 1

@cuda.jit
def transpose_no_barrier(a, out):
    tile = cuda.shared.array((16, 17), float32)
    x, y = cuda.grid(2)
    tile[cuda.threadIdx.y, cuda.threadIdx.x] = a[y, x]
    x = cuda.blockIdx.y * 16 + cuda.threadIdx.x
    y = cuda.blockIdx.x * 16 + cuda.threadIdx.y
    out[y, x] = tile[cuda.threadIdx.x, cuda.threadIdx.y]

@cuda.jit
def last_above(x, found):
    i = cuda.grid(1)
    for k in range(40):
        if x[(i + k) % x.size] > float32(0.9):
            found[0] = i

@cuda.jit
def count_until(x, found):
    i = cuda.grid(1)
    n = 0
    for k in range(40):
        if found[0] == 0:
            n += 1
        if x[(i + k) % x.size] > float32(0.9):
            found[0] = 1
    x[i] = n

@cuda.jit
def spread_labels(start, edges, label, changed):
    v = cuda.grid(1)
    if v < label.size:
        best = label[v]
        for e in range(start[v], start[v + 1]):
            other = label[edges[e]]
            if other < best:
                best = other
        if best < label[v]:
            label[v] = best
            changed[0] = 1

@cuda.jit
def sieve(composite):
    i = cuda.grid(1) + 2
    for k in range(i * i, composite.size, i):
        composite[k] = 1

@cuda.jit
def recurrence(x, y):
    if cuda.grid(1) == 0:
        for i in range(1, x.size):
            y[i] = y[i - 1] * float32(0.5) + x[i]

@cuda.jit
def insertion_sort(a, width):
    first = cuda.grid(1) * width
    for i in range(first + 1, first + width):
        value = a[i]
        j = i - 1
        while j >= first and a[j] > value:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = value

r = np.random.default_rng(0)
f = lambda *s: r.random(s, dtype=np.float32)
LAUNCHES = {
    "vector add": (add, (16, 128), [f(2000), f(2000), f(2000)]),
    "saxpy, grid stride": (saxpy, (4, 64), [F(2), f(2000), f(2000)]),
    "matmul, naive": (matmul, ((4, 4), (8, 8)), [f(32, 32), f(32, 32), f(32, 32)]),
    "matmul, tiled": (tiled, ((3, 3), (8, 8)), [f(24, 24), f(24, 24), f(24, 24)]),
    "reduction": (reduce, (16, 64), [f(1000), np.zeros(1, F)]),
    "histogram": (histogram, (16, 128), [r.integers(0, 64, 2000), np.zeros(64, np.int32)]),
    "transpose, tiled": (transpose, ((2, 2), (16, 16)), [f(32, 32), f(32, 32)]),
    "stencil": (stencil, ((6, 6), (8, 8)), [f(48, 48), f(48, 48)]),
    "mandelbrot": (mandelbrot, ((4, 4), (8, 8)), [np.zeros((32, 32), np.int32), 50]),
    "n-body": (nbody, (2, 64), [f(128, 2), f(128, 2)]),
}
RACING = {
    "n-body in place": (nbody_in_place, (2, 64), [f(128, 2)]),
    "histogram, plain sums": (
        histogram_lost, (16, 128), [r.integers(0, 64, 2000), np.zeros(64, np.int32)]
    ),
    "transpose, no barrier": (transpose_no_barrier, ((2, 2), (16, 16)), [f(32, 32), f(32, 32)]),
    "a flag that all set": (last_above, (4, 64), [f(256), np.zeros(1, np.int32)]),
    "a flag that all read": (count_until, (4, 64), [f(256), np.zeros(1, np.int32)]),
    "labels spread in place": (
        spread_labels, (8, 128),
        [np.arange(1025) * 6, r.integers(0, 1024, 6144), np.arange(1024), np.zeros(1, np.int32)],
    ),
}
BUSY = {
    "sieve, 43 busy threads": (sieve, (1, 64), [np.zeros(2000, np.int32)]),
    "recurrence, one busy thread": (recurrence, (1, 32), [f(3000), f(3000)]),
    "insertion sort, 16 each": (insertion_sort, (2, 32), [f(1024), 16]),
}
"""
RACING = ("n-body in place", "histogram, plain sums", "transpose, no barrier")
RACING += ("a flag that all set", "a flag that all read", "labels spread in place")
BUSY = ("sieve, 43 busy threads", "recurrence, one busy thread", "insertion sort, 16 each")


def measure():
    """Seconds of each launch: the best of three to forty after one to compile, in this process."""
    namespace = {"__name__": "speed"}
    if os.environ["SPEED"] != "numba":
        from simulator.stepper import Stepper, remember

        stepper = Stepper(mode=os.environ["SPEED"], raise_findings=False)
        remember("speed_kernels.py", SCRIPT)
        with stepper.installed():
            exec(compile(SCRIPT, "speed_kernels.py", "exec"), namespace)
    else:
        exec(compile(SCRIPT, "speed_kernels.py", "exec"), namespace)
    cuda, times = namespace["cuda"], {}
    launches = namespace["LAUNCHES"] | namespace["RACING"] | namespace["BUSY"]
    for name, (kernel, config, arguments) in launches.items():
        if name in RACING:
            times.setdefault("memory", peak())  # of the ten
        best, spent = float("inf"), 0
        for again in range(-(os.environ["SPEED"] != "numba"), 40):  # once more, to compile
            # Few milliseconds vary: more of them. (Many runs in mode "run" would be compiled.)
            if again >= 3 and (spent > 0.3 or os.environ["SPEED"] == "run"):
                break
            # A flag that is set already, and labels that are spread, would be less to do.
            places = [cuda.to_device(a) if getattr(a, "shape", ()) else a for a in arguments]
            began = time.process_time()
            kernel[config](*places)
            took = time.process_time() - began
            if again >= 0:
                best, spent = min(best, took), spent + took
        times[name] = best
    print(json.dumps(times))


def peak():
    """The most memory that this process has had, in MiB."""
    status = Path("/proc/self/status")
    if status.is_file():  # of this program alone: ru_maxrss begins with what the parent had
        return int(re.search(r"VmHWM:\s*(\d+)", status.read_text())[1]) / 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def compare():
    """Seconds of each kernel, and MiB, under each: {"numba" | "run" | "check": {kernel: ...}}."""
    found = {}
    code = "from simulator.speed import measure; measure()"
    with tempfile.TemporaryDirectory() as place:
        # As installed: Python finds the modules compiled, or their source would count as memory.
        environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "PYTHONPYCACHEPREFIX": place}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.run([sys.executable, "-c", "import simulator.stepper"], env=environment)
        for which in ("numba", "run", "check"):
            done = subprocess.run(
                [sys.executable, "-c", code], env=environment | {"SPEED": which},
                stdout=subprocess.PIPE, text=True, check=True,
            )  # fmt: skip
            found[which] = json.loads(done.stdout)
    return found


def ratios(found):
    """How many times as fast as Numba's simulator: {"run" | "check": {kernel: ratio}}."""
    slow = {k: v for k, v in found["numba"].items() if k != "memory"}
    return {w: {k: v / found[w][k] for k, v in slow.items()} for w in ("run", "check")}


def summary(faster):
    """(words, of the run, with checks) for the rows below the kernels."""
    right = {w: [v for k, v in faster[w].items() if k not in RACING + BUSY] for w in faster}
    racing, busy = ({w: [faster[w][k] for k in some] for w in faster} for some in (RACING, BUSY))
    for words, of, which in (
        ("median of the ten", statistics.median, right),
        ("slowest of the ten", min, right),
        ("slowest with a race", min, racing),
        ("slowest of few busy threads", min, busy),
    ):
        yield words, of(which["run"]), of(which["check"])


def main():
    argparse.ArgumentParser(
        description="The stepper's speed beside Numba's simulator."
    ).parse_args()
    found = compare()
    faster = ratios(found)
    print(f"{'kernel':28}{'Numba ms':>10}{'run ms':>9}{'check ms':>10}{'run':>8}{'check':>8}")
    for name in faster["run"]:
        slow, run, check = (1e3 * found[w][name] for w in ("numba", "run", "check"))
        print(
            f"{name:28}{slow:10.1f}{run:9.2f}{check:10.2f}"
            f"{faster['run'][name]:7.1f}x{faster['check'][name]:7.1f}x"
        )
    for words, run, check in summary(faster):
        print(f"{words:57}{run:7.1f}x{check:7.1f}x")
    print("memory, MiB: " + ", ".join(f"{k} {v['memory']:.0f}" for k, v in found.items()))


if __name__ == "__main__":
    main()
