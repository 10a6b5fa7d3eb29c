"""Compile HIP for AMD GPUs, where there is a HIP compiler. Nothing here runs it.

Debian 12 has hipcc 5.2 (``apt install hipcc``, 400 MB), which knows gfx90a (MI200) and not yet
gfx942 (MI300X). A newer hipcc compiles for both.
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


@functools.cache
def architectures() -> tuple[str, ...]:
    """Return those of ``ARCHITECTURES`` that the compiler here can make code for."""
    if shutil.which("hipcc") is None:
        return ()
    empty = "#include <hip/hip_runtime.h>\n__global__ void nothing() {}\n"
    return tuple(a for a in ARCHITECTURES if _hipcc(empty, a).returncode == 0)


def _hipcc(text: str, architecture: str) -> subprocess.CompletedProcess:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.hip"
        source.write_text(text, encoding="utf-8")
        command = ["hipcc", "--genco", f"--offload-arch={architecture}", "-x", "hip", "-Wall"]
        command += [str(source), "-o", str(Path(folder) / "kernel.co")]
        # Without it, hipcc takes a CUDA toolkit on the machine for its target.
        env = {**os.environ, "HIP_PLATFORM": "amd"}
        return subprocess.run(command, capture_output=True, text=True, env=env, timeout=300)


def compile(path: str, text: str) -> tuple[str, ...]:
    """Compile a source and return for which GPUs: none where there is no compiler.

    Raises ``HostError`` with the compiler's first errors.
    """
    for architecture in architectures():
        known = cache() / hashlib.sha256(f"hip {architecture}\0{text}".encode()).hexdigest()[:24]
        if known.exists():
            continue
        done = _hipcc(text, architecture)
        if done.returncode:
            errors = re.findall(r"kernel\.hip:(\d+):\d+: error: (.*)", done.stderr)
            lines = [f"{path}:{line}: {what} ({architecture})" for line, what in errors[:5]]
            raise HostError("\n".join(lines) or f"{path}:1: {done.stderr[-1500:]}")
        cache().mkdir(parents=True, exist_ok=True)
        known.touch()
    return architectures()
