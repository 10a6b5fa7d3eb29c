"""The benchmark harness: right first, then timed, then written down.

A benchmark is a module of this package with a function ``run(bench)``. The rules, in one place:

* An answer is compared with float64 on random data before anything is timed. The output is
  poisoned with NaN first and has a guard behind it, so an element that nobody wrote and an
  element written past the end are both found.
* Ours and each reference take turns (A B A B ...), at least 20 times, in one process. The figure
  is the median; the spread is the distance from the 10th to the 90th percentile, over the median.
* The GPU times itself, by events on the default stream. Before each sample a large buffer is
  written. That empties the L2 cache of the data to be read, and it keeps the GPU busy while the
  host queues the work, so that the time of a launch stays out of the time of a kernel.
* Bytes and operations are the model's: each input counted once, each output once. The rate of a
  plain device copy and that of cuBLAS SGEMM in the same run are in each row.
"""

import ast
import contextlib
import hashlib
import json
import math
import statistics
import time
import traceback
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lockstep import environment, evidence

ROOT = Path(__file__).resolve().parent.parent
KINDS = ("benchmarks", "microbenchmarks")
REPEATS = 20  # a record needs at least these
QUICK_REPEATS = 5
WARMUP = 3
GUARD = 1024  # elements behind an output that nobody may write
MIB, GIB = 2**20, 2**30
# A figure in another unit has no better side, and is compared with no earlier one.
RATES = {"GB/s": 1e9, "TFLOP/s": 1e12, "Gop/s": 1e9}  # more is better; one, in its base unit
TIMES = {"ns": 1e9, "us": 1e6, "ms": 1e3, "s": 1}  # less is better; how many a second has
LESS_IS_BETTER = {*TIMES, "cycles"}


class BenchmarkError(Exception):
    """A wrong answer, a broken rule, or a machine that cannot run a benchmark."""


# ---------------------------------------------------------------- statistics


@dataclass(frozen=True)
class Summary:
    """Median of some samples, and how far they spread.

    ``spread`` is (90th percentile - 10th percentile) / median, a number without a unit.
    """

    median: float
    spread: float
    repeats: int


def summarize(samples: list[float]) -> Summary:
    """Return the summary of at least two samples, in the samples' own unit."""
    middle = statistics.median(samples)
    tenths = statistics.quantiles(samples, n=10, method="inclusive")
    spread = (tenths[-1] - tenths[0]) / middle if middle else 0.0
    return Summary(middle, spread, len(samples))


def interleave(
    calls: Mapping[str, Callable[[], Any]],
    sample: Callable[[Callable[[], Any]], float],
    repeats: int,
    warmup: int = WARMUP,
) -> dict[str, list[float]]:
    """Time several calls in turns (A B C A B C ...), so that drift hits all of them alike.

    ``sample`` takes a call, runs it and returns its time. The first ``warmup`` rounds are dropped:
    they compile, load modules and fill caches.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(-warmup, repeats):
        for name, call in calls.items():
            seconds = sample(call)
            if turn >= 0:
                times[name].append(seconds)
    return times


def regressions(old: list[dict], new: list[dict]) -> list[str]:
    """Return a line for each row that is worse than before by more than both spreads.

    A row is compared with the old row of the same id, unit and size.
    """
    before = {row["id"]: row for row in old}
    lines = []
    for row in new:
        was = before.get(row["id"])
        if was is None or any(was.get(key) != row.get(key) for key in ("unit", "size")):
            continue
        key = "ours" if "ours" in row else "value"
        if not was[key] or not row[key]:
            continue
        if row["unit"] in RATES:
            slower = was[key] / row[key] - 1
        elif row["unit"] in LESS_IS_BETTER:
            slower = row[key] / was[key] - 1
        else:
            continue
        if slower > max(was["spread"], row["spread"]):
            lines.append(
                f"{row['id']}: {was[key]:g} -> {row[key]:g} {row['unit']}, {slower:.1%} slower"
                f" (spreads {was['spread']:.1%} and {row['spread']:.1%})"
            )
    return lines


def again(first: dict, second: dict, date: str, gpu: str | None) -> dict:
    """Return the second measurement of a row: its figures, and whether they differ.

    They differ where they are further apart than the larger of the two spreads.
    """
    key = "ours" if "ours" in first else "value"
    apart = second[key] / first[key] - 1 if first[key] else float(second[key] != 0)
    return evidence.point(second, date) | {
        "spread": second["spread"],
        "gpu": gpu,
        "difference": rounded(apart),
        "differs": abs(apart) > max(first["spread"], second["spread"]),
    }


def rounded(number: float) -> float:
    """Return a number with six significant digits: more than any clock here resolves."""
    return float(f"{number:.6g}")


# ---------------------------------------------------------------- right first


class Output:
    """An output array with a guard behind it, poisoned before a check.

    ``array`` is what a kernel gets. ``xp`` is the array module: cupy, or numpy in the tests.
    """

    def __init__(self, xp, shape, dtype):
        self.xp = xp
        size = math.prod(shape) if isinstance(shape, tuple) else shape
        self.flat = xp.empty(size + GUARD, dtype)
        self.array = self.flat[:size].reshape(shape)
        self.floats = self.flat.dtype.kind == "f"
        self.value = float("nan") if self.floats else int(xp.iinfo(self.flat.dtype).min)
        self.poison()

    def poison(self) -> None:
        """Fill the array and its guard with what no right answer holds."""
        self.flat.fill(self.value)

    def _poisoned(self, part) -> int:
        same = self.xp.isnan(part) if self.floats else part == self.value
        return int(self.xp.count_nonzero(same))

    def error(self, expected) -> float:
        """Return ||array - expected|| / ||expected||, computed in float64.

        Raises ``BenchmarkError`` where an element was left unwritten, or the guard was written.
        """
        left = self._poisoned(self.array)
        if left:
            raise BenchmarkError(f"{left} of {self.array.size} elements were never written")
        over = GUARD - self._poisoned(self.flat[self.array.size :])
        if over:
            raise BenchmarkError(f"{over} elements were written past the end of the output")
        ours, right = self.array.reshape(-1), expected.reshape(-1)
        if ours.shape != right.shape:
            raise BenchmarkError(f"{ours.size} elements, expected {right.size}")
        off = norm = 0.0
        for start in range(0, ours.size, 2**24):  # in pieces: float64 copies are large
            piece = right[start : start + 2**24].astype("float64")
            difference = ours[start : start + 2**24].astype("float64") - piece
            off += float((difference * difference).sum())
            norm += float((piece * piece).sum())
        return math.sqrt(off / norm) if norm else math.sqrt(off)


# ---------------------------------------------------------------- clocks


class EventTimer:
    """Time one call on the GPU's own clock, in seconds, with cold caches."""

    def __init__(self, cupy, flush_bytes: int):
        self.cupy = cupy
        self.buffer = cupy.empty(flush_bytes, cupy.uint8) if flush_bytes else None
        self.start, self.end = cupy.cuda.Event(), cupy.cuda.Event()

    def __call__(self, call: Callable[[], Any]) -> float:
        if self.buffer is not None:
            self.buffer.data.memset_async(1, self.buffer.nbytes, self.cupy.cuda.Stream.null)
        self.start.record(self.cupy.cuda.Stream.null)
        call()
        self.end.record(self.cupy.cuda.Stream.null)
        self.end.synchronize()
        return self.cupy.cuda.get_elapsed_time(self.start, self.end) / 1e3


class WallTimer:
    """Time some calls, back to back, on the host's clock: seconds for one of them.

    With ``wait`` the clock stops when the GPU is done; without, when the last call returned.
    """

    def __init__(self, synchronize: Callable[[], Any], calls: int, wait: bool = True):
        self.synchronize, self.calls, self.wait = synchronize, calls, wait

    def __call__(self, call: Callable[[], Any]) -> float:
        self.synchronize()
        began = time.perf_counter()
        for _ in range(self.calls):
            call()
        if self.wait:
            self.synchronize()
        seconds = time.perf_counter() - began
        self.synchronize()  # the next sample begins with an idle GPU
        return seconds / self.calls


# ---------------------------------------------------------------- sources and records


def sources(script: str, root: Path = ROOT) -> set[str]:
    """Return the files that a benchmark depends on: itself, this one, and what of this repository
    they import, and that imports."""
    found: set[str] = {"benchmarks/harness.py"}
    waiting = [script]
    while waiting:
        path = waiting.pop()
        found.add(path)
        for node in ast.walk(ast.parse((root / path).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [f"{node.module}.{alias.name}" for alias in node.names] + [node.module]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                other = name.replace(".", "/") + ".py"
                ours = name.startswith(("kernels.", "benchmarks.")) and (root / other).is_file()
                if ours and other not in found:
                    waiting.append(other)
    return found


def taken(root: Path, machine: str, script: str) -> dict[str, str]:
    """Return the ids that other scripts of this machine have recorded, each with its script."""
    ids = {}
    for kind in KINDS:
        for file in sorted((root / "evidence" / machine / kind).glob("*.json")):
            record = json.loads(file.read_text(encoding="utf-8"))
            if record["script"] != script:
                ids |= {row["id"]: record["script"] for row in record["rows"]}
    return ids


# ---------------------------------------------------------------- the bench


@dataclass
class Case:
    """One thing to measure: what to call, and what its output must be.

    ``kernel`` is the path of its source from the repository's root. ``extra`` are more numbers
    for the row.
    """

    id: str
    title: str
    kernel: str
    call: Callable[[], Any]
    output: Output
    extra: dict[str, float] = field(default_factory=dict)


@dataclass
class Reference:
    """What the cases are compared with, on the same inputs."""

    name: str
    call: Callable[[], Any]
    output: Output


class Bench:
    """What ``run(bench)`` gets: arrays, clocks, and the rows of one script.

    Args:
        script: the script's path from the repository's root.
        device: a ``Device`` (or its stand-in, in the tests).
        quick: fewer repeats, and nothing is written: for trying a script out.
        root, machine: where the records are, and the name of this machine's folder.
        say: prints progress.
    """

    def __init__(self, script, device, *, quick=False, root=ROOT, machine=None, say=print):
        self.script, self.device, self.quick = script, device, quick
        self.root, self.say = root, say
        if machine is None and not environment.gpus():
            raise BenchmarkError("nvidia-smi does not answer, so no record could name its GPU")
        self.machine = machine or environment.machine()
        self.repeats = QUICK_REPEATS if quick else REPEATS
        self.rows: dict[str, list[dict]] = {kind: [] for kind in KINDS}
        self.failures: list[str] = []
        self._taken = taken(root, self.machine, script)
        self._copy_gbps: float | None = None
        self._cublas_tflops: float | None = None

    # -------------------------------------------------- arrays

    @property
    def xp(self):
        """The array module of the device: cupy."""
        return self.device.xp

    def random(self, shape, dtype="float32"):
        """Return fresh normal random numbers. Zeros would be quicker to multiply, and hide bugs."""
        return self.device.random(shape, dtype)

    def output(self, shape, dtype="float32") -> Output:
        """Return a poisoned output array with a guard behind it."""
        return Output(self.xp, shape, dtype)

    def check(self, name, call, output: Output, expected, tolerance: float) -> float:
        """Poison an output, make the call that fills it, and return its error.

        Raises ``BenchmarkError`` where the error is above ``tolerance`` (NaN always is).
        """
        output.poison()
        call()
        self.device.synchronize()
        try:
            error = output.error(expected)
        except BenchmarkError as wrong:
            raise BenchmarkError(f"{name}: {wrong}") from None
        if not error <= tolerance:
            raise BenchmarkError(f"{name}: error {error:.2e}, at most {tolerance:.0e} is right")
        return error

    # -------------------------------------------------- time

    @contextlib.contextmanager
    def part(self, name: str):
        """Run one part of a script; where it fails, say so and go on with the next part.

        A script with a failed part writes no record: the one before stays.
        """
        self.say(f"[{self.name}] {name}")
        try:
            yield
        except Exception as error:
            self.failures.append(f"{name}: {type(error).__name__}: {error}")
            self.say(f"[{self.name}] FAILED {self.failures[-1]}")
            if not isinstance(error, BenchmarkError):
                traceback.print_exc()

    @property
    def name(self) -> str:
        return Path(self.script).stem

    def samples(self, calls, timer=None, repeats=None) -> dict[str, Summary]:
        """Time calls in turns and return a summary for each, in seconds.

        ``calls`` maps names to functions without arguments. ``timer`` is events with cold caches,
        unless another is given.
        """
        repeats = min(repeats or self.repeats, self.repeats) if self.quick else repeats
        repeats = repeats or self.repeats
        if not self.quick and repeats < REPEATS:
            raise BenchmarkError(f"{repeats} repeats: a record needs {REPEATS}")
        self.say(f"[{self.name}]   {', '.join(calls)}: {repeats} x {len(calls)}")
        times = interleave(calls, timer or self.device.timer, repeats)
        return {name: summarize(samples) for name, samples in times.items()}

    @property
    def copy_gbps(self) -> float:
        """The rate of a plain copy from device to device in this run: bytes read plus written."""
        if self._copy_gbps is None:
            call, moved = self.device.copy(64 * MIB if self.quick else GIB)
            summary = self.samples({"device copy": call})["device copy"]
            self._copy_gbps = rounded(moved / summary.median / 1e9)
        return self._copy_gbps

    @property
    def cublas_tflops(self) -> float:
        """The rate of cuBLAS SGEMM, without TF32, in this run: the ceiling that a GEMM knows."""
        if self._cublas_tflops is None:
            call, flops = self.device.sgemm(512 if self.quick else 4096)
            summary = self.samples({"cuBLAS SGEMM": call})["cuBLAS SGEMM"]
            self._cublas_tflops = rounded(flops / summary.median / 1e12)
        return self._cublas_tflops

    # -------------------------------------------------- rows

    def compare(
        self,
        cases: list[Case],
        reference: Reference,
        expected,
        *,
        size: int,
        dtype: str,
        unit: str,
        tolerance: float,
        bytes: float | None = None,
        flops: float | None = None,
        timer=None,
    ) -> list[dict]:
        """Check all cases and the reference, time them in turns, and add a row for each case.

        Args:
            expected: the right answer, an array in float64 (or exact integers).
            size: the problem's size, as the title explains it.
            unit: of ``ours`` and ``reference``: GB/s, TFLOP/s, us or ms.
            tolerance: the largest error allowed, ||ours - expected|| / ||expected||.
            bytes, flops: what one call moves and computes, by the model.
        """
        errors = {}
        for case in [*cases, reference]:
            name = case.id if isinstance(case, Case) else case.name
            errors[name] = self.check(name, case.call, case.output, expected, tolerance)
        copy_gbps, cublas_tflops = self.copy_gbps, self.cublas_tflops
        worst = max(errors.values())
        self.say(f"[{self.name}]   right: {len(errors)} answers, worst error {worst:.1e}")

        calls = {case.id: case.call for case in cases} | {reference.name: reference.call}
        times = self.samples(calls, timer)
        theirs = times[reference.name]
        rows = []
        amount = flops if unit == "TFLOP/s" else bytes
        for case in cases:
            ours = times[case.id]
            row = {
                "id": case.id,
                "title": case.title,
                "kernel": case.kernel,
                "sha256": evidence.file_digest(self.root / case.kernel),
                "size": size,
                "dtype": dtype,
                "ours": self._in_unit(ours.median, unit, amount),
                "reference": self._in_unit(theirs.median, unit, amount),
                "reference_name": reference.name,
                "unit": unit,
                "ratio": rounded(theirs.median / ours.median),
                "reference_share": rounded(theirs.median / ours.median),  # the same, shown as %
                "spread": rounded(ours.spread),
                "reference_spread": rounded(theirs.spread),
                "error": rounded(errors[case.id]),
                "reference_error": rounded(errors[reference.name]),
                "repeats": ours.repeats,
                "us": rounded(ours.median * 1e6),
                "reference_us": rounded(theirs.median * 1e6),
                "copy_gbps": copy_gbps,
                "cublas_tflops": cublas_tflops,
            }
            if bytes:
                row["bytes"] = bytes
                row["gbps"] = rounded(bytes / ours.median / 1e9)
                row["reference_gbps"] = rounded(bytes / theirs.median / 1e9)
                row["copy_share"] = rounded(row["gbps"] / copy_gbps)
            if flops:
                row["flops"] = flops
                row["tflops"] = rounded(flops / ours.median / 1e12)
                row["reference_tflops"] = rounded(flops / theirs.median / 1e12)
            rows.append(self._add("benchmarks", row | case.extra))
        return rows

    @staticmethod
    def _in_unit(seconds: float, unit: str, amount: float | None) -> float:
        if unit in TIMES:
            return rounded(seconds * TIMES[unit])
        if unit in RATES:
            return rounded(amount / seconds / RATES[unit])
        return rounded(seconds)  # not seconds then, but what the unit says

    def micro(
        self,
        id: str,
        title: str,
        summary: Summary,
        *,
        unit: str,
        method: str,
        kernel: str | None = None,
        amount: float = 1,
        terms: list[str] | None = None,
        extra: Mapping[str, float] | None = None,
    ) -> dict:
        """Add a microbenchmark row from a summary, in seconds where the unit is a time or a rate.

        ``amount`` is what one timed call does: bytes for GB/s, operations for TFLOP/s and Gop/s,
        and for anything else how often it does the thing. A summary for another unit, such as
        cycles, is in that unit. ``kernel`` is the path of the source that measured; without it,
        the script. ``terms`` are glossary ids.
        """
        path = kernel or self.script
        median = summary.median / (1 if unit in RATES else amount)
        row = {
            "id": id,
            "title": title,
            "value": self._in_unit(median, unit, amount),
            "unit": unit,
            "spread": rounded(summary.spread),
            "method": method,
            "kernel": path,
            "sha256": evidence.file_digest(self.root / path),
            "repeats": summary.repeats,
            "terms": terms or [],
        }
        return self._add("microbenchmarks", row | dict(extra or {}))

    def _add(self, kind: str, row: dict) -> dict:
        mine = {other["id"] for rows in self.rows.values() for other in rows}
        owner = self.script if row["id"] in mine else self._taken.get(row["id"])
        if owner:
            raise BenchmarkError(f"the id {row['id']} of {self.script} is taken by {owner}")
        bad = [key for key, value in row.items() if isinstance(value, float) and value != value]
        if bad:
            raise BenchmarkError(f"{row['id']}: {', '.join(bad)} is not a number")
        self.rows[kind].append(row)
        return row

    # -------------------------------------------------- the record

    def path(self, kind: str) -> Path:
        return self.root / "evidence" / self.machine / kind / f"{self.name}.json"

    def regressions(self) -> list[str]:
        """Compare the rows with the record that is there now, if the same GPU made it."""
        lines = []
        for kind in KINDS:
            if self.path(kind).is_file():
                old = json.loads(self.path(kind).read_text(encoding="utf-8"))
                if old["device"]["name"] == environment.describe()["device"]["name"]:
                    lines += regressions(old["rows"], self.rows[kind])
        return lines

    def write(self) -> list[Path]:
        """Write the records, each whole or not at all, and return their paths.

        Raises ``BenchmarkError`` where a part failed or nothing was measured.
        """
        head = self._head()
        written = []
        for kind, rows in self.rows.items():
            if rows:
                evidence.write(self.path(kind), head | {"rows": rows} | environment.describe())
                written.append(self.path(kind))
            else:
                self.path(kind).unlink(missing_ok=True)  # the script no longer measures this kind
        return written

    def write_again(self) -> list[Path]:
        """Add this run to the records that are there, as a second measurement of each row.

        Raises ``BenchmarkError`` where there is no record, or it is of other code, of another
        kind of GPU or of other rows: then the two cannot be compared.
        """
        head, here = self._head(), environment.describe()
        written = []
        for kind, rows in self.rows.items():
            if not rows:
                continue
            path = self.path(kind)
            if not path.is_file():
                raise BenchmarkError(f"{path.relative_to(self.root)} is not there: measure first")
            record = json.loads(path.read_text(encoding="utf-8"))
            old, new = record["sources"], head["sources"]
            changed = sorted(p for p in old.keys() | new.keys() if old.get(p) != new.get(p))
            if changed:
                raise BenchmarkError(f"the record is of other code: {', '.join(changed)}")
            if record["device"]["name"] != here["device"]["name"]:
                raise BenchmarkError(f"the record is of an {record['device']['name']}")
            second = {row["id"]: row for row in rows}
            if second.keys() != {row["id"] for row in record["rows"]}:
                raise BenchmarkError(f"the record at {path.relative_to(self.root)} has other rows")
            for row in record["rows"]:
                point = again(row, second[row["id"]], here["date"], self.device.gpu)
                row["again"] = [*row.get("again", []), point]
            evidence.write(path, record, history=False)
            written.append(path)
        return written

    def _head(self) -> dict:
        if self.failures:
            raise BenchmarkError(f"{len(self.failures)} parts failed; the record before stays")
        if not any(self.rows.values()):
            raise BenchmarkError("no row was measured")
        paths = sources(self.script, self.root)
        paths |= {row["kernel"] for rows in self.rows.values() for row in rows}
        hashes = {path: evidence.file_digest(self.root / path) for path in sorted(paths)}
        head = {"schema": evidence.SCHEMA, "script": self.script, "sources": hashes}
        return head | {"gpu": self.device.gpu}


# ---------------------------------------------------------------- the GPU


class Device:
    """The GPU, through CuPy; Numba kernels run on the same default stream.

    Raises ``BenchmarkError`` where there is no GPU or no CuPy.
    """

    def __init__(self):
        try:
            import cupy
        except ImportError as error:
            raise BenchmarkError(
                f"benchmarks need CuPy and an NVIDIA GPU ({error}): install the extra gpu"
            ) from None
        try:
            self.count = cupy.cuda.runtime.getDeviceCount()
        except cupy.cuda.runtime.CUDARuntimeError as error:
            raise BenchmarkError(f"benchmarks need an NVIDIA GPU: none here ({error})") from None
        # Numba warns of the small grids that launch.py and vector_add.py use on purpose.
        warnings.filterwarnings("ignore", message=".*Grid size")
        self.xp = cupy
        runtime = cupy.cuda.runtime
        self.multiprocessors = runtime.deviceGetAttribute(runtime.cudaDevAttrMultiProcessorCount, 0)
        self.l2_bytes = runtime.deviceGetAttribute(runtime.cudaDevAttrL2CacheSize, 0)
        # Tells two GPUs of one kind apart, and does not say which they are.
        uuid = bytes(runtime.getDeviceProperties(0)["uuid"])
        self.gpu = hashlib.sha256(uuid).hexdigest()[:8]
        self._generator = None
        self._timer = None

    def synchronize(self) -> None:
        self.xp.cuda.Device().synchronize()

    def random(self, shape, dtype="float32"):
        if self._generator is None:
            self._generator = self.xp.random.default_rng()
        return self._generator.standard_normal(shape, dtype=dtype)

    @property
    def timer(self) -> EventTimer:
        """Events, with a flush that is larger than twice the L2 and lasts longer than a launch."""
        if self._timer is None:
            _, total = self.xp.cuda.runtime.memGetInfo()
            size = max(min(GIB, total // 16), 3 * self.l2_bytes)
            self._timer = EventTimer(self.xp, size)
        return self._timer

    def copy(self, size: int):
        """Return a call that copies ``size`` bytes on the device, and the bytes that it moves."""
        source = self.random(size // 4)
        target = self.xp.empty_like(source)
        stream = self.xp.cuda.Stream.null

        def call():
            target.data.copy_from_device_async(source.data, size, stream)

        return call, 2 * size

    def sgemm(self, n: int):
        """Return a call of cuBLAS SGEMM for n x n matrices, no TF32, and its operations."""
        a, b = self.random((n, n)), self.random((n, n))
        out = self.xp.empty_like(a)
        return (lambda: self.xp.matmul(a, b, out=out)), 2 * n**3

    @staticmethod
    def numba(array):
        """Return Numba's view of a CuPy array: the same memory, and a quick launch."""
        from numba import cuda

        return cuda.as_cuda_array(array, sync=False)

    def free(self) -> None:
        """Give CuPy's cached memory back between scripts."""
        self._timer = None
        self.xp.get_default_memory_pool().free_all_blocks()
