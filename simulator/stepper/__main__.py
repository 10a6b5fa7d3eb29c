"""``python -m stepper script.py``: run a script with every check; status 1 if one finds a fault."""

import argparse
import os
import sys
import traceback

from . import __version__, line_of
from .faults import KernelFault, Unsupported
from .installing import install
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
    parse.add_argument("--allow", action="append", default=[], metavar="KIND", help="of finding")
    parse.add_argument("--version", action="version", version=f"lockstep-stepper {__version__}")
    parse.add_argument("script")
    parse.add_argument("arguments", nargs=argparse.REMAINDER, help="of the script")
    return parse


def main(argv=None):
    """Run the script of the command line; returns the exit status."""
    given = parser().parse_args(argv)
    try:
        with open(given.script, encoding="utf-8") as file:
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
    )
    filename = os.path.abspath(given.script)
    sys.argv = [given.script, *given.arguments]
    sys.path.insert(0, os.path.dirname(filename))
    status, failed = 0, None
    namespace = {"__name__": "__main__", "__file__": filename, "__builtins__": __builtins__}
    try:
        exec(compile(source, filename, "exec"), namespace)
    except SystemExit as left:
        status = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException as error:
        failed = error
    sys.stdout.flush()
    color = given.color == "always" or (
        given.color == "auto" and sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    )
    findings = [f for f in stepper.findings if f.kind not in given.allow]
    if given.format == "json":
        text = as_json(findings, stepper.launches)
    elif given.format == "sarif":
        text = as_sarif(findings, __version__)
    else:
        text = as_text(findings, color and not given.output)
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
            line = line_of(failed, filename)
            where = shown(failed.filename or filename)
            print(f"{where}:{line or 1}: {failed}", file=sys.stderr)
        else:
            traceback.print_exception(failed)
        status = status or 1
    return 1 if findings else status


def counts(launches):
    """A line for each launch: traffic, instructions, bank conflicts, divergence."""
    rows = []
    for launch in launches:
        if launch.counts is None:
            continue
        s = launch.counts.summary()
        m = s["metrics"]
        rows.append(
            f"{launch.kernel}[{launch.grid}, {launch.block}]: "
            f"{s['instructions_issued']} instructions issued, {s['bytes_touched']} B touched, "
            f"{s['bytes_moved']} B moved, {s['shared_cycles']} shared-memory cycles, "
            f"{m['smsp__sass_average_branch_targets_threads_uniform.pct']:.1f} % uniform branches; "
            f"limit: {s['limit']}"
        )
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
