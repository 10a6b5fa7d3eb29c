"""A page says which GPU it needs, by the instructions in its code, before a reader starts it."""

import hashlib
import importlib.util
import re
import sys
import tomllib

import pytest

from lockstep import project
from lockstep_site.gpu.needs import (
    GPU_MODULES,
    OPTIONAL,
    gpu_only,
    lacks_package,
    modules,
    uses_gpu,
)
from lockstep_site.lesson import where_it_runs
from tests.pages import PAGES, ROOT

# PTX ISA, "Target ISA Notes" of each instruction: https://docs.nvidia.com/cuda/parallel-thread-execution/
NEEDS = {
    "9.0": r"wgmma|cp\.async\.bulk|tensormap|CUtensorMap|mbarrier\.try_wait|barrier\.cluster"
    r"|__cluster_dims__|setmaxnreg|sm_90a",
    "8.9": r"\.e4m3|\.e5m2|__nv_fp8|float8_e",
    "8.0": r"cp\.async(?!\.bulk)|\.tf32|FAST_TF32|precision::tf32|\.bf16|__nv_bfloat16|redux\.sync",
}
# Pages that ask the GPU themselves before each part.
ASK = {"docs/labs/roofline.md": 'capability >= (8, 0), "compute capability 8.0"'}
GPU_PAGES = [page for page in PAGES if uses_gpu(page)]


def needed(page):
    """Return the least capability that a page's code needs, and the block that needs it."""
    least, where = "0", ""
    for block in page.blocks:
        for capability, words in NEEDS.items():
            if block.runs and re.search(words, block.text) and float(capability) > float(least):
                least, where = capability, block.where
    return least, where


@pytest.mark.parametrize("page", GPU_PAGES, ids=lambda page: page.uri)
def test_a_page_says_what_it_needs(page):
    least, where = needed(page)
    if page.path in ASK:
        assert any(ASK[page.path] in block.text for block in page.blocks)
        return
    said = page.meta.get("compute_capability", "0")
    mend = f'write compute_capability: "{least}" into its front matter'
    assert float(said) >= float(least), f"{page.path}: {where} needs {least}: {mend}"
    if float(said):
        assert f"compute capability {said} or newer" in where_it_runs(page)


def test_the_words_find_what_is_there():
    """At least one page of each generation: else the words have gone out of use."""
    found = {needed(page)[0] for page in GPU_PAGES}
    assert found >= {"0", "8.0", "9.0"}


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
    "cupy": "cupy-cuda13x",
    "cupyx": "cupy-cuda13x",
    "llvmlite": "numba",
    "mpi4py": "mpi4py",
    "pynvml": "nvidia-ml-py",
    "torch": "torch",
    "triton": "torch",
}


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
