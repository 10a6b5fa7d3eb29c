"""How much faster than NumPy: one photo in NumPy, in Numba on the CPU, and on the GPU with copies.

Every time is the host's, from the call to the answer.
"""

import os
import re
import time
from pathlib import Path

import numba
import numpy as np
from numba import cuda

from benchmarks.harness import BenchmarkError, rounded
from kernels.numpy_baseline.develop import develop_kernel, develop_numpy
from kernels.numpy_baseline.develop_cpu import develop_core, develop_cores

HERE = "kernels/numpy_baseline/"
# Color values of a thumbnail, of a full-HD frame and of a photo of 12 megapixels
SIZES = {"thumbnail": 64 * 64 * 3, "frame": 1920 * 1080 * 3, "photo": 4000 * 3000 * 3}
NAMES = {
    "numpy": "NumPy",
    "core": "Numba njit, one core",
    "cores": "Numba njit, all cores",
    "gpu": "GPU, copies from and to pageable memory counted",
    "pinned": "GPU, copies from and to pinned memory counted",
    "resident": "GPU, the photo is there and stays there",
}


def cores() -> int:
    """Return how many cores this process may use, by its affinity and its container's quota."""
    quota = Path("/sys/fs/cgroup/cpu.max")
    least, *period = quota.read_text().split() if quota.is_file() else ["max"]
    allowed = len(os.sched_getaffinity(0))
    return allowed if least == "max" else max(1, min(allowed, int(least) // int(period[0])))


def processor() -> str:
    """Return the name of the CPU, and how many of its cores the loop in parallel used."""
    names = re.findall(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), re.M)
    return f"{names[0] if names else 'unknown CPU'}, {numba.get_num_threads()} cores"


def run(bench):
    numba.set_num_threads(min(cores(), numba.config.NUMBA_NUM_THREADS))
    for name, size in SIZES.items():
        with bench.part(f"{name}: {size} values"):
            develop(bench, name, size // 64 if bench.quick and size > 10**6 else size)


def develop(bench, name, n):
    photo = np.random.default_rng().random(n, dtype=np.float32) * 4
    gain, out = np.float32(1.5), np.empty_like(photo)
    exact = (1.5 * photo.astype(np.float64) / (1 + 1.5 * photo.astype(np.float64))) ** (1 / 2.2)
    d_photo, d_out = cuda.to_device(photo), cuda.device_array_like(photo)
    pinned, pinned_out = cuda.pinned_array(n, np.float32), cuda.pinned_array(n, np.float32)
    pinned[:] = photo
    launch = develop_kernel[-(-n // 256), 256]

    def by_gpu():
        d_photo.copy_to_device(photo)
        launch(d_photo, gain, d_out)
        d_out.copy_to_host(out)
        return out

    def by_pinned():
        d_photo.copy_to_device(pinned)
        launch(d_photo, gain, d_out)
        d_out.copy_to_host(pinned_out)
        return pinned_out

    def resident():
        launch(d_photo, gain, d_out)
        cuda.synchronize()
        return d_out

    calls = {
        "numpy": lambda: develop_numpy(photo, gain),
        "core": lambda: (develop_core(photo, gain, out), out)[1],
        "cores": lambda: (develop_cores(photo, gain, out), out)[1],
        "gpu": by_gpu,
        "pinned": by_pinned,
        "resident": resident,
    }
    for way, call in calls.items():
        out[:] = np.nan
        pinned_out[:] = np.nan
        d_out.copy_to_device(out)
        got = call()
        got = d_out.copy_to_host() if got is d_out else got
        error = np.abs(got - exact).max()
        if not error < 1e-5:
            raise BenchmarkError(f"{NAMES[way]}: off by {error:.1e}")

    def seconds(call):
        cuda.synchronize()
        began = time.perf_counter()
        call()
        return time.perf_counter() - began

    times = bench.samples(calls, seconds)
    where = processor()
    for way, summary in times.items():
        bench.micro(
            f"develop-{name}-{way}",
            f"Develop {n} color values: {NAMES[way]}",
            summary,
            unit="us",
            kernel=HERE + ("develop_cpu.py" if way.startswith("core") else "develop.py"),
            method=f"wall clock from the call to the answer; {where}",
            terms=["pcie", "pinned-memory"] if way in ("gpu", "pinned") else [],
            extra={
                "values": n,
                "cores": numba.get_num_threads(),
                "times_numpy": rounded(times["numpy"].median / summary.median),
                "gbps": rounded(8 * n / summary.median / 1e9),
            },
        )
