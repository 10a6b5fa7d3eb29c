"""The mark webgpu beside a block's level: by records alone, and gone when the code changes."""

from lockstep.evidence import Evidence
from lockstep_site.gpu import webgpu
from tests.pages import PAGES, ROOT

PAGE = next(p for p in PAGES if p.name.endswith("/vector-add"))
KERNEL = next(b for b in PAGE.blocks if b.path == "kernels/vector_add/add.py" and "@cuda" in b.text)


def test_a_block_whose_kernel_ran_as_wgsl_says_where(monkeypatch):
    records = Evidence(ROOT)
    assert {kind for kind, *_ in webgpu.runs(records)} == webgpu.RUNS.keys()
    mark, said = webgpu.proved(PAGE, records)[KERNEL.index]
    assert mark == "webgpu"
    assert "NVIDIA H200 through wgpu" in said and "swiftshader in headless Chromium" in said
    # Another text of the kernel's file, or of what it imports, has another digest.
    monkeypatch.setattr(webgpu, "digest", lambda root, path: "other")
    assert webgpu.proved(PAGE, records) == {}
    assert {p.kind for p in webgpu.problems(records)} == {"stale"}


def test_another_text_of_a_kernel_is_proved_no_longer():
    """By the compiler or by its launch: what ran is the text."""
    records = Evidence(ROOT)
    name = f"{KERNEL.path}:{webgpu.KERNEL.findall(KERNEL.text)[0]}"
    records.others["counters"]["cpu/chromium"]["texts_for_gpu"][name] = "other"
    _, said = webgpu.proved(PAGE, records)[KERNEL.index]
    assert "NVIDIA H200" not in said and "swiftshader" in said
    [problem] = webgpu.problems(records)
    assert problem.kind == "stale" and KERNEL.path in problem.what


def test_a_run_of_another_compiler_proves_nothing():
    records = Evidence(ROOT)
    for name, record in records.others["counters"].items():
        if name.rpartition("/")[2] in webgpu.RUNS:
            record["fresh"] = False
    assert webgpu.proved(PAGE, records) == {}
