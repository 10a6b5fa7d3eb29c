"""``python -m lockstep gpu``: run every page and every kernel test here and write evidence/."""

import ast
import importlib
import os
import subprocess
import sys
from pathlib import Path

from lockstep_site.gpu import fitting, machine, sanitizer, webgpu
from lockstep_site.gpu.targets import NO_GPU

STEPS = ("pages", "kernels", "sanitizer", "counters", "webgpu", "bench")
WRONG_KERNELS = "tests.wrong_kernels"  # its CASES are run one by one, each by this module's name


def not_on(file: Path) -> dict[str, str]:
    """Return the compilers that a file of kernel tests cannot run with, and why: its ``NOT_ON``."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "NOT_ON":
            return ast.literal_eval(node.value)
    return {}


def gpu(root: Path, steps: list[str], targets: list[str]) -> int:
    """Run every page and every kernel test on the GPU here and write evidence/."""
    found = machine.gpus()
    if not found:
        print(NO_GPU, file=sys.stderr)
        return 2
    print(f"{len(found)} x {found[0]['name']}, driver {found[0]['driver']}", flush=True)
    codes = {}
    base = {k: v for k, v in os.environ.items() if k != "NUMBA_ENABLE_CUDASIM"}
    base["LOCKSTEP_NO_SKIP"] = "1"
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    for target in targets:
        env = base | {"LOCKSTEP_TARGET": target}
        if "pages" in steps:
            print(f"== pages on {target}", flush=True)
            codes[f"pages {target}"] = subprocess.call(
                [*pytest, "docs", "--record"], cwd=root, env=env
            )
        if "kernels" in steps:
            print(f"== kernel tests on {target}", flush=True)
            tests, without = [], 0
            for file in sorted((root / "tests").glob("test_kernels*.py")):
                path = file.relative_to(root).as_posix()
                left, fit = fitting.left_out(root, path)
                if reason := not_on(file).get(target):
                    print(f"not on {target}: {file.name}: {reason}", flush=True)
                elif left and not fit:
                    for name, why in left.items():
                        print(f"not on this GPU: {path}::{name}: {why}", flush=True)
                    without += len(left)
                else:
                    tests.append(path)
            if without:
                print(f"{without} tests in files of which none can run on this GPU", flush=True)
            codes[f"kernels {target}"] = subprocess.call([*pytest, *tests], cwd=root, env=env)
    if "sanitizer" in steps:
        for tool in sanitizer.TOOLS:
            print(f"== compute-sanitizer {tool}", flush=True)
            codes[f"sanitizer {tool}"] = sanitizer.run(root, tool, base, seen=fitting.seen)
        print("== known-wrong kernels", flush=True)
        cases = importlib.import_module(WRONG_KERNELS).CASES
        codes["known-wrong kernels"] = sanitizer.run_wrong(root, cases, base, fitting.lacks)
    if "counters" in steps:
        print("== a GPU's counters beside the stepper's", flush=True)
        from lockstep_site.gpu import profile  # with NumPy, which no other command needs

        codes["counters"] = profile.run(root, base)
        codes["traffic"] = profile.traffic(root, base)
        codes["generated kernels"] = profile.generated(root, base)
    if "webgpu" in steps:
        print("== the kernels' WGSL, through wgpu", flush=True)
        codes["webgpu"] = webgpu.run(root)
    if "bench" in steps:
        print("== benchmarks", flush=True)
        fit, left = fitting.benchmarks(root)
        for name, why in left.items():
            print(f"not on this GPU: benchmark {name}: {why}", flush=True)
        print(f"{len(fit)} benchmarks run, {len(left)} need another GPU", flush=True)
        codes["benchmarks"] = subprocess.call(
            [sys.executable, "-m", "benchmarks", *fit], cwd=root, env=base
        )
    print()
    for name, code in codes.items():
        print(f"{name}: {'passed' if code == 0 else f'FAILED ({code})'}")
    return 1 if any(codes.values()) else 0
