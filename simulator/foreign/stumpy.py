"""stumpy's own GPU tests, three ways: ``python -m simulator.foreign.stumpy PATH``.

PATH is a checkout of stumpy-dev/stumpy; its dependencies, polars and pandas below 3 (whose arrays
stumpy may not write) must be there. Its
``tests/test_gpu_*.py`` run under the stepper, under the stepper with ``numba_cuda_mlir`` where the
library and its tests say ``numba``, and under Numba's simulator. Of each: how many passed, and the
seconds of the CPU.
"""

import argparse
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from simulator.foreign import counts

REPOSITORY, COMMIT = "stumpy-dev/stumpy", "60283ff60ecc0ed8ac0a98fab2aa4b06e3eb1987"
ONE = re.compile(r"^(\s*)from numba import (.*)$", re.M)


def to_successor(text):
    """Python that takes ``cuda`` from numba_cuda_mlir, and everything else from Numba."""

    def change(match):
        names = [n.strip() for n in match[2].split(",")]
        if "cuda" not in names:
            return match[0]
        lines = [f"{match[1]}from numba_cuda_mlir import cuda"]
        rest = [n for n in names if n != "cuda"]
        if rest:
            lines.append(f"{match[1]}from numba import {', '.join(rest)}")
        return "\n".join(lines)

    return ONE.sub(change, text).replace("from numba.cuda.", "from numba_cuda_mlir.cuda.")


def run(checkout, package, which, only):
    """(passed, failed, seconds, the end of the output) of the tests one way."""
    files = sorted(str(f.relative_to(checkout)) for f in (checkout / "tests").glob("test_gpu_*.py"))
    files = [f for f in files if only in f]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "ignore"]
    environment = {**os.environ, "PYTHONPATH": f"{package}{os.pathsep}{checkout}"}
    environment.pop("NUMBA_ENABLE_CUDASIM", None)
    if which == "numba":
        environment["NUMBA_ENABLE_CUDASIM"] = "1"
    else:
        command += ["-p", "stepper.pytest_plugin", "--stepper", "--stepper-mode", "run"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*command, *files], cwd=checkout, env=environment, text=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    counts = {
        w: int(n) for n, w in re.findall(r"(\d+) (passed|failed|skipped|errors?)", done.stdout)
    }
    failed = counts.get("failed", 0) + counts.get("error", 0) + counts.get("errors", 0)
    return counts.get("passed", 0), failed, spent, done.stdout[-1500:]


def main():
    parser = argparse.ArgumentParser(description="stumpy's GPU tests, three ways.")
    parser.add_argument("path", type=Path, help=f"a checkout of {REPOSITORY}, at {COMMIT}")
    parser.add_argument("--only", default="", help="only files whose name has this in it")
    parser.add_argument("--record", type=Path, help="write what a run of all files found here")
    given = parser.parse_args()
    if given.record and given.only:
        parser.error("--record is for a run of all files")
    root, bad, rows = Path(__file__).resolve().parents[2], 0, []
    with tempfile.TemporaryDirectory() as place:
        package = Path(place) / "package"
        package.mkdir()
        (package / "stepper").symlink_to(root / "simulator" / "stepper")
        other = Path(place) / "successor"
        for part in ("stumpy", "tests"):
            shutil.copytree(given.path / part, other / part)
        for file in other.rglob("*.py"):
            file.write_text(to_successor(file.read_text(encoding="utf-8")), encoding="utf-8")
        print(f"{'':44}{'passed':>8}{'failed':>8}{'seconds':>9}", flush=True)
        for name, checkout, which in (
            ("the stepper, from numba import cuda", given.path.resolve(), "stepper"),
            ("the stepper, from numba_cuda_mlir import cuda", other, "stepper"),
            ("Numba's simulator", given.path.resolve(), "numba"),
        ):
            passed, failed, spent, end = run(checkout, package, which, given.only)
            print(f"{name:46}{passed:>6}{failed:>8}{spent:>9.1f}", flush=True)
            rows.append({"under": name, "passed": passed, "failed": failed, "seconds": spent})
            bad += failed
            if failed or not passed:
                print(end)
    if given.record:
        found = {"repository": REPOSITORY, "commit": COMMIT, "ways": rows}
        counts.write(given.record, found)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
