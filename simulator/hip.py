"""Compile HIP for AMD GPUs, where there is a HIP compiler. Nothing here runs it.

Debian 12 has hipcc 5.2 (``apt install hipcc``, 400 MB), which knows gfx90a (MI200) and not yet
gfx942 (MI300X). Its clang 19 (``apt install clang-19 lld-19``) knows gfx942, with the headers and
the device libraries that come with hipcc. A newer hipcc compiles for both.
"""

import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from simulator.hosts import HostError, cache

ARCHITECTURES = ("gfx90a", "gfx942")
CLANG = "clang++-19"
LIBRARIES = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode"
# What kernels call there. The library for gfx942's own version does not exist yet, and for these
# functions it is not needed.
LINKED = ("hip", "opencl", "ockl", "oclc_wavefrontsize64_on", "oclc_abi_version_400")


def _commands(architecture: str) -> list[list[str]]:
    """Return the ways to compile for a GPU, the best first."""
    ways = [["hipcc", "--genco", f"--offload-arch={architecture}", "-x", "hip"]]
    linked = [f"-Xclang -mlink-builtin-bitcode -Xclang {LIBRARIES}/{x}.bc".split() for x in LINKED]
    clang = [CLANG, "-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-c", "-O2"]
    clang += [f"--offload-arch={architecture}", "--rocm-path=/usr", "-nogpulib"]
    ways.append([*clang, "-mcode-object-version=4", *sum(linked, [])])
    return [way for way in ways if shutil.which(way[0])]


@functools.cache
def _working(architecture: str) -> list[str] | None:
    """Return the first way that compiles an empty kernel for a GPU, or None."""
    empty = "#include <hip/hip_runtime.h>\n__global__ void nothing() { __syncthreads(); }\n"
    ways = _commands(architecture)
    return next((way for way in ways if _run(empty, way).returncode == 0), None)


def architectures() -> tuple[str, ...]:
    """Return those of ``ARCHITECTURES`` that the compilers here can make code for."""
    return tuple(a for a in ARCHITECTURES if _working(a))


def _run(text: str, command: list[str]) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.hip"
        source.write_text(text, encoding="utf-8")
        command = [*command, "-Wall", str(source), "-o", str(Path(folder) / "kernel.co")]
        # Without it, hipcc takes a CUDA toolkit on the machine for its target.
        env = {**os.environ, "HIP_PLATFORM": "amd"}
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)


def compile(path: str, text: str) -> tuple[str, ...]:
    """Compile a source and return for which GPUs: none where there is no compiler.

    Raises ``HostError`` with the compiler's first errors.
    """
    for architecture in architectures():
        command = _working(architecture)
        key = "\0".join(["hip", *command, text])
        known = cache() / hashlib.sha256(key.encode()).hexdigest()[:24]
        if known.exists():
            continue
        done = _run(text, command)
        if done.returncode:
            errors = re.findall(r"kernel\.hip:(\d+):\d+: error: (.*)", done.stderr)
            lines = [f"{path}:{line}: {what} ({architecture})" for line, what in errors[:5]]
            raise HostError("\n".join(lines) or f"{path}:1: {done.stderr[-1500:]}")
        cache().mkdir(parents=True, exist_ok=True)
        known.touch()
    return architectures()
