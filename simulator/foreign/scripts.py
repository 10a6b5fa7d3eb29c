"""Scripts that others wrote, as they are: ``python -m simulator.foreign.scripts FOLDER``.

sources.json lists them: repository, commit, path. What cannot run on a GPU under today's Numba
either, or is about what no simulator has, stands there with the reason, as ``left_out``; it is
printed and counted apart (``--all`` runs it too). Kernels that race on purpose stand there as
``races``: what they leave is a matter of luck, so they run and are not compared. FOLDER holds the
repositories, each checked out as OWNER/NAME. Each script runs twice, in processes of its own: under
the stepper and under Numba's simulator. After each launch the arrays that the kernel was given are
kept, and those of the two are compared, launch by launch. So there are two tables: scripts that run
to their end, and kernels that leave the same in memory.
"""

import argparse
import collections
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from simulator.foreign import counts

DATA = Path(__file__).with_name("sources.json")
IPYTHON = re.compile(r"^\s*[%!?]|^[\w.]+\?$")  # lines that are no Python: magics, help
MOST_LAUNCHES, MOST_ELEMENTS = 40, 1_000_000

TRACED = """
import pickle, random, resource, runpy, signal, os, sys
which, script, out = sys.argv[1:4]
sys.argv = [script, *sys.argv[4:]]
import numpy as np
np.random.seed(0)
random.seed(0)
fresh = np.random.default_rng
np.random.default_rng = lambda seed=0: fresh(seed)
rows = []

def keep(name, args):
    if len(rows) >= {launches}:
        return
    kept = []
    for a in args:
        if hasattr(a, "copy_to_host"):
            a = a.copy_to_host()
        if isinstance(a, np.ndarray) and a.size <= {elements}:
            kept.append(a.copy())
    rows.append((name, kept))

def save(state="ended"):
    with open(out, "wb") as file:
        pickle.dump((state, rows), file)

if which == "stepper":
    import stepper
    stepper.install(mode="run", raise_findings=False)
    made = stepper.host.Configured
    call = made.__call__
    def traced(self, *args):
        call(self, *args)
        keep(self.kernel.__name__, args)
    made.__call__ = traced
else:
    from numba import cuda
    from numba.cuda.simulator import kernel

    def unwritten(make):  # memory that nothing wrote holds what it holds under the stepper
        def made(*args, **options):
            array = make(*args, **options)
            array._ary.ravel(order="K").view(np.uint8)[...] = 255
            return array
        return made

    cuda.device_array = unwritten(cuda.device_array)
    cuda.device_array_like = unwritten(cuda.device_array_like)
    made = kernel.FakeCUDAKernel
    call = made.__call__
    def traced(self, *args):
        result = call(self, *args)
        if not self._device:
            keep(self.fn.__name__, args)
        return result
    made.__call__ = traced

def over(*_):
    raise TimeoutError("more than {seconds} seconds of the CPU")

signal.signal(signal.SIGXCPU, over)
resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds} + 30))
sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
state = "ran"
try:
    runpy.run_path(script, run_name="__main__")
except SystemExit as error:
    state = "ran" if not error.code else f"exit status {{error.code}}"
except BaseException as error:
    state = f"{{type(error).__name__}}: {{error}}"
save(state)
os._exit(0)
"""


def run(which, script, place, seconds, arguments):
    """(how it ended, [(kernel, arrays)]) of a script under one of the two simulators."""
    root = Path(__file__).resolve().parents[2]
    package = place / "package"
    package.mkdir(exist_ok=True)
    if not (package / "stepper").exists():
        (package / "stepper").symlink_to(root / "simulator" / "stepper")
    out, code = place / "out", place / "traced.py"
    out.unlink(missing_ok=True)
    code.write_text(TRACED.format(launches=MOST_LAUNCHES, elements=MOST_ELEMENTS, seconds=seconds))
    environment = {**os.environ, "PYTHONPATH": str(package), "MPLBACKEND": "agg"}
    environment.setdefault("NUMBA_NUM_THREADS", "8")  # some ask for more than a small machine has
    environment.pop("STEPPER", None)
    environment.pop("NUMBA_ENABLE_CUDASIM", None)
    if which == "numba":
        environment["NUMBA_ENABLE_CUDASIM"] = "1"
    try:
        subprocess.run(
            [sys.executable, str(code), which, str(script), str(out), *arguments],
            cwd=script.parent, env=environment, timeout=20 * seconds, stdin=subprocess.DEVNULL,
            capture_output=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return f"more than {seconds} seconds", []
    if not out.is_file():
        return "the process ended", []
    return pickle.loads(out.read_bytes())


def as_script(file, place):
    """A script's file; of a notebook, its code cells one after the other, without magics."""
    if file.suffix != ".ipynb":
        return file
    lines = []
    for cell in json.loads(file.read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "code" and not source.startswith("%%"):
            lines += [x for x in source.splitlines() if not IPYTHON.search(x)]
    made = place / f"{file.stem}.py"
    made.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return made


OUTCOMES = {
    "ran": "ran",
    "TimeoutError": "too long",
    "ModuleNotFoundError: No module": "needs a package",
    "KernelFault": "a finding",
    "OutOfBounds": "a finding",
    "LaunchError": "a finding",
    "Unsupported": "refused",
    "TypeRefused": "refused",
    "MissingName": "refused",
    "MissingModule": "refused",
    "MissingAttribute": "refused",
}


def outcome(ended):
    """One of a few words for how a script ended."""
    if "TimeoutError" in ended or ended.startswith("more than"):
        return "too long"
    return next((word for start, word in OUTCOMES.items() if ended.startswith(start)), "failed")


def alike(ours, theirs):
    """Whether two launches left the same arrays, up to how sums of floats are rounded."""
    import numpy as np

    if len(ours) != len(theirs):
        return False
    for a, b in zip(ours, theirs, strict=True):
        if a.shape != b.shape or a.dtype != b.dtype:
            return False
        if a.dtype.kind in "fc":
            if not np.allclose(a, b, rtol=1e-4, atol=1e-5, equal_nan=True):
                return False
        elif not np.array_equal(a, b):
            return False
    return True


def checkout(folder, source):
    """Where a source's file is."""
    return folder / source["repository"] / source["path"]


def main():
    parser = argparse.ArgumentParser(description="Foreign scripts under the stepper.")
    parser.add_argument("folder", type=Path, help="checkouts, as OWNER/NAME")
    parser.add_argument("--only", default="", help="only paths with this in them")
    parser.add_argument("--seconds", type=int, default=60, help="the limit of a script")
    parser.add_argument("--beside", type=int, default=60, help="its limit in Numba's simulator")
    parser.add_argument("--all", action="store_true", help="run those that are left out, too")
    parser.add_argument("--json", type=Path, help="write every outcome here")
    parser.add_argument("--record", type=Path, help="write what this run found here")
    given = parser.parse_args()
    if given.record and (given.only or given.all):
        parser.error("--record is for a run of all that are not left out")
    right = wrong = unknown = 0
    ended_as, idle = collections.Counter(), 0
    rows = {}
    sources = json.loads(DATA.read_text(encoding="utf-8"))
    sources = [s for s in sources if given.only in f"{s['repository']}/{s['path']}"]
    left_out = [] if given.all else [s for s in sources if "left_out" in s]
    for s in left_out:
        print(f"{'left out':16}{s['repository']}/{s['path']}: it {s['left_out']}")
    sources = [s for s in sources if s not in left_out]
    with tempfile.TemporaryDirectory() as place:
        for source in sources:
            file = checkout(given.folder.resolve(), source)
            name = f"{source['repository']}/{source['path']}"
            if not file.is_file():
                raise SystemExit(f"{file} is not there: check out {source['repository']}")
            file = as_script(file, Path(place))
            arguments = source.get("arguments", [])
            ended, ours = run("stepper", file, Path(place), given.seconds, arguments)
            other, theirs = "not run", []
            if ours:
                other, theirs = run("numba", file, Path(place), given.beside, arguments)
            kernels, races = {}, source.get("races", {})
            for k, (kernel, arrays) in enumerate(ours):
                if kernel in races:
                    kernels[kernel] = f"not compared, for it {races[kernel]}"
                elif k >= len(theirs) or theirs[k][0] != kernel:
                    kernels.setdefault(kernel, "not compared")
                elif kernels.get(kernel) != "other":
                    kernels[kernel] = "same" if alike(arrays, theirs[k][1]) else "other"
            ended_as[outcome(ended)] += 1
            idle += outcome(ended) == "ran" and not ours
            right += sum(v == "same" for v in kernels.values())
            wrong += sum(v == "other" for v in kernels.values())
            unknown += sum(v.startswith("not compared") for v in kernels.values())
            rows[name] = {"stepper": ended, "numba": other, "kernels": kernels}
            told = ", ".join(f"{k}: {v}" for k, v in kernels.items())
            print(
                f"{outcome(ended):16}{name}: {ended[:110]}; {told}; Numba: {other[:60]}", flush=True
            )
    told = ", ".join(f"{n} {word}" for word, n in ended_as.most_common())
    print(f"{len(sources)} scripts: {told}; {len(left_out)} left out")
    print(f"{idle} of those that ran launch nothing: they only allocate, copy or compile")
    print(f"kernels: {right} the same, {wrong} other, {unknown} without a comparison")
    if given.record:
        seconds = {"stepper": given.seconds, "Numba's simulator": given.beside}
        found = {
            "listed": len(sources) + len(left_out),
            "left out": len(left_out),
            "seconds": seconds,
            "ended": dict(sorted(ended_as.items())),
            "ran and launched nothing": idle,
            "kernels": {"the same": right, "other": wrong, "not compared": unknown},
            "scripts": {name: outcome(row["stepper"]) for name, row in rows.items()},
        }
        counts.write(given.record, found)
    if given.json:
        given.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
