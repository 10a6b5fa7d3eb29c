"""Run benchmarks: ``python -m benchmarks [NAME ...] [--list] [--quick] [--again]``.

The scripts are the modules of this folder and of micro/, each known by the name of its file.

Exit codes: 0 all ran, 1 a script failed (the others' records are written), 2 nothing could run.
"""

import argparse
import ast
import importlib
import os
import sys
import time
import traceback
from pathlib import Path

import lockstep_site.register  # noqa: F401  the harness asks the core for this site's GPUs
from benchmarks import harness

FOLDER = Path(__file__).resolve().parent


def scripts(folder: Path = FOLDER) -> dict[str, dict]:
    """Return each script's first line, path and the GPUs that it needs, without importing it."""
    found: dict[str, dict] = {}
    for file in sorted([*folder.glob("*.py"), *folder.glob("micro/*.py")]):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        if "run" not in names or file.stem == "__main__":
            continue  # what the scripts share
        if file.stem in found:  # a record bears the name
            raise harness.BenchmarkError(f"two scripts are called {file.name}: rename one")
        gpus = 1
        for node in tree.body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "GPUS":
                gpus = ast.literal_eval(node.value)
        path = file.relative_to(folder.parent).as_posix()
        summary = (ast.get_docstring(tree) or "").splitlines()[0]
        found[file.stem] = {"summary": summary, "gpus": gpus, "path": path}
    return found


def choose(names: list[str], known: dict[str, dict]) -> list[str]:
    """Return the scripts meant: vector_add, vector-add and benchmarks/vector_add.py are one."""
    chosen = [Path(name).name.removesuffix(".py").replace("-", "_") for name in names]
    for name in chosen:
        if name not in known:
            raise harness.BenchmarkError(f"no benchmark {name}: there are {', '.join(known)}")
    return chosen or list(known)


def table(bench: harness.Bench) -> str:
    """Return a short table of a script's rows."""
    lines = []
    for row in bench.rows["benchmarks"]:
        lines.append(
            f"  {row['id']:32} {row['ours']:>10.4g} {row['unit']:8} {row['ratio']:6.3f} x"
            f" {row['reference_name']} ({row['reference']:.4g}), spread {row['spread']:.1%}"
        )
    for row in bench.rows["microbenchmarks"]:
        lines.append(
            f"  {row['id']:32} {row['value']:>10.4g} {row['unit']:8} spread {row['spread']:.1%}"
        )
    return "\n".join(lines)


def run(path: str, device, quick: bool, again: bool = False) -> str | None:
    """Run one script and write its records; return what went wrong, or None."""
    name = Path(path).stem
    began = time.perf_counter()
    print(f"[{name}] starts", flush=True)
    try:
        bench = harness.Bench(path, device, quick=quick, say=say)
        importlib.import_module(path.removesuffix(".py").replace("/", ".")).run(bench)
        print(table(bench))
        if quick:
            if bench.failures:
                raise harness.BenchmarkError("; ".join(bench.failures))
            print(f"[{name}] quick: nothing is written")
        elif again:
            for written in bench.write_again():
                print(f"[{name}] added to {written.relative_to(bench.root)}")
        else:
            worse = bench.regressions()
            for written in bench.write():
                print(f"[{name}] wrote {written.relative_to(bench.root)}")
            for line in worse:
                print(f"[{name}] REGRESSION {line}")
    except Exception as error:
        if not isinstance(error, harness.BenchmarkError):
            traceback.print_exc()
        return f"{name}: {type(error).__name__}: {error}"
    finally:
        try:
            device.free()
        except Exception as error:  # a broken context; the next script will say so itself
            print(f"[{name}] memory could not be freed: {error}")
    print(f"[{name}] done in {time.perf_counter() - began:.0f} s", flush=True)
    return None


def say(line: str) -> None:
    print(line, flush=True)


def main(argv: list[str] | None = None, make_device=harness.Device) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="which to run (default: all)")
    parser.add_argument("--list", action="store_true", help="say what there is, and stop")
    parser.add_argument("--quick", action="store_true", help="small and few; writes no record")
    parser.add_argument(
        "--again", action="store_true", help="add a second measurement to the records there are"
    )
    options = parser.parse_args(argv)
    known = scripts()
    if options.list:
        for name, about in known.items():
            need = f" (needs {about['gpus']} GPUs)" if about["gpus"] > 1 else ""
            print(f"{name:20} {about['summary']}{need}")
        return 0
    try:
        chosen = choose(options.names, known)
        if os.environ.get("NUMBA_ENABLE_CUDASIM", "0") not in ("", "0"):
            raise harness.BenchmarkError(
                "NUMBA_ENABLE_CUDASIM is set: times in the simulator mean nothing; unset it"
            )
        device = make_device()
    except harness.BenchmarkError as error:
        print(f"benchmarks: {error}", file=sys.stderr)
        return 2
    failed, skipped = [], []
    for name in chosen:
        if known[name]["gpus"] > device.count:
            skipped.append(name)
            print(f"[{name}] skipped: needs {known[name]['gpus']} GPUs, here: {device.count}")
            continue
        wrong = run(known[name]["path"], device, options.quick, options.again)
        if wrong:
            failed.append(wrong)
    ran = len(chosen) - len(failed) - len(skipped)
    print(f"{ran} benchmarks ran, {len(skipped)} skipped, {len(failed)} failed")
    for line in failed:
        print(f"FAILED {line}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    sys.stderr.flush()
    # All is written. At the interpreter's end the kernels are unloaded (cuLibraryUnload), and after
    # GPT-2 on two GPUs the driver dies in that: a success would look like a crash.
    os._exit(code)
