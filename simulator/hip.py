"""Compile HIP for AMD GPUs, where there is a HIP compiler, and run kernels in waves on a CPU.

Debian 12 has hipcc 5.2 (``apt install hipcc``, 400 MB), which knows gfx90a (MI200) and gfx1030
(RX 6800, waves of 32), and not yet gfx942 (MI300X). Its clang 19 (``apt install clang-19 lld-19``)
knows all three, with the headers and the device libraries that come with hipcc, in /usr or where
``$ROCM_PATH`` says. A newer hipcc compiles for all.
"""

import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from simulator import cuda_cpp
from simulator.hosts import HostError, Unit, cache

WAVES = {"gfx90a": 64, "gfx942": 64, "gfx1030": 32}  # architecture -> lanes of a wave
ARCHITECTURES = tuple(WAVES)
CLANG = "clang++-19"
ROCM = os.environ.get("ROCM_PATH", "/usr")
LIBRARIES = f"{ROCM}/lib/x86_64-linux-gnu/amdgcn/bitcode"
# What kernels call there, and the width. The library for gfx942's own version does not exist yet,
# and for these functions it is not needed.
LINKED = ("hip", "opencl", "ockl", "oclc_abi_version_400")


def _commands(architecture: str) -> list[list[str]]:
    """Return the ways to compile for a GPU, the best first."""
    ways = [["hipcc", "--genco", f"--offload-arch={architecture}", "-x", "hip"]]
    width = f"oclc_wavefrontsize64_{'on' if WAVES[architecture] == 64 else 'off'}"
    libraries = [f"{LIBRARIES}/{x}.bc" for x in (*LINKED, width)]
    linked = [f"-Xclang -mlink-builtin-bitcode -Xclang {x}".split() for x in libraries]
    clang = [CLANG, "-x", "hip", "--cuda-device-only", "--no-gpu-bundle-output", "-c", "-O2"]
    clang += [f"--offload-arch={architecture}", f"--rocm-path={ROCM}", "-nogpulib"]
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


def waves(path: str | Path, text: str, width: int) -> Unit:
    """Return a source made ready for ``simulator.cuda_cpp.launch``, in waves of 32 or 64 lanes.

    The very text is compiled as C++ and run on the CPU, as CUDA C++ is, with HIP's own operations
    of a wave beside CUDA's: votes of 64 bits, shuffles without a mask.
    """
    return cuda_cpp.read(path, text, wave=width)


def assembly(text: str, architecture: str) -> str:
    """Return the instructions that clang makes of a source. Raises ``HostError`` without it."""
    command = next((c for c in _commands(architecture) if c[0] == CLANG), None)
    if command is None:
        raise HostError(f"no {CLANG} here")
    with tempfile.TemporaryDirectory() as folder:
        source, out = Path(folder) / "kernel.hip", Path(folder) / "kernel.s"
        source.write_text(text, encoding="utf-8")
        command = ["-S" if word == "-c" else word for word in command]
        done = subprocess.run(
            [*command, str(source), "-o", str(out)], capture_output=True, text=True
        )
        if done.returncode:
            raise HostError(done.stderr[-1500:])
        return out.read_text(encoding="utf-8")
