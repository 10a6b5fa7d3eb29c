"""The benchmark harness, with NumPy for the GPU and a clock that says what it is told."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks import __main__ as command
from benchmarks import harness
from benchmarks.harness import Bench, BenchmarkError, Case, Output, Reference, Summary
from lockstep import evidence
from lockstep_site.gpu import unrun

ROOT = Path(__file__).resolve().parent.parent


class Clock:
    """Give each call the seconds that were planned for it, and note the order of calls."""

    def __init__(self, seconds):
        self.seconds, self.order = seconds, []

    def __call__(self, call):
        name = call()
        self.order.append(name)
        seconds = self.seconds[name]
        return seconds.pop(0) if isinstance(seconds, list) else seconds


class Device:
    """A GPU that is NumPy."""

    xp = np
    count = 1
    gpu = "first"

    def __init__(self, clock=None):
        self.timer = clock

    def synchronize(self):
        pass

    def random(self, shape, dtype="float32"):
        return np.random.default_rng(0).standard_normal(shape, dtype=dtype)

    def copy(self, size):
        return (lambda: "copy"), 2 * size

    def sgemm(self, n):
        return (lambda: "sgemm"), 2 * n**3

    def free(self):
        pass


RUN = "def run(bench):\n    pass\n"


@pytest.fixture
def repository(tmp_path):
    """A repository with one script, which imports one kernel."""
    for path, text in {
        "benchmarks/harness.py": "",
        "benchmarks/one.py": f'"""One."""\nfrom kernels.ladder.first import kernel\n{RUN}',
        "benchmarks/two.py": f'"""Two."""\n{RUN}',
        "kernels/ladder/first.py": "from kernels.ladder.second import kernel\n",
        "kernels/ladder/second.py": "import os\nkernel = 1\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def make(repository, script="one", clock=None, **options):
    quiet = {"say": lambda line: None, "root": repository, "machine": "test-gpu"}
    return Bench(f"benchmarks/{script}.py", Device(clock), **quiet | options)


def micro(bench, id="first", value=2e-6, unit="us", spread=0.01):
    return bench.micro(id, "A title", Summary(value, spread, 20), unit=unit, method="by hand")


# ---------------------------------------------------------------- statistics


def test_calls_take_turns_and_the_warm_up_is_dropped():
    clock = Clock({"a": [9, 9, 1, 2, 3], "b": [8, 8, 4, 5, 6]})
    times = harness.interleave({"a": lambda: "a", "b": lambda: "b"}, clock, 3, warmup=2)
    assert clock.order == ["a", "b"] * 5
    assert times == {"a": [1, 2, 3], "b": [4, 5, 6]}


def test_median_and_spread():
    samples = [float(value) for value in range(1, 22)]  # 1 to 21: tenths at 3 and 19
    summary = harness.summarize(samples[::-1])
    assert summary == Summary(median=11.0, spread=(19 - 3) / 11, repeats=21)
    assert harness.summarize([4.0] * 20).spread == 0


@pytest.mark.parametrize(
    ("change", "worse"),
    [
        ({"ours": 80}, True),  # a rate that fell by a fifth
        ({"ours": 120}, False),
        ({"ours": 96}, False),  # inside the old spread
        ({"ours": 80, "spread": 0.3}, False),  # inside the new spread
        ({"ours": 80, "size": 2}, False),  # another problem
        ({"ours": 80, "id": "other"}, False),
        ({"ours": 120, "unit": "us"}, False),  # another unit
    ],
)
def test_a_rate_regresses_when_it_falls_by_more_than_both_spreads(change, worse):
    row = {"id": "x", "ours": 100, "unit": "GB/s", "size": 1, "spread": 0.05}
    found = harness.regressions([row], [row | change])
    assert bool(found) == worse
    if worse:
        assert found[0].startswith("x: 100 -> 80 GB/s, 25.0% slower")


@pytest.mark.parametrize(("now", "worse"), [(130, True), (105, False), (80, False)])
def test_a_time_regresses_when_it_grows(now, worse):
    row = {"id": "x", "value": 100, "unit": "us", "spread": 0.1}
    assert bool(harness.regressions([row], [row | {"value": now}])) == worse


# ---------------------------------------------------------------- right first


def test_a_right_output_has_no_error():
    output = Output(np, (3, 4), "float32")
    right = np.arange(12.0).reshape(3, 4)
    output.array[:] = right
    assert output.error(right) == 0


def test_the_error_is_relative_to_the_whole():
    output = Output(np, 2, "float32")
    output.array[:] = [3, 5]
    assert output.error(np.array([3.0, 4.0])) == pytest.approx(1 / 5)


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_an_element_that_nobody_wrote_is_found(dtype):
    output = Output(np, 5, dtype)
    output.array[:4] = 1
    with pytest.raises(BenchmarkError, match="1 of 5 elements were never written"):
        output.error(np.ones(5))


@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_a_write_past_the_end_is_found(dtype):
    output = Output(np, 5, dtype)
    output.flat[:6] = 1
    with pytest.raises(BenchmarkError, match="1 elements were written past the end"):
        output.error(np.ones(5))


def test_each_check_poisons_again(repository):
    bench = make(repository)
    output = bench.output(3)
    right = np.ones(3)
    assert bench.check("fills", lambda: output.array.fill(1), output, right, 0.0) == 0
    with pytest.raises(BenchmarkError, match="idle: 3 of 3 elements were never written"):
        bench.check("idle", lambda: None, output, right, 0.0)


# ---------------------------------------------------------------- rows


def compare(bench, ours, theirs, **options):
    """Compare two ways to fill an output with ones; return the rows."""
    output = bench.output(100)

    def fill(name, value):
        def call():
            output.array.fill(value)
            return name

        return call

    case = Case("ladder-first", "A title", "kernels/ladder/first.py", fill("ours", ours), output)
    return bench.compare(
        [case],
        Reference("the other", fill("theirs", theirs), output),
        np.ones(100),
        size=100,
        dtype="float32",
        tolerance=1e-6,
        **{"unit": "GB/s", "bytes": 1e9, "flops": 4e12} | options,
    )


def test_a_row_holds_what_was_measured(repository):
    clock = Clock({"ours": 0.5, "theirs": 1.0, "copy": 0.001, "sgemm": 0.01})
    row = compare(make(repository, clock=clock), 1, 1)[0]
    assert row["sha256"] == harness.evidence.file_digest(repository / "kernels/ladder/first.py")
    copy_gbps = harness.rounded(2 * harness.GIB / 0.001 / 1e9)
    expected = {"ours": 2, "reference": 1, "ratio": 2, "gbps": 2, "tflops": 8, "us": 5e5}
    expected |= {"reference_us": 1e6, "error": 0, "spread": 0, "repeats": 20, "unit": "GB/s"}
    expected |= {"reference_name": "the other", "copy_gbps": copy_gbps}
    expected |= {"cublas_tflops": harness.rounded(2 * 4096**3 / 0.01 / 1e12)}
    expected |= {"copy_share": harness.rounded(2 / copy_gbps)}
    assert {key: row[key] for key in expected} == expected
    measured = [name for name in clock.order if name in ("ours", "theirs")]
    assert measured == ["ours", "theirs"] * (20 + harness.WARMUP)


@pytest.mark.parametrize(("unit", "ours"), [("us", 5e5), ("ms", 500), ("TFLOP/s", 8), ("GB/s", 2)])
def test_units(repository, unit, ours):
    clock = Clock({"ours": 0.5, "theirs": 1.0, "copy": 0.001, "sgemm": 0.01})
    row = compare(make(repository, clock=clock), 1, 1, unit=unit)[0]
    assert (row["ours"], row["ratio"]) == (ours, 2)


@pytest.mark.parametrize(("ours", "theirs", "name"), [(2, 1, "ladder-first"), (1, 2, "the other")])
def test_a_wrong_answer_is_never_timed(repository, ours, theirs, name):
    clock = Clock({"ours": 0.5, "theirs": 1.0, "copy": 0.001, "sgemm": 0.01})
    bench = make(repository, clock=clock)
    with pytest.raises(BenchmarkError, match=f"{name}: error 1.00e"):
        compare(bench, ours, theirs)
    assert clock.order == [] and bench.rows["benchmarks"] == []


def test_nan_is_not_right(repository):
    with pytest.raises(BenchmarkError, match="never written"):
        compare(make(repository), float("nan"), 1)


def test_a_time_is_divided_by_how_often_the_thing_was_done(repository):
    bench = make(repository)
    row = bench.micro("x", "t", Summary(1e-3, 0, 20), unit="us", method="m", amount=50)
    assert row["value"] == 20
    row = bench.micro("y", "t", Summary(1e-3, 0, 20), unit="GB/s", method="m", amount=1e9)
    assert row["value"] == 1000
    assert (row["kernel"], row["terms"]) == ("benchmarks/one.py", [])
    row = bench.micro("z", "t", Summary(640.0, 0, 20), unit="cycles", method="m", amount=20)
    assert row["value"] == 32


def test_fewer_than_twenty_repeats_are_refused(repository):
    bench = make(repository, clock=Clock({"a": 1.0}))
    with pytest.raises(BenchmarkError, match="19 repeats: a record needs 20"):
        bench.samples({"a": lambda: "a"}, repeats=19)


def test_an_id_is_used_once_in_a_script(repository):
    bench = make(repository)
    micro(bench)
    with pytest.raises(BenchmarkError, match="first of benchmarks/one.py is taken by benchmarks/o"):
        micro(bench)


def test_an_id_of_another_script_is_refused_with_both_names(repository):
    two = make(repository, "two")
    micro(two)
    two.write()
    with pytest.raises(BenchmarkError, match="of benchmarks/one.py is taken by benchmarks/two.py"):
        micro(make(repository))
    micro(make(repository, "two"))  # a script may measure its own row again


# ---------------------------------------------------------------- the record


def test_the_record_names_what_it_depends_on(repository):
    bench = make(repository)
    micro(bench)
    (path,) = bench.write()
    assert path == repository / "evidence/test-gpu/microbenchmarks/one.json"
    record = json.loads(path.read_text())
    assert list(record["sources"]) == [
        "benchmarks/harness.py",
        "benchmarks/one.py",
        "kernels/ladder/first.py",
        "kernels/ladder/second.py",  # which the first imports
    ]
    for source, sha256 in record["sources"].items():
        assert sha256 == harness.evidence.file_digest(repository / source)
    assert record["gpu"] == "first"
    assert (record["schema"], record["script"]) == (1, "benchmarks/one.py")
    assert [row["id"] for row in record["rows"]] == ["first"]
    assert {"device", "packages", "python", "date"} < record.keys()


def test_a_failed_part_does_not_stop_the_next_and_keeps_the_old_record(repository):
    bench = make(repository)
    micro(bench)
    (path,) = bench.write()
    before = path.read_text()

    bench = make(repository)
    with bench.part("breaks"):
        raise BenchmarkError("it does")
    with bench.part("works"):
        micro(bench, value=5e-6)
    with pytest.raises(BenchmarkError, match="1 parts failed"):
        bench.write()
    assert bench.failures == ["breaks: BenchmarkError: it does"]
    assert path.read_text() == before


def test_a_record_is_whole_or_not_there(repository, monkeypatch):
    bench = make(repository)
    micro(bench)
    (path,) = bench.write()
    before = path.read_text()

    def dies(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", dies)
    bench = make(repository)
    micro(bench, value=7e-6)
    with pytest.raises(KeyboardInterrupt):
        bench.write()
    assert path.read_text() == before
    assert os.listdir(path.parent) == ["one.json"]


def test_a_script_without_rows_writes_nothing(repository):
    with pytest.raises(BenchmarkError, match="no row was measured"):
        make(repository).write()
    assert not (repository / "evidence").exists()


def test_a_regression_is_reported_against_the_record(repository):
    bench = make(repository)
    micro(bench)
    bench.write()
    bench = make(repository)
    micro(bench, value=3e-6)
    assert bench.regressions() == [
        "first: 2 -> 3 us, 50.0% slower (spreads 1.0% and 1.0%)",
    ]


# ---------------------------------------------------------------- a second machine


def test_a_second_measurement_stands_beside_the_first(repository):
    bench = make(repository)
    micro(bench)
    micro(bench, id="second", unit="cycles", value=10.0)
    bench.write()
    elsewhere = make(repository)
    elsewhere.device.gpu = "other"
    micro(elsewhere, value=2.01e-6)  # inside the spread of a hundredth
    micro(elsewhere, id="second", unit="cycles", value=11.0)
    (path,) = elsewhere.write_again()
    record = evidence.readable(path)
    first, second = record["rows"]
    assert (first["value"], first["history"], record["gpu"]) == (2, [], "first")
    point = first["again"][0]
    assert (point["value"], point["gpu"], point["differs"]) == (2.01, "other", False)
    assert (second["again"][0]["difference"], second["again"][0]["differs"]) == (0.1, True)


def test_a_new_measurement_drops_the_second_of_the_old_one(repository):
    for write in ("write", "write_again", "write"):
        bench = make(repository)
        micro(bench)
        (path,) = getattr(bench, write)()
    (row,) = evidence.readable(path)["rows"]
    assert "again" not in row and len(row["history"]) == 1


def test_a_second_measurement_of_something_else_is_refused(repository):
    bench = make(repository)
    micro(bench)
    with pytest.raises(BenchmarkError, match="one.json is not there: measure first"):
        bench.write_again()
    (path,) = bench.write()
    before = path.read_text()
    other = make(repository)
    micro(other, id="another")
    with pytest.raises(BenchmarkError, match="has other rows"):
        other.write_again()
    (repository / "kernels/ladder/second.py").write_text("kernel = 2\n")
    with pytest.raises(BenchmarkError, match="of other code: kernels/ladder/second.py$"):
        bench.write_again()
    assert path.read_text() == before


# ---------------------------------------------------------------- the command


def test_every_script_depends_on_files_that_are_there():
    known = command.scripts()
    assert {"vector_add", "memory_hierarchy", "naive_matmul", "launch", "nccl"} <= known.keys()
    for name, about in known.items():
        found = harness.sources(about["path"])
        assert about["path"] in found and Path(about["path"]).stem == name and about["summary"]
        assert all((ROOT / path).is_file() for path in found)
    assert "kernels/naive_matmul/matmul.py" in harness.sources("benchmarks/naive_matmul.py")
    assert known["nccl"]["gpus"] == 2


def test_names_may_be_written_in_three_ways():
    known = command.scripts()
    for name in ("vector_add", "vector-add", "benchmarks/vector_add.py"):
        assert command.choose([name], known) == ["vector_add"]
    assert command.choose([], known) == list(known)


def run_command(*arguments, **environment):
    env = {k: v for k, v in os.environ.items() if k != "NUMBA_ENABLE_CUDASIM"} | environment
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=env,
    )


@pytest.mark.parametrize(
    ("arguments", "environment", "message"),
    [
        ([], {"CUDA_VISIBLE_DEVICES": ""}, "an NVIDIA GPU"),
        ([], {"NUMBA_ENABLE_CUDASIM": "1"}, "NUMBA_ENABLE_CUDASIM is set"),
        (["no-such"], {}, "no benchmark no_such: there are "),
    ],
)
def test_what_cannot_run_says_so_in_one_line(arguments, environment, message):
    done = run_command(*arguments, **environment)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr and done.stderr.count("\n") == 1


def test_the_list_needs_no_gpu():
    done = run_command("--list")
    assert done.returncode == 0
    assert "nccl" in done.stdout and "(needs 2 GPUs)" in done.stdout


def test_a_script_that_fails_or_needs_more_gpus_does_not_stop_the_others(
    repository, monkeypatch, capsys
):
    (repository / "benchmarks/micro").mkdir()
    (repository / "benchmarks/micro/three.py").write_text(f'"""Three."""\nGPUS = 2\n{RUN}')
    (repository / "benchmarks/shared.py").write_text('"""What others import: no script."""\n')
    monkeypatch.delenv("NUMBA_ENABLE_CUDASIM", raising=False)
    monkeypatch.setattr(command, "scripts", lambda: real(repository / "benchmarks"))
    monkeypatch.setattr(command.importlib, "import_module", Script)
    monkeypatch.setattr(
        command.harness,
        "Bench",
        lambda script, device, **options: make(repository, Path(script).stem, **options),
    )

    assert command.main([], make_device=Device) == 1
    out = capsys.readouterr()
    assert "[three] skipped: needs 2 GPUs, here: 1" in out.out
    assert "1 benchmarks ran, 1 skipped, 1 failed" in out.out
    assert "FAILED one: ValueError: one is broken" in out.err
    written = sorted(path.name for path in (repository / "evidence").rglob("*.json"))
    assert written == ["two.json"]

    assert command.main(["two", "--quick"], make_device=Device) == 0
    assert "quick: nothing is written" in capsys.readouterr().out


real = command.scripts


class Script:
    """A benchmark module: one breaks, two measures."""

    def __init__(self, name):
        self.name = name.split(".")[-1]

    def run(self, bench):
        if self.name == "one":
            raise ValueError("one is broken")
        micro(bench)


def test_the_experiments_of_two_processes_still_find_what_they_change():
    from benchmarks.micro import (
        two_change_beside,
        two_change_bubbles,
        two_change_ddp,
        two_change_overlap,
        two_change_wide,
    )

    wide = two_change_wide.changed((ROOT / two_change_wide.MEASURE).read_text("utf-8"), 2048)
    assert "width=2048" in compiled(wide) and "host[WARMUP:]" in wide
    ddp = two_change_ddp.changed((ROOT / two_change_wide.MEASURE).read_text("utf-8"), 2048)
    assert f"for name in {tuple(two_change_ddp.WAYS)}" in compiled(ddp)
    beside = two_change_beside.changed(Path(two_change_overlap.__file__).read_text("utf-8"))
    assert '"width": 2048' in compiled(beside)
    rounds = two_change_bubbles.changed((ROOT / two_change_bubbles.PARALLEL).read_text("utf-8"))
    assert "\nbubbles()" not in compiled(rounds) and "same_gradients()\n" in rounds
    for name in two_change_bubbles.NAMES:
        assert f"def {name}(stage, micro)" in rounds


def compiled(source):
    compile(source, "changed", "exec")
    return source


def test_what_nccl_chose_is_read_off_its_log():
    from benchmarks.micro.two_change_protocols import channels, chosen, in_words

    line = "gpu:1:1 [0] NCCL INFO {}: {} Bytes -> Algo RING proto {} channel{{Lo..Hi}}={{0..{}}}\n"
    log = line.format("AllReduce", 4096, "LL", 3) + line.format("AllReduce", 2**30, "SIMPLE", 23)
    how = chosen(log + line.format("AllGather", 16, "LL", 0))
    assert channels(how["AllReduce"]) == {"channels": 24} and channels(how["AllGather"])
    assert in_words(how["AllReduce"]) == "; by its log NCCL took RING and SIMPLE"
    assert chosen("24 coll channels") == {} and channels(None) == {} and in_words({}) == ""


def test_the_parts_of_a_profiled_step():
    from benchmarks.micro.two_change_overlap import parts

    found = parts([("gemm", 0, 2), ("ncclDevKernel_AllReduce", 1, 4), ("adamw", 5, 6)])
    assert found == {
        "compute": 3, "nccl": 3, "gaps": 1, "beside": 1, "span": 6, "kernels": 3
    }  # fmt: skip


def test_a_benchmark_that_no_machine_ran_is_told_and_fails_nothing(tmp_path):
    folder = tmp_path / "benchmarks"
    (folder / "micro").mkdir(parents=True)
    (folder / "__main__.py").touch()
    (folder / "shared.py").write_text('"""What the scripts share."""\n')
    for name, gpus in (("ran", ""), ("micro/ran_too", ""), ("waits", "GPUS = 4\n")):
        text = f'"""A benchmark."""\n{gpus}\ndef run(bench):\n    pass\n'
        (folder / f"{name}.py").write_text(text)
    for kind, name in (("benchmarks", "ran"), ("microbenchmarks", "micro/ran_too")):
        record = tmp_path / f"evidence/nvidia-h200/{kind}/{Path(name).name}.json"
        record.parent.mkdir(parents=True)
        record.write_text(json.dumps({"script": f"benchmarks/{name}.py"}))
    assert unrun.notes(tmp_path) == ["\n1 benchmark never run", "  benchmarks/waits.py, for 4 GPUs"]
    (folder / "waits.py").unlink()
    assert unrun.notes(tmp_path) == []
