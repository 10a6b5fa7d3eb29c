"""numba-cuda's own tests under the stepper: ``python -m simulator.foreign.suite PATH``.

PATH is a checkout of NVIDIA/numba-cuda, or the folder of the installed package. Each file of its
``tests/cudapy`` and ``tests/doc_examples`` runs in a process of its own. A test

* passes (the different kernels that those tests launch are counted by file and name);
* is skipped by the suite itself;
* is *refused*: the stepper says by name what it cannot do, or a module that it does not have is
  asked for;
* *fails*: an error that is none of these;
* is *unlike*: it asserts that something is refused or said, and the stepper takes it or says it in
  other words; or unlike.json lists it with the reason why what it asserts is no kernel's result;
* is *wrong*: any other assertion that does not hold. None may be.
"""

import argparse
import collections
import json
import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from simulator.foreign import counts

REPOSITORY, COMMIT = "NVIDIA/numba-cuda", "b18b944b2f88a4e840424e49a1b0d29488263b40"
LIMIT = 60  # seconds of the CPU for a test
# What an assertion says that is about a refusal or a text, and about no value.
SAID = re.compile(
    r" not raised|Regex didn't match|' not found in |is expected to fail|DID NOT WARN"
)
FOLDERS = ("cudapy", "doc_examples")
OUTCOMES = ("passed", "refused", "unlike", "wrong", "failed", "skipped")
DATA = Path(__file__).with_name("unlike.json")


def tests_folder(path):
    """The folder of numba-cuda's tests in a checkout or in an installed package."""
    for inner in ("numba_cuda/numba/cuda/tests", "numba/cuda/tests", "tests", "."):
        if (path / inner / "cudapy").is_dir():
            return path / inner
    raise SystemExit(f"{path} has no numba_cuda/numba/cuda/tests/cudapy: give a checkout's root")


class TooLong(BaseException):
    """A test took longer than the limit."""


def first_cause(error):
    """An error and what it came from."""
    seen = []
    while error is not None and error not in seen:
        seen.append(error)
        error = error.__cause__ or error.__context__
    return seen


class Outcomes(unittest.TestResult):
    """Keeps (test, outcome, why)."""

    def __init__(self, refusals):
        super().__init__()
        self.rows, self.refusals = [], refusals

    def add(self, test, outcome, why=""):
        self.rows.append((test.id(), outcome, " ".join(str(why).split())[:400]))

    def startTest(self, test):
        import stepper

        super().startTest(test)
        self.made = stepper.installed()
        self.before = len(self.made.launches)
        signal.setitimer(signal.ITIMER_PROF, LIMIT)

    def stopTest(self, test):
        signal.setitimer(signal.ITIMER_PROF, 0)
        super().stopTest(test)

    def addSuccess(self, test):
        launched = {n.kernel for n in self.made.launches[self.before :] if n.error is None}
        self.add(test, "passed", " ".join(sorted(launched)))

    def addSkip(self, test, reason):
        self.add(test, "skipped", reason)

    def addExpectedFailure(self, test, err):
        self.add(test, "passed")

    def addUnexpectedSuccess(self, test):
        self.add(test, "unlike", "it is expected to fail")

    def addError(self, test, err):
        self.judge(test, err[1])

    def addFailure(self, test, err):
        self.judge(test, err[1])

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.judge(test, err[1])

    def judge(self, test, error):
        chain = first_cause(error)
        refused = next((e for e in chain if isinstance(e, self.refusals)), None)
        why = f"{type(error).__name__}: {error}"
        if refused is not None:
            self.add(test, "refused", refused)
        elif type(error).__name__ == "Skipped":  # pytest's
            self.add(test, "skipped", error)
        elif SAID.search(why):
            self.add(test, "unlike", why)
        elif isinstance(error, AssertionError):
            self.add(test, "wrong", why)
        else:
            import traceback

            self.add(test, "failed", f"{why} {traceback.format_tb(error.__traceback__)[-1]}")


def run_file(path, file):
    """Outcomes of one file's tests, in this process: [(id, outcome, why)]."""
    import stepper

    folder = tests_folder(path)
    refusals = (stepper.Unsupported, ImportError)

    def too_long(*_):
        raise TooLong(f"more than {LIMIT} seconds of the CPU")

    signal.signal(signal.SIGPROF, too_long)
    name = "numba.cuda.tests." + ".".join(file.relative_to(folder).with_suffix("").parts)
    try:
        __import__(name)
        loaded = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[name])
    except BaseException as error:
        refused = next((e for e in first_cause(error) if isinstance(e, refusals)), None)
        outcome = "failed" if refused is None else "refused"
        why = f"{type(error).__name__}: {refused or error}"
        return [(f"{name}.{test}", outcome, why) for test in names_in(file)]
    result = Outcomes(refusals)
    loaded.run(result)
    return result.rows


def run_files(path, files, mode, jobs, out):
    """Run files in processes of their own, forked from this one; write the outcomes as JSON."""
    import stepper

    from simulator.foreign import stand_ins

    stepper.install(mode=mode, raise_findings=False)
    stand_ins.put(tests_folder(path))
    os.environ["STEPPER"] = mode  # for the processes that tests start
    waiting, running, rows = list(files), {}, []
    while waiting or running:
        while waiting and len(running) < jobs:
            file = waiting.pop(0)
            read, write = os.pipe()
            pid = os.fork()
            if pid == 0:
                quiet = os.open(os.devnull, os.O_RDWR)
                for stream in (0, 1, 2):
                    os.dup2(quiet, stream)
                with os.fdopen(write, "w") as pipe:
                    json.dump(run_file(path, file), pipe)
                os._exit(0)
            os.close(write)
            running[read] = pid, file
        for read in select.select(running, [], [])[0]:
            pid, file = running.pop(read)
            with os.fdopen(read) as pipe:
                text = pipe.read()
            os.waitpid(pid, 0)
            place = f"numba.cuda.tests.{file.parent.name}.{file.stem}"
            ended = [(f"{place}.{t}", "failed", "the process ended") for t in names_in(file)]
            rows += json.loads(text) if text else ended
    Path(out).write_text(json.dumps(rows), encoding="utf-8")


def names_in(file):
    """The tests of a file that cannot be imported, by its text."""
    import ast

    tree = ast.parse(file.read_text(encoding="utf-8"))
    return [
        f"{c.name}.{f.name}"
        for c in tree.body
        if isinstance(c, ast.ClassDef)
        for f in c.body
        if isinstance(f, ast.FunctionDef) and f.name.startswith("test")
    ]


def run_all(path, mode, only="", jobs=2):
    """Outcomes of all tests: {id: (outcome, why)}."""
    folder = tests_folder(path)
    files = [f for d in FOLDERS for f in sorted((folder / d).glob("test_*.py")) if only in f.name]
    root = Path(__file__).resolve().parents[2]
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "stepper").symlink_to(root / "simulator" / "stepper")
        (Path(place) / "sitecustomize.py").write_text(
            'import os; os.environ.get("STEPPER")'
            ' and __import__("stepper").install_from_environment()\n'
        )
        environment = {**os.environ, "PYTHONPATH": f"{place}{os.pathsep}{root}"}
        environment.pop("STEPPER", None)

        code = (
            "from pathlib import Path; from simulator.foreign import suite; "
            f"suite.run_files(Path({str(path)!r}), map(Path, {list(map(str, files))!r}), "
            f"{mode!r}, {jobs}, 'out')"
        )
        subprocess.run([sys.executable, "-c", code], env=environment, cwd=place, check=True)
        rows = json.loads((Path(place) / "out").read_text(encoding="utf-8"))
    known = json.loads(DATA.read_text(encoding="utf-8")) if DATA.is_file() else {}
    found = {}
    for name, outcome, why in rows:
        short = name.removeprefix("numba.cuda.tests.")
        if outcome == "wrong" and short in known:
            outcome, why = "unlike", known[short]
        # A test of several parts is as bad as its worst.
        worse = ("passed", "skipped", "refused", "unlike", "failed", "wrong")
        if short not in found or worse.index(outcome) > worse.index(found[short][0]):
            found[short] = outcome, why
    return found


def main():
    parser = argparse.ArgumentParser(description="numba-cuda's own tests under the stepper.")
    parser.add_argument("path", type=Path, help=f"a checkout of {REPOSITORY}, at {COMMIT}")
    parser.add_argument("--only", default="", help="only files whose name has this in it")
    parser.add_argument("--mode", choices=("run", "check"), default="run")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path, help="write every outcome here")
    parser.add_argument("--why", action="store_true", help="say why each was not passed")
    parser.add_argument("--record", type=Path, help="write what a run of all files found here")
    given = parser.parse_args()
    if given.record and given.only:
        parser.error("--record is for a run of all files")
    found = run_all(given.path.resolve(), given.mode, given.only, given.jobs)
    if given.json:
        given.json.write_text(json.dumps(found, indent=0))
    table = collections.defaultdict(collections.Counter)
    for name, (outcome, why) in found.items():
        table[".".join(name.split(".")[:2])][outcome] += 1
        if given.why and outcome not in ("passed", "skipped"):
            print(f"{outcome:8}{name}: {why[:200]}")
    print(f"{'file':45}" + "".join(f"{o:>9}" for o in OUTCOMES))
    for file, row in table.items():
        print(f"{file:45}" + "".join(f"{row[o] or '':>9}" for o in OUTCOMES))
    total = sum(table.values(), collections.Counter())
    print(f"{f'all {sum(total.values())}':45}" + "".join(f"{total[o]:>9}" for o in OUTCOMES))
    kernels = {
        (name.split(".")[1], kernel)
        for name, (outcome, launched) in found.items()
        for kernel in (launched.split() if outcome == "passed" else ())
    }
    print(f"{len(kernels)} different kernels in the tests that pass")
    if given.record:
        outcomes = {o: total[o] for o in OUTCOMES}
        counts.write(given.record, {"repository": REPOSITORY, "commit": COMMIT, "mode": given.mode,
                                    "tests": sum(outcomes.values()), **outcomes,
                                    "kernels": len(kernels)})  # fmt: skip
    return 1 if total["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
