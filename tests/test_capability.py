"""A page says which GPU it needs, by the instructions in its code, before a reader starts it."""

import hashlib
import importlib.util
import os
import re
import subprocess
import sys
import tomllib

import pytest

from lockstep import languages, project
from lockstep_site.gpu import fitting, machine, needs, run
from lockstep_site.gpu.needs import (
    GPU_MODULES,
    OPTIONAL,
    Needs,
    gpu_only,
    lacks_package,
    least,
    modules,
    of_page,
    shared_kb,
    too_small_for,
    uses_gpu,
)
from lockstep_site.lesson import demanding, where_it_runs
from tests.pages import PAGES, ROOT

# Pages that ask the GPU themselves before each part.
ASK = {"docs/labs/roofline.md": 'capability >= (8, 0), "compute capability 8.0"'}
GPU_PAGES = [page for page in PAGES if uses_gpu(page)]


def needed(page):
    """Return the least capability that a page's code needs, and the block that needs it."""
    found = [(least(block.text), block.where) for block in page.blocks if block.runs]
    return max(found, key=lambda row: float(row[0]), default=("0", ""))


@pytest.mark.parametrize("page", GPU_PAGES, ids=lambda page: page.uri)
def test_a_page_says_what_it_needs(page):
    capability, where = needed(page)
    if page.path in ASK:
        assert any(ASK[page.path] in block.text for block in page.blocks)
        assert "it leaves out the parts that need compute capability" in where_it_runs(page)
        return
    said = page.meta.get("compute_capability", "0")
    mend = f'write compute_capability: "{capability}" into its front matter'
    assert float(said) >= float(capability), f"{page.path}: {where} needs {capability}: {mend}"
    needs = of_page(page)
    if needs.alone:
        assert f"compute capability {said} alone" in where_it_runs(page)
    elif float(said):
        assert f"compute capability {said} or newer" in where_it_runs(page)
    if needs.gpus > 1:
        assert where_it_runs(page).startswith(f"{needs.gpus} CUDA GPUs in one machine")
    # Whatever has the capability has the shared memory, or the page names those that have not.
    enough = [cc for cc in shared_kb() if float(cc) >= float(said)]
    most = [shared_kb()[cc] for cc in ([said] if needs.alone else enough)]
    lacking = "KiB of shared memory for a block (not "
    assert needs.shared_kb <= min(most) or lacking in where_it_runs(page)


@pytest.mark.parametrize(
    "path, words",
    {
        "docs/roadmap/optimization/tensor-cores.md": "of compute capability 8.0 or newer, with 144 "
        "KiB of shared memory for a block (not 8.6, 8.9, 12.0, 12.1)",
        # what its own kernel takes, and not that of the lesson whose descriptors it borrows
        "docs/roadmap/optimization/flash-attention-numba.md": "of compute capability 9.0 alone, "
        "since no other has wgmma, with 193 KiB of shared memory for a block",
        "docs/roadmap/distributed/megatron.md": "2 CUDA GPUs in one machine, each with 18 GB of",
        "docs/patterns/int4-matvec.md": "of compute capability 9.0 or newer",
        "docs/questions/ptx.md": "of compute capability 9.0 or newer",
        "docs/questions/why-not-triton.md": "of compute capability 9.0 or newer",
        "docs/roadmap/optimization/numba-cuda-mlir.md": "of compute capability 9.0 alone",
    }.items(),
)
def test_what_needs_more_than_any_gpu_says_so(path, words):
    """Of every kind of page: tests/test_quiz.py sees it stand below the first paragraph."""
    page = next(page for page in PAGES if page.path == path)
    assert demanding(page) and words in where_it_runs(page)


def test_the_cuda_of_a_page_compiles_for_the_least_that_it_names():
    """Where that is less than what the suite compiles for, which is sm_90."""
    page = next(p for p in PAGES if p.path == "docs/roadmap/specialization/paged-attention.md")
    least_of_it = "sm_" + page.meta["compute_capability"].replace(".", "")
    (block,) = (b for b in page.blocks if b.language == "cuda")
    assert b".text.paged_decode\0" in languages.compile_cuda(block, least_of_it)


def test_the_words_find_what_is_there():
    """At least one page of each generation: else the words have gone out of use."""
    found = {needed(page)[0] for page in GPU_PAGES}
    assert found >= {"0", "8.0", "9.0"}


# By itself, or by the function of wgmma.py that asks for its callers.
ASKED = re.compile(
    r"(?i:max_dynamic_shared_size_bytes)|^from [\w.]+\.wgmma import[^)\n]*(?:\([^)]*)?\blaunch\b",
    re.M,
)
NO_MORE_THAN_48 = {
    "kernels/patterns/shared.py": "its caller says how much",
    "kernels/ampere/cupy_sums.py": "16 KB",
    "snippets/labs/roofline.py": "it asks the GPU itself",
}


def test_whoever_asks_for_more_shared_memory_says_how_much():
    """More than 48 KiB has to be asked for, and what is asked for stands in one table."""
    files = [f for folder in ("kernels", "snippets") for f in (ROOT / folder).rglob("*.py")]
    asking = {f.relative_to(ROOT).as_posix() for f in files if ASKED.search(f.read_text("utf-8"))}
    table = needs.SHARED_KB.keys() | needs.SHARED_KB_AT_MOST.keys()
    assert asking <= table | NO_MORE_THAN_48.keys()
    assert all((ROOT / path).is_file() for path in table | NO_MORE_THAN_48.keys())
    assert all(48 < kb <= 227 for kb in (needs.SHARED_KB | needs.SHARED_KB_AT_MOST).values())


# ---------------------------------------------------------------- a smaller GPU

T4, CARD = ("7.5", 15360), ("8.9", 24564)


def gpu(capability, memory_mib):
    return {"compute_capability": capability, "memory_mib": memory_mib}


@pytest.mark.parametrize(
    ("what", "have", "says"),
    [
        (Needs("8.0"), T4, "needs compute capability 8.0, this GPU has 7.5"),
        (Needs("9.0", alone=True), ("10.0", 180000), "needs compute capability 9.0 itself"),
        (Needs("9.0"), ("10.0", 180000), None),
        (Needs("8.0", shared_kb=144), CARD, "144 KiB of shared memory for a block, .* 8.9 has 99"),
        (Needs("8.0", shared_kb=144), ("8.0", 40960), None),
        (Needs("8.0", shared_kb=144), ("13.0", 40960), None),  # nobody has told us of it yet
        (Needs(memory_gb=18), T4, "needs 18 GB of memory, this GPU has 16"),
        (Needs(memory_gb=18), CARD, None),
        (Needs(gpus=2), CARD, "needs 2 GPUs, this machine has 1"),
    ],
)
def test_what_a_gpu_lacks(what, have, says):
    lacks = what.lacks(gpu(*have), 1)
    assert re.search(says, lacks) if says else lacks is None


def test_a_test_needs_what_its_kernels_need():
    need = fitting.of_test(ROOT, "tests/test_kernels_mlir_bridge.py", "test_one_product")
    assert need.capability == "9.0" and need.alone  # it unpacks all nine modules in one line
    need = fitting.of_test(ROOT, "tests/test_kernels_scan.py", _first("tests/test_kernels_scan.py"))
    assert need == Needs()


def _first(path):
    return re.search(r"^def (test_\w+)", (ROOT / path).read_text("utf-8"), re.MULTILINE)[1]


@pytest.fixture
def t4(monkeypatch):
    monkeypatch.setattr(machine, "gpus", lambda: (gpu(*T4) | {"name": "Tesla T4", "driver": "1"},))


def test_make_gpu_leaves_out_by_name_what_a_t4_cannot_run(t4, monkeypatch, capsys):
    """The rest is started, with the reason and the count of what is not."""
    started = []
    monkeypatch.setattr(subprocess, "call", lambda command, **rest: started.append(command) or 0)
    assert run.gpu(ROOT, ["kernels", "bench"], ["numba-cuda"]) == 0
    said = capsys.readouterr().out
    why = "needs compute capability 9.0, this GPU has 7.5"
    assert "not on this GPU: tests/test_kernels_hopper.py::test_" in said
    assert f"not on this GPU: benchmark gemm_shapes: {why}\n" in said
    left = re.findall(r"^not on this GPU: (\w+).*", said, re.MULTILINE)
    assert f"{left.count('tests')} tests in files of which none can run on this GPU" in said
    assert f"{left.count('benchmark')} need another GPU" in said
    kernels, bench = started
    assert "tests/test_kernels_scan.py" in kernels and "tests/test_kernels_gemm.py" in kernels
    assert "tests/test_kernels_hopper.py" not in kernels
    assert {"vector_add", "reduction"} <= set(bench) and not {"gemm_shapes", "fp8"} & set(bench)


def test_nothing_is_left_out_on_the_gpu_whose_figures_the_pages_quote(monkeypatch):
    monkeypatch.setattr(machine, "gpus", lambda: (gpu("9.0", 143771),) * 8)
    for file in sorted((ROOT / "tests").glob("test_kernels_[a-h]*.py")):
        assert fitting.left_out(ROOT, file.relative_to(ROOT).as_posix())[0] == {}
    assert fitting.benchmarks(ROOT)[1] == {}
    assert [page.path for page in GPU_PAGES if too_small_for(page)] == []


# ---------------------------------------------------------------- packages that a page needs

OPTIONAL_PAGES = [page for page in PAGES if modules(page) & OPTIONAL.keys()]


@pytest.mark.parametrize("page", OPTIONAL_PAGES, ids=lambda page: page.uri)
def test_a_page_is_skipped_whole_where_its_package_is_not_installed(page, monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    for name in OPTIONAL:
        monkeypatch.delitem(sys.modules, name, raising=False)
    targets = project.of(ROOT).targets
    for target in ("cpu", "simulator"):
        assert "pip install" in (targets[target].can_run(page) or "")
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    assert targets["cpu"].can_run(page) is None


def test_the_optional_packages_are_those_that_the_project_declares():
    declared = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(OPTIONAL.values()) == set(declared["project"]["optional-dependencies"]["compilers"])
    assert {name for page in OPTIONAL_PAGES for name in modules(page)} >= OPTIONAL.keys()


# The package that brings each module which only a GPU machine has.
BRINGS = {
    "cudnn": "nvidia-cudnn-frontend",
    "cupy": "cupy-cuda13x",
    "cupyx": "cupy-cuda13x",
    "llvmlite": "numba",
    "mpi4py": "mpi4py",
    "pynvml": "nvidia-ml-py",
    "torch": "torch",
    "triton": "torch",
}


def test_make_gpu_says_that_a_driver_is_too_old_before_it_installs(tmp_path, monkeypatch):
    smi = tmp_path / "nvidia-smi"
    smi.write_text('#!/bin/sh\ncase $1 in -L) echo "GPU 0: T4";; *) echo 550.54.15;; esac\n')
    smi.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    for goal in ("gpu", "bench"):
        make = ["make", "-o", ".venv/.installed", "-o", ".venv/.installed-gpu", goal]
        done = subprocess.run(make, cwd=ROOT, capture_output=True, text=True)
        said = f"make {goal}: driver 550.54.15 is too old"
        assert done.returncode and said in done.stderr, done.stdout


def test_make_gpu_installs_what_the_pages_import():
    """Else `make gpu` on a reader's machine fails where a maintainer's passes."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    extras = extras["project"]["optional-dependencies"]
    rows = [row for name in ("site", "gpu", "mpi") for row in extras[name]]
    installed = {re.match(r"[\w-]+", row)[0] for row in rows}
    assert BRINGS.keys() == GPU_MODULES and set(BRINGS.values()) <= installed


def test_a_page_without_such_packages_runs_anywhere():
    page = next(page for page in PAGES if page.path.endswith("vector-add.md"))
    assert lacks_package(page) is None


def test_llvmlite_needs_no_gpu_where_only_its_compiler_for_cpus_is_used():
    page = next(page for page in OPTIONAL_PAGES if page.path.endswith("specialization/mlir.md"))
    there = {block.where.split(":")[0] for block in page.blocks if "llvmlite" in block.text}
    assert there == {"kernels/compilers/by_hand.py"}
    skipped = [page.blocks[i].path for i in gpu_only(page)]
    assert "kernels/compilers/by_hand.py" not in skipped
    other = next(page for page in PAGES if page.path.endswith("patterns/transpose.md"))
    assert any("llvmlite" in why for why in gpu_only(other).values())


def test_the_measured_kernels_of_tvm_are_those_that_its_page_generates():
    said = (ROOT / "snippets/in_tvm/steps.pycon").read_text(encoding="utf-8")
    text = (ROOT / "kernels/compilers/tvm_tiled_4096.cu").read_bytes()
    assert f"'{hashlib.sha256(text).hexdigest()[:16]}'" in said


def test_cuda_cpp_that_a_cpu_has_read_did_not_run():
    """A later block opens its file and names its kernel, in a string: that launches nothing."""
    cuda = project.of(ROOT).languages["cuda"]
    places = project.of(ROOT).targets.values()
    levels = {place.level: cuda.level("passed", place) for place in places}
    assert levels["gpu"] == "gpu"
    assert levels["cpu"] == levels["simulator"] == "compiled"
