"""Run the kernel tests under NVIDIA's compute-sanitizer and record what it found."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from lockstep import environment, evidence

TOOLS = ("memcheck", "racecheck")


def run(root: Path, tool: str, env: dict) -> int:
    """Run one tool over the kernel tests. Writes evidence/<machine>/sanitizer/<tool>.json.

    Returns 0 when the tests passed and the tool found nothing.
    """
    program = shutil.which("compute-sanitizer", path=env.get("PATH")) or _beside_nvcc()
    if not program:
        print("compute-sanitizer is not on the PATH: it comes with the CUDA toolkit.")
        return 2
    tests = sorted(p.relative_to(root).as_posix() for p in (root / "tests").glob("test_kernels*"))
    command = [program, "--tool", tool, "--error-exitcode", "77", "--target-processes", "all"]
    if tool == "memcheck":
        # cuda-bindings asks the driver for functions that only newer drivers have, and is told no.
        # That is no access of a kernel, which is what this tool is here for.
        command += ["--report-api-errors", "no"]
    python = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests]
    env = env | {"LOCKSTEP_TARGET": "numba-cuda"}
    done = subprocess.run(
        [*command, *python], cwd=root, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True,
    )  # fmt: skip
    summary = re.findall(r"^=+ (?:ERROR SUMMARY|RACECHECK SUMMARY): (.*)$", done.stdout, re.M)
    passed = re.findall(r"^(\d+) passed.*$", done.stdout, re.M)
    said = [line for line in done.stdout.splitlines() if line.startswith("=========")]
    print("\n".join(said[:60] if done.returncode else done.stdout.splitlines()[-5:]))
    print(f"{tool}: {summary}, exit code {done.returncode}", flush=True)
    if done.returncode or not summary or not passed:
        return done.returncode or 1
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    kernels = (*(root / "kernels").rglob("*.py"), *(root / "snippets").rglob("*.cu"))
    sources = tests + sorted(p.relative_to(root).as_posix() for p in kernels)
    record = {
        "schema": evidence.SCHEMA,
        "tool": tool,
        "version": version.strip().splitlines()[-1] if version.strip() else None,
        "target": "numba-cuda",
        "tests_passed": int(passed[-1]),
        "findings": summary,
        **environment.describe(),
        "sources": {path: evidence.file_digest(root / path) for path in sources},
    }
    file = root / "evidence" / environment.machine() / "sanitizer" / f"{tool}.json"
    evidence.write(file, record)
    return 0


def run_wrong(root: Path, cases: dict[str, tuple], env: dict) -> int:
    """Run each known-wrong kernel under the tool that must catch it, and record what it said.

    ``cases`` maps a name to (kernel, ..., tool, phrase); a kernel in CUDA C++ is a tuple that
    starts with its file. Returns 0 when every one was caught.
    """
    program = shutil.which("compute-sanitizer", path=env.get("PATH")) or _beside_nvcc()
    found, missed = {}, []
    for name, (*_, tool, phrase) in cases.items():
        command = [program, "--tool", tool, "--error-exitcode", "77"]
        python = [sys.executable, "-m", "tests.wrong_kernels", name]
        done = subprocess.run(
            [*command, *python], cwd=root, env=env | {"LOCKSTEP_TARGET": "numba-cuda"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        said = [line.strip("= ") for line in done.stdout.splitlines() if phrase in line]
        print(f"{name}: {tool}: {said[0] if said else 'NOT CAUGHT'}", flush=True)
        if not said:
            missed.append(name)
            print(done.stdout[-2000:])
            continue
        found[name] = {"tool": tool, "said": said[0][:200], "lines": len(said)}
    if missed:
        return 1
    files = {
        f"kernels/wrong/{name}.py" if isinstance(kernel, str) else kernel[0]
        for name, (kernel, *_) in cases.items()
    }
    sources = ["tests/wrong_kernels.py", *sorted(files)]
    record = {
        "schema": evidence.SCHEMA,
        "tool": "wrong kernels",
        "target": "numba-cuda",
        "tests_passed": len(found),
        "findings": [f"{case['tool']} caught {name}" for name, case in found.items()],
        "caught": found,
        **environment.describe(),
        "sources": {path: evidence.file_digest(root / path) for path in sources},
    }
    folder = root / "evidence" / environment.machine() / "sanitizer"
    evidence.write(folder / "wrong-kernels.json", record)
    return 0


def _beside_nvcc() -> str | None:
    nvcc = shutil.which("nvcc")
    places = [Path(nvcc).resolve().parent] if nvcc else []
    places.append(Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "bin")
    for place in places:
        if (place / "compute-sanitizer").is_file():
            return str(place / "compute-sanitizer")
    return None
