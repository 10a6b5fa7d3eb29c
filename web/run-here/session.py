"""Runs what the reader's editor holds. The worker calls one of these, and gets JSON.

``run`` and ``check`` are for programs, ``grade`` for exercises.
"""

import ast
import base64
import contextlib
import gc
import io
import json
import random
import struct
import sys
import textwrap
import time
import traceback

from simulator import grade as grading
from simulator.ranks import GPUS, Machine
from simulator.stepper import KernelFault, Result, Stepper, Unsupported, line_of, remember

FILE = "program.py"
OUTPUT = 100_000  # characters of output that are kept
STEPS = 60_000  # steps of a launch that are shown
LAUNCHES = 40  # launches that are shown: those with findings, and the first of the others
KERNELS = 20  # launches that are run on the reader's GPU
SIZES = (1 << 16, 1 << 20, 1 << 22, 1 << 24)  # elements with which those are measured
UNROLL = 64  # as benchmarks/webgpu.py compiles: the H200's figures are of the same WGSL
SEEDS = (1, 2)  # orders of threads, beside the usual one, that a check tries


def files_came(folder):
    """New files lie in ``folder``: what was known of it is forgotten.

    ``importlib.invalidate_caches()`` would import importlib.metadata first, and half of email.
    """
    for place in [p for p in sys.path_importer_cache if p.startswith(folder)]:
        del sys.path_importer_cache[place]


def awake():
    """What the memory of a snapshot must not keep: chance that is the same for all readers."""
    random.seed()


class Output(io.StringIO):
    """What the program prints, up to a length."""

    def write(self, text):
        room = OUTPUT - self.tell()
        if len(text) > room:
            if room > 0:
                super().write(text[:room])
                super().write("\n(cut: too much output)")
            return len(text)
        return super().write(text)


def show(value):
    """Print the value of an expression that is a statement of its own, as ``>>>`` does."""
    if value is not None:
        print(repr(value))


def execute(source, gpus=GPUS, **settings):
    """Run a program. Returns a Result, whatever happens."""
    stepper = Stepper(raise_findings=False, **settings)
    machine = Machine(stepper, gpus)
    namespace = {"__name__": "__main__", "__show__": show}
    output, error, line, message = Output(), None, None, ""
    remember(FILE, source)
    try:
        tree = ast.parse(source, FILE)
        for statement in tree.body[ast.get_docstring(tree) is not None :]:
            if isinstance(statement, ast.Expr):
                call = ast.Call(ast.Name("__show__", ast.Load()), [statement.value], [])
                statement.value = ast.fix_missing_locations(
                    ast.copy_location(call, statement.value)
                )
        with contextlib.redirect_stdout(output), stepper.installed():
            exec(compile(tree, FILE, "exec"), namespace)
            machine.synchronize()  # what was launched on one of several GPUs, and nobody asked for
    except BaseException as caught:  # the program's own errors, whatever they are
        error, line = caught, line_of(caught, FILE)
        message = str(caught) if isinstance(caught, KernelFault | Unsupported) else ""
        message = message.removeprefix(f"line {line}: ")  # the panel says the line itself
        message = message or traceback.format_exception_only(caught)[-1].strip()
    return Result(output.getvalue(), error, line, message, stepper.launches, namespace)


def run(source, mode, time_limit):
    """Run a program. ``mode``: "run" or "record"; ``time_limit``: seconds for one launch."""
    began = time.perf_counter()
    result = execute(source, mode=mode, time_limit=time_limit)
    return report(result, time.perf_counter() - began)


def check(source, time_limit):
    """Run a program under several orders of its threads, and look for what is wrong in each."""
    began = time.perf_counter()
    result = execute(source, mode="check", time_limit=time_limit)
    differs = None
    if result.error is None:
        for seed in SEEDS:
            other = execute(source, mode="check", time_limit=time_limit, seed=seed)
            known = {(f.kind, f.line) for f in result.findings}
            for number, launch in enumerate(other.launches):
                new = [f for f in launch.findings if (f.kind, f.line) not in known]
                if new and number < len(result.launches):
                    result.launches[number].findings.extend(new)
                elif new:
                    launch.findings = new
                    result.launches.append(launch)
            if other.error is None:
                if other.output != result.output:
                    differs = other.output
            elif not isinstance(other.error, KernelFault) and result.error is None:
                result.error, result.line = other.error, other.line
                result.message = f"In another order it ends with: {other.message}"
    return report(result, time.perf_counter() - began, differs=differs, orders=1 + len(SEEDS))


def on_gpu(source, time_limit, exercise=None, plan=None):
    """Run and check a program, and compile its launches for the reader's own GPU.

    ``exercise``: the text of an exercise's file. The program is graded, and the launches are those
    of the exercise's largest case, if the answer is right; beside them, as ``par``, stand those of
    the reference solution. ``plan``, as JSON: ``subgroups``, the lanes of the adapter's subgroups
    where it has one number of them, in the order that the compiler assumes; ``f16``, whether it has
    float16; ``threads``, how many it takes in a workgroup; ``single``, whether what needs float64
    is to be computed in float32, and ``emulated``, whether by integers; ``sizes``, what
    simulator/larger.py takes, by kernel; ``code``, the page's own program.
    """
    from simulator import larger, wgsl  # unpacked when they are first asked for

    began, launches, more = time.perf_counter(), [], {}
    plan = {"sizes": {}, "code": ""} | json.loads(plan or "{}")
    options = {"unroll": UNROLL, "subgroups": 32 if plan.get("subgroups") == 32 else 0}
    options |= {"f16": bool(plan.get("f16")), "threads": int(plan.get("threads") or 0)}
    ways = {"emulated": "emulate_float64", "single": "single"}  # pairs of int64 lose nothing
    fallback = ("pairs", *(way for word, way in ways.items() if plan.get(word)))
    captured = {"most": KERNELS, "more": sizes, "fallback": fallback, **options}
    made, theirs = {}, {}
    if exercise is not None:
        result, more["verdict"] = graded(source, time_limit, exercise)
        if more["verdict"]["passed"]:
            reference = []
            with larger.noted(None) as right, wgsl.captured(reference, **captured):
                grading.launch_largest(exercise, None, time_limit)
            with larger.noted(None) as notes, wgsl.captured(launches, **captured):
                grading.launch_largest(exercise, source, time_limit)
            # The reader's arguments may have other names: they stand in the same places.
            spec = plan["sizes"]
            both = [next(iter(n.values()), None) for n in (right, notes)]
            if spec and all(both) and len(both[0].values) == len(both[1].values):
                params = both[0].kernel.source.params
                for note, rows, into in zip(
                    both, (reference, launches), (theirs, made), strict=True
                ):
                    note.params = params
                    name = note.kernel.__name__
                    into[name] = {"sizes": compiled_sizes(spec, note, rows, options), "row": None}
            more["par"] = [row for row in for_gpu(reference, theirs) if "sizes" in row]
    else:
        with larger.short(), larger.noted(plan["sizes"]) as notes:
            with wgsl.captured(launches, **captured):
                result = execute(source, gpus=1, mode="check", time_limit=time_limit)
        if isinstance(result.error, larger.Enough):
            result = stopped(result, launches)
        if result.error is None and not result.findings:
            own = plan["code"] and larger.definitions(source) == larger.definitions(plan["code"])
            for name, spec in plan["sizes"].items():
                spec = spec if own else {k: v for k, v in spec.items() if k != "sum"}
                found = larger_sizes(source, name, spec, notes, launches, time_limit, options)
                made[name] = {"sizes": found, "row": spec.get("row") if own else None}
    kernels = for_gpu(launches, made)
    return report(result, time.perf_counter() - began, kernels=kernels, **more)


def stopped(result, launches):
    """What came of a program up to a launch that is too large for the stepper to run whole."""
    from simulator import larger

    many = f"(The program was run up to its first launch of more than {larger.THREADS:,} threads.)"
    result = Result(f"{result.output}{many}\n", None, None, "", result.launches, result.namespace)
    record = launches[-1]
    if record.shader:
        try:
            record.some = larger.sampled(
                record.function, record.shader, record.shader, record.before
            )
        except KernelFault as fault:
            result.error, result.line = fault, fault.finding.line
            result.message = str(fault).removeprefix(f"line {result.line}: ")
    return result


def sampled(found):
    """What the stepper says of some blocks of a launch, as JSON; or why it says nothing."""
    if isinstance(found, str):
        return {"unlike": found.replace("`", "")}
    blocks, arrays = found
    return {"sample": {"blocks": blocks, "arrays": {
        name: [as_text(struct.pack(f"<{len(places)}I", *places)), as_text(data)]
        for name, (places, data) in arrays.items()}}}  # fmt: skip


def larger_sizes(source, name, spec, notes, launches, time_limit, options):
    """The sizes of a kernel that ``spec`` asks for; None where it asks for none or none fits."""
    from simulator import larger

    if "n" not in spec:
        return None
    if "edits" in spec:
        source = larger.edited(source, spec["edits"])
        if source is None:
            return None
        with larger.noted([name], run=False) as notes:
            execute(source, mode="run", time_limit=time_limit)
    return compiled_sizes(spec, notes[name], launches, options) if name in notes else None


def compiled_sizes(spec, note, launches, options):
    """The sizes of a kernel that ``spec`` asks for; None where one cannot be compiled."""
    from simulator import larger, wgsl

    first = next((r for r in launches if r.kernel == note.kernel.__name__ and r.after), None)
    if first is None:
        return None
    try:
        way = {"single": first.single, "emulate_float64": first.shader.emulated,
               "pairs": first.shader.pairs}  # fmt: skip
        found = list(larger.shaders(spec, note, **options | way))
    except wgsl.Refused:
        return None
    sides = with_samples(note.kernel, [s for s, *_ in found], first, spec.get("sum"))
    return [row | {"flops": f, "bytes": b} for row, (_, f, b) in zip(sides, found, strict=True)]


def with_samples(function, shaders, record, total=None):
    """Launches for more and more elements, and what the stepper says of some blocks of each.

    ``record``: the launch whose buffers they repeat. ``total``: which result is the sum of which
    argument, where that is all that there is to compare.
    """
    from simulator import larger, wgsl

    rows, found = [], None
    for shader in shaders:
        row = {"shader": wgsl.as_json(shader)}
        try:
            if found != larger.LONG:  # else larger ones take longer still
                found = larger.sampled(function, shader, record.shader, record.before)
            whole = total and isinstance(found, str) and larger.summed(
                shader, record.shader, record.before, total
            )  # fmt: skip
            row |= sampled((0, whole) if whole else found)
            if whole:
                row["sample"]["sum"] = True
        except KernelFault as fault:
            row["fault"] = str(fault).replace("`", "")
        rows.append(row)
    return rows


def as_text(data):
    return base64.b64encode(data).decode()


def for_gpu(launches, made=()):
    """Launches as the panel takes them; the first of each kernel for several sizes.

    ``made``: of some kernels, the sizes and the H200's row.
    """
    from simulator import larger, wgsl

    kernels, seen = [], set()
    for record in launches:
        row = {"kernel": record.kernel, "line": record.line, "grid": record.config.grid,
               "block": record.config.block, "python": definition(record)}  # fmt: skip
        if record.refused:
            refuse(row, record, record.refused)
        elif hasattr(record, "some") and sum(map(len, record.before.values())) > larger.BYTES:
            row["refused"] = f"its arrays take more than {larger.BYTES >> 20} MiB"
        elif hasattr(record, "some"):
            row["shader"] = wgsl.as_json(record.shader, record.before)
            row |= {"single": record.single, "sizes": [], **sampled(record.some)}
            row["emulated"] = record.shader.emulated
        elif record.after:
            row["shader"] = wgsl.as_json(record.shader, record.before)
            row |= {"single": record.single, "emulated": record.shader.emulated}
            try:
                row["want"] = wgsl.wanted(record)
            except wgsl.Refused as refused:  # its results do not fit
                del row["shader"]
                refuse(row, record, refused)
                kernels.append(row)
                continue
            row["halves"] = any(b.dtype.name == "float16" for b in record.shader.bindings)
            if record.kernel not in seen:
                asked = made[record.kernel] if record.kernel in made else {}
                row["sizes"] = asked.get("sizes") or [
                    size | {"times": n}
                    for (n, _), size in zip(
                        record.sizes,
                        with_samples(record.function, [s for _, s in record.sizes], record),
                        strict=True,
                    )
                ]
                other = record.single or record.shader.emulated
                row["row"] = None if other else asked.get("row")
                seen.add(record.kernel)
        elif record.shader and record.error is None:
            row["refused"] = "this launch writes to no array, so there is nothing to compare"
        kernels.append(row)
    return kernels


def refuse(row, record, refused):
    """Say of a launch why it does not run on the GPU, and whether float32 would help."""
    from simulator.wgsl.launch import WIDE

    row["refused"] = refused.what.replace("`", "")
    row["line"] = refused.line or record.line
    row["wide"] = refused.kind in WIDE and not record.single


def definition(record):
    """A kernel's own Python."""
    from simulator.wgsl.launch import text_of

    text = text_of(record.filename)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and (node.name, node.lineno) == (
            record.kernel, record.line
        ):  # fmt: skip
            first = min(n.lineno for n in (node, *node.decorator_list))
            return textwrap.dedent("\n".join(text.split("\n")[first - 1 : node.end_lineno]))
    return ""


def sizes(n):
    """How many times ``n`` elements a kernel is measured with beside."""
    return [most // n for most in SIZES if n and most >= 2 * n]


def grade(source, time_limit, exercise):
    """Grade a program; ``exercise`` is the text of the exercise's file."""
    result, verdict = graded(source, time_limit, exercise)
    return report(result, verdict["seconds"], verdict=verdict)


def graded(source, time_limit, exercise):
    """Grade a program. Returns the launches that are shown, as a Result, and the verdict."""
    shown = []
    verdict = grading.grade(exercise, source, time_limit, shown)
    return Result("", None, verdict["line"], verdict["message"], shown, {}), verdict


def report(result, seconds, **more):
    """A Result as JSON. Long recordings are cut, and say so.

    A recording is a million lists, none of them a cycle. Looking for cycles among them took longer
    than the recording itself.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        return as_json(result, seconds, **more)
    finally:
        if collects:
            gc.enable()


def as_json(result, seconds, **more):
    wrong_first = sorted(enumerate(result.launches), key=lambda row: not row[1].findings)
    kept, others = wrong_first[:LAUNCHES], wrong_first[LAUNCHES:]
    numbers = sorted(number for number, _ in kept)
    launches, left = [result.launches[number] for number in numbers], STEPS
    shown = Result(
        result.output, result.error, result.line, result.message, launches, result.namespace
    )
    whole = [len(launch.trace.steps) if launch.trace else 0 for launch in launches]
    for _, launch in kept:
        trace = launch.trace
        if trace and len(trace.steps) > left:
            del trace.steps[left:]
            trace.cut = True
        left -= len(trace.steps) if trace else 0
    data = shown.as_dict(most_steps=STEPS)
    for launch, number in zip(data["launches"], numbers, strict=True):
        launch["number"] = number
    # Findings of launches that are not shown, because more than LAUNCHES have some.
    rest = [f.as_dict() for _, launch in others for f in launch.findings]
    data.update(more, seconds=seconds, rest=rest, whole=whole, hidden=len(others))
    return json.dumps(data, separators=(",", ":"), allow_nan=False, default=str)
