"""What `make metal` does on a Mac, with a stand-in for PyObjC's module Metal: there is no Mac here.

The stand-in takes the calls that the real module takes, by the same names, and runs the kernels on
the CPU. So what is proved is the order and the arguments of the calls, and the records.
"""

import ctypes
import fnmatch
import shutil
import types

import numpy as np
import pytest
import yaml

from lockstep import evidence
from lockstep.page import find_root, read
from lockstep.stamps import proof_words, stamp
from lockstep_site.gpu.targets import APPLE
from simulator import hosts, metal, pairs
from tests.houses import settle
from tests.records import all_records
from tools import apple

ROOT = find_root()


class Function(types.SimpleNamespace):
    """A kernel of a library, with its constants."""


class Place:
    """A buffer of the device."""

    def __init__(self, data):
        self.data = bytearray(data)

    def contents(self):
        return types.SimpleNamespace(as_buffer=lambda size: memoryview(self.data)[:size])


class Commands:
    """A command buffer with its one encoder: nothing runs before commit."""

    def __init__(self, device):
        self.device, self.bound, self.done, self.calls = device, {}, False, []

    def computeCommandEncoder(self):
        return self

    def setComputePipelineState_(self, pipeline):
        self.pipeline = pipeline

    def setBuffer_offset_atIndex_(self, place, offset, index):
        assert offset == 0
        self.bound[index] = place

    def setBytes_length_atIndex_(self, data, length, index):
        assert length == len(data) <= 4096
        self.bound[index] = Place(data)

    def dispatchThreads_threadsPerThreadgroup_(self, grid, group):
        self.calls.append((metal.dispatch_threads, grid, group))

    def dispatchThreadgroups_threadsPerThreadgroup_(self, grid, group):
        self.calls.append((metal.dispatch_threadgroups, grid, group))

    def endEncoding(self):
        self.ended = True

    def commit(self):
        assert self.ended
        self.committed = True

    def waitUntilCompleted(self):
        assert self.committed
        function = self.pipeline.function
        kinds = {
            i: t for k, i, t, _ in function.unit.kernel(function.name).bindings if k == "buffer"
        }
        arrays = {
            i: np.frombuffer(place.data, metal.SCALARS[kinds[i]]) for i, place in self.bound.items()
        }
        for call, grid, group in self.calls:
            call(function.unit, function.name, arrays, grid, group, constants=function.constants)
        self.done = True

    def status(self):
        return 4 if self.done and self.device.works else 5

    def error(self):
        return "a fault"


class Device:
    works = True

    def name(self):
        return "Apple Test"

    def newCommandQueue(self):
        return types.SimpleNamespace(commandBuffer=lambda: Commands(self))

    def newLibraryWithSource_options_error_(self, text, options, error):
        assert options.fast is False
        try:
            unit = metal.read("k.metal", text)
        except hosts.HostError as problem:
            return None, str(problem)

        def function(name, constants=None):
            return Function(unit=unit, name=name, constants=constants or {})

        def with_constants(name, values, error):
            return function(name, values.values), None

        return types.SimpleNamespace(
            newFunctionWithName_=function, newFunctionWithName_constantValues_error_=with_constants
        ), None

    def newComputePipelineStateWithFunction_error_(self, function, error):
        pipeline = types.SimpleNamespace(
            function=function,
            maxTotalThreadsPerThreadgroup=lambda: 1024,
            threadExecutionWidth=lambda: 32,
        )
        return pipeline, None

    def newBufferWithBytes_length_options_(self, data, length, options):
        assert length == len(data)
        return Place(data)


class Values:
    def __init__(self):
        self.values = {}

    def setConstantValue_type_atIndex_(self, address, kind, index):
        ctype, dtype = {
            29: (ctypes.c_int32, np.int32),
            53: (ctypes.c_bool, np.bool_),
        }[kind]
        self.values[index] = dtype(ctype.from_address(address).value)


class Options:
    def setFastMathEnabled_(self, fast):
        self.fast = fast


def made(kind):
    return types.SimpleNamespace(alloc=lambda: types.SimpleNamespace(init=kind))


@pytest.fixture
def gpu():
    if hosts.compiler() is None:
        pytest.skip(hosts.WHY_NOT)
    device = Device()
    module = types.SimpleNamespace(
        MTLCreateSystemDefaultDevice=lambda: device,
        MTLCompileOptions=made(Options),
        MTLFunctionConstantValues=made(Values),
        MTLResourceStorageModeShared=0,
        MTLCommandBufferStatusCompleted=4,
        MTLDataTypeInt=29,
        MTLDataTypeBool=53,
        MTLSize=lambda *size: size,
    )
    return apple.Gpu(module)


@pytest.fixture
def root(tmp_path):
    """A repository with three pairs: threads, groups with atomics, and function constants."""
    settle(tmp_path)
    for name in ("add", "histogram", "function_constants"):
        page = f"docs/metal/pairs/{name.replace('_', '-')}.md"
        for path in (page, f"kernels/pairs/{name}.py", f"kernels/pairs/{name}_cuda.py"):
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, tmp_path / path)
        shutil.copytree(ROOT / "snippets/pairs" / name, tmp_path / "snippets/pairs" / name)
    return tmp_path


def page_of(root, name):
    return read(root / f"docs/metal/pairs/{name}.md", root)


def test_pairs_run_and_their_pages_say_so(gpu, root, monkeypatch, capsys):
    few = {n: pairs.PAIRS[n] for n in ("add", "histogram", "function_constants")}
    monkeypatch.setattr(pairs, "PAIRS", few)
    before = evidence.Evidence(root)
    page = page_of(root, "add")
    assert "Metal: not yet run on Apple hardware." in stamp(page, before.proofs(page), before)[2]

    assert apple.run_all(gpu, root, None) == 0
    assert "3 of 3 pairs passed" in capsys.readouterr().out
    records = evidence.Evidence(root)
    for name in ("add", "histogram", "function-constants"):
        page = page_of(root, name)
        assert (root / f"evidence/apple-test/pages/metal/pairs/{name}.json").is_file()
        for block, proof in zip(page.blocks, records.proofs(page), strict=True):
            assert proof.level == ("gpu" if block.language == "metal" else "awaiting")
            if block.language == "metal":
                assert proof_words(proof, block, page) == "ran on Apple Test"
        lead, rest = stamp(page, records.proofs(page), records)[1:]
        assert "The Metal code ran on Apple Test on " in rest and "not yet run" not in rest
        assert lead == "Awaiting a GPU run."  # its other blocks are not proved by this
        [run] = records.runs(page)
        assert run["target"] == APPLE


def test_sources_of_no_pair_are_compiled(gpu, root, monkeypatch, capsys, tmp_path):
    """All Metal sources reach the compiler, one that it refuses fails, and a pull request runs."""
    sources = {f.relative_to(ROOT).as_posix() for f in (ROOT / "snippets").rglob("*.metal")}
    ours = {f"snippets/pairs/{name}/kernel.metal" for name in pairs.PAIRS}
    rest = {f.relative_to(ROOT).as_posix() for f in apple.others()}
    assert ours | rest == sources and rest and not ours & rest

    monkeypatch.setattr(pairs, "PAIRS", {})
    assert apple.run_all(gpu, root, None) == 0
    said = capsys.readouterr().out
    assert all(f"{path}: compiled" in said for path in rest)
    assert f"{len(rest)} of {len(rest)} other sources compiled" in said
    wrong = tmp_path / "snippets/wrong.metal"
    wrong.write_text("kernel void f(device double *x [[buffer(0)]]) {}\n")
    monkeypatch.setattr(apple, "ROOT", tmp_path)
    monkeypatch.setattr(apple, "others", lambda: [wrong])
    assert apple.run_all(gpu, root, None) == 1
    assert (
        "snippets/wrong.metal: FAILED\nsnippets/wrong.metal:1: Apple's" in capsys.readouterr().out
    )

    workflow = yaml.safe_load((ROOT / ".github/workflows/metal.yml").read_text(encoding="utf-8"))
    patterns = workflow[True]["pull_request"]["paths"]  # YAML 1.1 reads the key `on` as true
    machinery = {"Makefile", "tools/apple.py", "simulator/pairs.py", "simulator/hosts/core.h"}
    for path in sources | machinery | {"simulator/metal/metal_stdlib"}:
        assert any(fnmatch.fnmatch(path, pattern) for pattern in patterns), path


def test_a_wrong_result_leaves_no_record(gpu, root, monkeypatch, capsys):
    wrong = pairs.PAIRS["add"]
    monkeypatch.setattr(pairs, "PAIRS", {"add": wrong})
    problems = wrong.problems()
    problems[1].expected["out"][7] += 1
    monkeypatch.setattr(pairs.Pair, "problems", lambda self, small=False: problems)
    assert apple.run_all(gpu, root, None) == 1
    said = capsys.readouterr().out
    assert "add: FAILED\nsnippets/pairs/add: Apple Test, n = 255: out[7] is" in said
    assert not (root / "evidence").exists()


def test_a_fault_of_the_gpu_is_an_error(gpu):
    gpu.device.works = False
    pair = pairs.PAIRS["add"]
    library = gpu.library(pair.folder / "kernel.metal", None)
    with pytest.raises(hosts.HostError, match=r"add, n = 1: the GPU reports a fault"):
        gpu.run(library, pair, pair.problems()[0])


def test_metal_blocks_on_other_machines():
    """Proof words of a Metal block that ran on a CPU, was only compiled, or did not run."""
    page = page_of(ROOT, "add")
    block = types.SimpleNamespace(language="metal", index=0)
    words = {
        "cpu": "ran in a CPU stand-in, not yet run on Apple hardware",
        "compiled": "as C++ by a CPU stand-in, not by Apple's compiler",
        "awaiting": "a run with its compiler",
    }
    for level, said in words.items():
        assert proof_words(evidence.Proof(level), block, page) == said
    run = {"target": "stepper", "blocks": [{"outcome": "stand-in"}]}
    assert all_records()._level(block, run) == "cpu"
    hip = types.SimpleNamespace(language="hip", index=1)
    for made_for, said in (({"for": ["gfx90a"]}, "for gfx90a, not run"), ({}, "for an AMD GPU")):
        run = {"blocks": [{}, made_for]}
        assert proof_words(evidence.Proof("compiled", runs=[run]), hip, page).startswith(said)
