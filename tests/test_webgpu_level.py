"""The mark webgpu beside a block's level: by records alone, and gone when the code changes."""

from lockstep.evidence import Evidence
from lockstep_site.gpu import webgpu
from tests import wgsl_cases
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


# Numba kernels of kernels/ that the run on the H200 does not have, and why.
NOT_ON_H200 = {
    "kernels/microbenchmarks/waves.py:block_work_kernel": "48 KB of shared memory",
}


def test_a_kernel_counts_by_what_it_uses_and_not_by_what_lies_beside_it():
    found = wgsl_cases.beside_others()
    assert len(found) == 8
    assert "kernels/inline_ptx/match.py:tally_kernel" in found
    assert "kernels/inline_ptx/match.py:tally_match_kernel" not in found  # match.any is PTX
    assert "kernels/wind_tunnel/fours.py:fours_kernel" not in found  # by load4, which is PTX
    assert {n for n in found if n not in {f"{file}:{name}" for file, name, *_ in wgsl_cases.BESIDE}
            } == set()  # fmt: skip


def test_nine_tenths_of_the_sites_kernels_are_right_on_an_h200():
    """By its record: those that are defined and compile, of today's text."""
    kinds = {kind: (found, made) for kind, found, made in webgpu.runs(Evidence(ROOT))}
    found, made = kinds["webgpu"]
    known = wgsl_cases.known()
    browser, _ = kinds["chromium"]
    assert {n for n in known if n not in found["kernels"]} == NOT_ON_H200.keys()
    assert not browser["kernels"].keys() & NOT_ON_H200.keys()
    # Both compile alike: none is right in the browser and refused here.
    assert not [n for n, what in found["kernels"].items()
                if what != "right" and browser["kernels"].get(n) == "right"]  # fmt: skip
    said = {n: found["kernels"].get(n, "not run") for n in known}
    right = [n for n, what in said.items() if what == "right" and made[n] == found["texts"][n]]
    defined = [n for n, what in said.items() if what != "wrong on purpose: what it leaves is not "
               "defined"]  # fmt: skip
    assert not [n for n, what in said.items() if what.startswith(("wrong:", "failed:"))]
    print(f"{len(right)} of {len(defined)} kernels are right on an H200")
    assert len(right) >= 0.9 * len(defined)
    assert len(right) >= 366
    assert found["generated"] >= 200


def test_what_an_h200_computes_of_the_wgsl_is_what_numba_computes_there():
    """By its record: the same launch by Numba itself, on the same data. The generated ones too."""
    (found,) = [found for kind, found, _ in webgpu.runs(Evidence(ROOT)) if kind == "webgpu"]
    for kind, least in (("kernels", 330), ("generated", 200)):
        asked = found["numba"][kind]
        print(f"{len(asked['equal'])} {kind} leave what Numba's own leave")
        differ = {n: what for n, what in asked["others"].items() if what.startswith("differs")}
        assert not differ
        assert len(asked["equal"]) >= least, asked["others"]


def test_a_run_of_another_compiler_proves_nothing():
    records = Evidence(ROOT)
    for name, record in records.others["counters"].items():
        if name.rpartition("/")[2] in webgpu.RUNS:
            record["fresh"] = False
    assert webgpu.proved(PAGE, records) == {}
