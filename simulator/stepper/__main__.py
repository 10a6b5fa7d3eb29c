"""``python -m stepper script.py``: run a script with every check; status 1 if one finds a fault."""

import argparse
import builtins
import os
import sys
import threading
import traceback
import types

from . import __version__, line_of
from .faults import KINDS, KernelFault, Unsupported
from .installing import VARIABLE, Gathered, install
from .report import as_json, as_sarif, as_text, shown


def parser():
    parse = argparse.ArgumentParser(
        "stepper",
        description="Run a script that launches Numba CUDA kernels on a simulated GPU, and look "
        "for races, divergent barriers, indices out of bounds and unwritten memory.",
    )
    parse.add_argument(
        "--mode", choices=("check", "run"), default="check", help="check or only run"
    )
    parse.add_argument(
        "--format", choices=("text", "json", "sarif"), default="text", help="of the findings"
    )
    parse.add_argument("--output", metavar="FILE", help="where the findings go (else stderr)")
    parse.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    parse.add_argument("--seed", type=int, help="shuffle the order of threads, warps and blocks")
    parse.add_argument(
        "--schedules", type=int, default=0, metavar="N", help="run small launches under N orders"
    )
    parse.add_argument("--counts", action="store_true", help="print what each launch asked for")
    parse.add_argument("--max-steps", type=int, default=1_000_000_000, help="of one launch")
    parse.add_argument("--time-limit", type=float, help="seconds of one launch")
    parse.add_argument(
        "--allow", action="append", default=[], metavar="KIND", choices=KINDS, help="of finding"
    )
    parse.add_argument("--version", action="version", version=f"lockstep-stepper {__version__}")
    parse.add_argument("script")
    parse.add_argument("arguments", nargs=argparse.REMAINDER, help="of the script")
    return parse


def main(argv=None):
    """Run the script of the command line; returns the exit status."""
    given = parser().parse_args(argv)
    try:
        with open(given.script, "rb") as file:
            source = file.read()
    except OSError as error:
        print(f"stepper: {given.script}: {error.strerror}", file=sys.stderr)
        return 2
    stepper = install(
        mode=given.mode,
        seed=given.seed,
        schedules=given.schedules,
        max_steps=given.max_steps,
        time_limit=given.time_limit,
        raise_findings=False,
        allow=frozenset(given.allow),
    )
    gathered = Gathered()
    os.environ[VARIABLE] = given.mode  # for the processes that the script starts
    status, failed = run(given.script, source, given.arguments)
    sys.stdout.flush()
    color = given.color == "always" or (
        given.color == "auto" and sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    )
    findings = [f for f in stepper.findings + gathered.new() if f.kind not in given.allow]
    told = findings + [n for n in stepper.notes if n.kind not in given.allow]
    if given.format == "json":
        text = as_json(told, stepper.launches)
    elif given.format == "sarif":
        text = as_sarif(told, __version__)
    else:
        text = as_text(told, color and not given.output)
    if given.output:
        with open(given.output, "w", encoding="utf-8") as file:
            file.write(text + "\n")
    elif text:
        print(text, file=sys.stderr)
    tried = [n for n in stepper.launches if n.schedules]
    if given.schedules and given.format == "text":
        total = sum(n.schedules for n in tried)
        print(f"{total} schedules tried in {len(tried)} launches", file=sys.stderr)
    if given.counts:
        print(counts(stepper.launches), file=sys.stderr)
    if failed is not None and not (isinstance(failed, KernelFault) and findings):
        if isinstance(failed, Unsupported):
            line = line_of(failed, os.path.abspath(given.script))
            where = shown(failed.filename or os.path.abspath(given.script))
            print(f"{where}:{line or 1}: {failed}", file=sys.stderr)
        else:
            traceback.print_exception(failed)
        status = 130 if isinstance(failed, KeyboardInterrupt) else status or 1
    return 1 if findings else status


def run(script, source, arguments):
    """Run a file as ``python script`` does: (exit status, what ended it or None).

    It is the module ``__main__`` of the process: pickle, dataclasses and processes that the script
    starts look for what it defines there.
    """
    filename = os.path.abspath(script)
    sys.argv = [script, *arguments]
    if not sys.flags.safe_path:
        sys.path[0] = os.path.dirname(os.path.realpath(filename))
    made = types.ModuleType("__main__")
    made.__file__, made.__builtins__ = filename, builtins
    sys.modules["__main__"] = made
    try:
        exec(compile(source, filename, "exec", dont_inherit=True), vars(made))
    except SystemExit as left:
        if left.code is None or isinstance(left.code, int):
            return left.code or 0, None
        print(left.code, file=sys.stderr)
        return 1, None
    except BaseException as error:
        # Without the frame of this function, which is none of the script's.
        return 1, error.with_traceback(error.__traceback__.tb_next)
    finally:
        for thread in threading.enumerate():
            if thread is not threading.current_thread() and not thread.daemon:
                thread.join()  # Python waits for them, and they may launch
    return 0, None


def counts(launches):
    """A line for each launch: traffic, instructions, bank conflicts, divergence."""
    rows = []
    for launch in launches:
        if launch.counts is None:
            continue
        s = launch.counts.summary()
        m = s["metrics"]
        least = ", ".join(f"{name} {us:.3g} us" for name, us in s["ceilings"].items())
        rows.append(
            f"{launch.kernel}[{launch.grid}, {launch.block}]: "
            f"{s['instructions_issued']} instructions issued, {s['bytes_touched']} B touched, "
            f"{s['bytes_moved']} B moved, {s['shared_cycles']} shared-memory cycles, "
            f"{m['smsp__sass_average_branch_targets_threads_uniform.pct']:.1f} % uniform branches, "
            f"L2 sectors {s['l2']['reads']} read, {s['l2']['writes']} written, "
            f"{s['l2']['atomics']} atomic; least times on an H200: {least}; limit: {s['limit']}"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
