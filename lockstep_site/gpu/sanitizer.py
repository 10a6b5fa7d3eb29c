"""Run the kernel tests under NVIDIA's compute-sanitizer and record what it found."""

import ast
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from lockstep import evidence, imports
from lockstep_site.gpu import machine
from lockstep_site.gpu.needs import Needs, of_files

TOOLS = ("memcheck", "racecheck")


def run(
    root: Path,
    tool: str,
    env: dict,
    everything: bool = False,
    seen: Callable[[Path, str], set[str]] | None = None,
) -> int:
    """Run one tool over the kernel tests whose records are not fresh.

    ``seen`` returns the files that the tests of a file depend on which the GPU here can run.

    Writes evidence/<machine>/sanitizer/<tool>/<test file>.json for each file, bound to what the
    file imports and reads. Returns 0 when the tests passed and the tool found nothing.
    """
    program = shutil.which("compute-sanitizer", path=env.get("PATH")) or _beside_nvcc()
    if not program:
        print("compute-sanitizer is not on the PATH: it comes with the CUDA toolkit.")
        return 2
    folder = root / "evidence" / machine.machine() / "sanitizer"
    unsupported = {test: why for (name, test), why in UNSUPPORTED.items() if name == tool}
    for test, why in unsupported.items():
        print(f"not under {tool}: {test}: {why}", flush=True)
    of = {t: (seen or sources)(root, t) for t in tests(root) if t not in unsupported}
    wanted = {test: hashes(root, files) for test, files in of.items() if files}
    if not everything:
        wanted = {test: now for test, now in wanted.items() if _old(folder, tool, test) != now}
    if not wanted:
        print(f"{tool}: every record is fresh")
        return 0
    command = [program, "--tool", tool, "--error-exitcode", "77", "--target-processes", "all"]
    if tool == "memcheck":
        # cuda-bindings asks the driver for functions that only newer drivers have, and is told no.
        # That is no access of a kernel, which is what this tool is here for.
        command += ["--report-api-errors", "no"]
    with tempfile.TemporaryDirectory() as temporary:
        report = Path(temporary) / "report.xml"
        python = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        python += [f"--junitxml={report}", "-o", "junit_family=xunit1", *wanted]
        done = subprocess.run(
            [*command, *python], cwd=root, env=env | {"LOCKSTEP_TARGET": "numba-cuda"},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        passed = passes(report.read_text(encoding="utf-8")) if report.is_file() else {}
    summary = re.findall(r"^=+ (?:ERROR SUMMARY|RACECHECK SUMMARY): (.*)$", done.stdout, re.M)
    said = [line for line in done.stdout.splitlines() if line.startswith("=========")]
    print("\n".join(said[:60] if done.returncode else done.stdout.splitlines()[-5:]))
    print(f"{tool}: {summary}, exit code {done.returncode}", flush=True)
    if done.returncode or not summary or not passed:
        return done.returncode or 1
    version = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    head = {
        "schema": evidence.SCHEMA,
        "tool": tool,
        "version": version.strip().splitlines()[-1] if version.strip() else None,
        "target": "numba-cuda",
    }
    for test, now in wanted.items():
        told = {"test": test, "tests_passed": passed.get(test, 0), "findings": sorted(set(summary))}
        record = head | told | machine.describe() | {"sources": now}
        evidence.write(folder / tool / f"{Path(test).stem}.json", record)
    (folder / f"{tool}.json").unlink(missing_ok=True)  # one record of all files, as it once was
    return 0


def tests(root: Path) -> list[str]:
    """Return the files of kernel tests that the tools watch, by their paths from the root."""
    files = (p.relative_to(root).as_posix() for p in (root / "tests").glob("test_kernels*.py"))
    return sorted(path for path in files if path not in NO_LAUNCH)


def hashes(root: Path, paths: set[str]) -> dict[str, str]:
    return {path: evidence.file_digest(root / path) for path in sorted(paths)}


def _old(folder: Path, tool: str, test: str) -> dict | None:
    record = evidence.readable(folder / tool / f"{Path(test).stem}.json")
    return record and record["sources"]


def passes(report: str) -> dict[str, int]:
    """Return how many tests of each file passed, from pytest's report in JUnit's XML."""
    found: dict[str, int] = {}
    for case in ElementTree.fromstring(report).iter("testcase"):
        if len(case) == 0:  # no failure, no error, not skipped
            file = case.get("file") or ""
            found[file] = found.get(file, 0) + 1
    return found


# Files of kernel tests that launch no kernel: the tools would have nothing to watch, and end with
# an error. tests/test_sanitizer.py refuses an entry that reaches a kernel.
NO_LAUNCH = {
    "tests/test_kernels_ddp_fsdp.py": "ranks in NumPy",
    "tests/test_kernels_megatron.py": "ranks in NumPy",
    "tests/test_kernels_network_graph.py": "graphs that ONNX Runtime runs on a CPU",
    "tests/test_kernels_rocm.py": "sources that are translated to HIP and OpenCL",
}
# Tests that a tool cannot follow, by the tool and the file, each with why.
UNSUPPORTED = {
    ("racecheck", "tests/test_kernels_pmpp_launches.py"): (
        "it says that it does not support dynamic parallelism; ThreadSanitizer looks for races of "
        "the same sources in tests/test_cuda_cpp_launches.py"
    ),
}
# Kernels that no kernel test launches, each with what proves it instead. The list may only shrink:
# tests/test_sanitizer.py refuses an entry that a test has come to cover.
UNTESTED = {
    "kernels/ampere/sparse_ceiling.py": "its page runs it on a GPU",
    "kernels/compilers/fahrenheit.py": "its page runs it on a GPU and checks the temperatures",
    "kernels/compilers/tvm_plain_4096.cu": "its benchmark checks the product",
    "kernels/compilers/tvm_tiled_4096.cu": "its benchmark checks the product",
    "kernels/inline_ptx/listing.py": "its page runs it on a GPU and checks the sums",
    "kernels/memory_hierarchy/column_sums.py": "its page runs it on a GPU and checks the sums",
    "kernels/metal_host/traps.py": "its page runs it on a GPU, each trap with its right twin",
    "kernels/microbenchmarks/bank_conflicts.py": "its benchmark checks what it writes",
    "kernels/microbenchmarks/barriers.py": "its benchmark checks what it writes",
    "kernels/microbenchmarks/divergence.py": "its benchmark checks what it writes",
    "kernels/naive_matmul/transposed.py": "its page runs it on a GPU and checks the product",
    "kernels/stepper/warp_sum.py": "its page runs it on a GPU",
    "kernels/terms/": "the page of the term runs it on a GPU and checks its result",
    "kernels/torch_extension/others.py": "its page runs it on a GPU and checks the results",
    "kernels/vector_add/": "its page runs it on a GPU and checks its result, at one size",
    "snippets/diagrams/terms/": "no page shows it: a picture is drawn from its run in the stepper",
    "snippets/errors/": "its mistakes are on purpose: its page shows what is said of each",
    "snippets/labs/roofline.py": "the lab runs it on a GPU",
    "snippets/many_gpus/": "it needs a peer: tests/test_many_gpus.py runs it on simulated GPUs",
    "snippets/pairs/": "the page of the pair loads it on a GPU and checks its result",
    "snippets/rocm/": "no GPU of NVIDIA's runs it: its page translates it to HIP",
    "snippets/setup/double.py": "its page runs it on a GPU",
    "snippets/torch_extension/swiglu.cu": "its page builds it, runs it on a GPU and checks it",
}
SHOWN = ("kernels", "snippets")
SUFFIXES = {".py", ".cu"}


def sources(root: Path, test: str) -> set[str]:
    """Return the files that a test depends on: those that it imports, and they in turn, and those
    that it names, by a file or a folder of kernels/ or snippets/."""
    found: set[str] = set()
    waiting = [test]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        waiting += next_to(root, path, (root / path).stat().st_mtime_ns)
    return found


@functools.lru_cache(maxsize=4096)
def next_to(root: Path, path: str, changed: int) -> tuple[str, ...]:
    """Return the files that one file names: asked for each test that reaches it."""
    found = imports.around(root, path)
    if path.endswith(".py"):
        text = (root / path).read_text(encoding="utf-8")
        found += _files(root, _names(text, path.startswith("tests/")))
    return tuple(found)


def reached(root: Path, text: str) -> set[str]:
    """Return the files that a part of a test depends on, as ``sources`` does of a whole file."""
    return {path for file in _files(root, _names(text, True)) for path in sources(root, file)}


def _files(root: Path, names: Iterable[str]) -> Iterator[str]:
    """Yield the files of some names: of a folder, all that can hold a kernel."""
    for name in names:
        place = root / name
        if place.is_file():
            yield name
        elif place.is_dir():
            files = (f for f in place.rglob("*") if f.suffix in SUFFIXES)
            yield from (f.relative_to(root).as_posix() for f in files)


@functools.cache
def _names(text: str, named: bool) -> frozenset[str]:
    """Return the paths from the root that a source imports or, with ``named``, names."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            words = node.value.rstrip("/.")
            if named and re.fullmatch(r"[\w/.-]+", words):
                path = words if "/" in words or "." not in words else words.replace(".", "/")
                if "/" in path and path.split("/")[0] in SHOWN:
                    found |= {path, f"{path}.py"}
            continue
        else:
            continue
        for name in modules:
            if name.split(".")[0] in {*SHOWN, "tests"} and "." in name:
                found.add(f"{name.replace('.', '/')}.py")
    return frozenset(found)


def unseen(root: Path, records: evidence.Evidence) -> list[evidence.Problem]:
    """Return the kernels and the tests that no record of the tools has seen.

    Where no tool has run at all, as in a project without GPUs, there is nothing to say.
    """
    known = records.others["sanitizer"]
    if not known:
        return []
    seen = {path for record in known.values() for path in record["sources"]}
    return [
        evidence.Problem("missing", f"{path} under compute-sanitizer", "test it, and make gpu")
        for path in [*tests(root), *kernels(root)]
        if path not in seen and not path.startswith(tuple(UNTESTED))
    ]


def kernels(root: Path) -> list[str]:
    """Return the shown files that hold a kernel, by their paths from the root."""
    marks = {".cu": "__global__", ".py": "@cuda.jit"}
    return [
        file.relative_to(root).as_posix()
        for folder in SHOWN
        for file in sorted((root / folder).rglob("*"))
        if file.suffix in marks and marks[file.suffix] in file.read_text(encoding="utf-8")
    ]


def run_wrong(
    root: Path,
    cases: dict[str, tuple],
    env: dict,
    lacks: Callable[[Needs], str | None] = lambda needs: None,
) -> int:
    """Run each known-wrong kernel under the tool that must catch it, and record what it said.

    ``lacks`` says what the GPU here lacks for a kernel, which is then left out by name.

    ``cases`` maps a name to (kernel, ..., tool, phrase); a kernel in CUDA C++ is a tuple that
    starts with its file. Returns 0 when every one was caught.
    """
    program = shutil.which("compute-sanitizer", path=env.get("PATH")) or _beside_nvcc()
    found, missed = {}, []
    for name, (kernel, *_, tool, phrase) in cases.items():
        file = f"kernels/wrong/{name}.py" if isinstance(kernel, str) else kernel[0]
        if why := lacks(of_files(root, sources(root, file))):
            print(f"not on this GPU: {name}: {why}", flush=True)
            continue
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
        if name in found
    }
    read = ["tests/wrong_kernels.py", *sorted(files)]
    record = {
        "schema": evidence.SCHEMA,
        "tool": "wrong kernels",
        "target": "numba-cuda",
        "tests_passed": len(found),
        "findings": [f"{case['tool']} caught {name}" for name, case in found.items()],
        "caught": found,
        **machine.describe(),
        "sources": {path: evidence.file_digest(root / path) for path in read},
    }
    folder = root / "evidence" / machine.machine() / "sanitizer"
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
