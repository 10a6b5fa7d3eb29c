"""Pages with warp operations run in the stepper where Numba's simulator cannot run them."""

import importlib

import pytest

from lockstep import collect, evidence, running, stamps
from lockstep.languages.names import imports
from lockstep.page import read
from lockstep_site.gpu import targets
from lockstep_site.gpu.needs import SIMULATOR_LACKS, gpu_only, simulator_of
from lockstep_site.gpu.targets import Cpu, Simulator
from tests.houses import settle
from tests.pages import PAGES, ROOT

META = "---\ntitle: A page\ndescription: It has code.\nkind: other\n---\n"
KERNEL = '''
# --8<-- [start:kernel]
import numpy as np
from numba import cuda


@cuda.jit
def sum_kernel(x, out):
    value = x[cuda.threadIdx.x]
    for k in range(5):
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, 1 << k)
    out[cuda.threadIdx.x] = value


# --8<-- [end:kernel]
def example():
    """
    --8<-- [start:example]
    >>> out = np.zeros(32, dtype=np.int32)
    >>> sum_kernel[1, 32](np.arange(32, dtype=np.int32), out)
    >>> set(out.tolist())
    {496}

    --8<-- [end:example]
    """


# --8<-- [start:cupy]
import cupy as cp
# --8<-- [end:cupy]
'''
BODY = '```python\n--8<-- "kernels/warp.py:kernel"\n```\n\n'
BODY += '```pycon\n--8<-- "kernels/warp.py:example"\n```\n'
CUPY = '\n```python\n--8<-- "kernels/warp.py:cupy"\n```\n'


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A tiny repository. Returns a function that plants a page and its module."""
    for folder in ("kernels", "snippets", "docs"):
        (tmp_path / folder).mkdir()
    settle(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCKSTEP_TARGET", "simulator")

    def plant(body=BODY, kernel=KERNEL, file="kernels/warp.py", meta=META):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(kernel)
        page = tmp_path / "docs/page.md"
        page.write_text(meta + body)
        return page

    plant.root = tmp_path
    return plant


def run(file):
    said = []
    done, document = collect.run_page(file, said.append)
    return done, "\n".join(said), document


def test_a_page_with_a_shuffle_runs_in_the_stepper_and_says_so(house):
    file = house()
    page = read(file, house.root)
    assert gpu_only(page) == {}
    assert len(gpu_only(page, SIMULATOR_LACKS)) == 2
    done, said, document = run(file)
    assert done and document.target == "stepper", said
    document.record()
    records = evidence.Evidence(house.root)
    proofs = records.proofs(page)
    assert [proof.level for proof in proofs] == ["simulator", "simulator"]
    assert stamps.proof_words(proofs[0], page.blocks[0], page) == "ran in the stepper"
    level, lead, rest = stamps.stamp(page, proofs, records)
    assert level == "awaiting" and lead == "Awaiting a GPU run."
    assert rest.startswith("Every block of this page ran in the stepper (this site's simulator) on")


def test_a_run_in_a_stepper_that_has_changed_proves_nothing(house, monkeypatch):
    file = house()
    run(file)[2].record()
    page, records = read(file, house.root), evidence.Evidence(house.root)
    monkeypatch.setattr(targets, "stepper_sources", lambda: "of another day")
    assert {proof.level for proof in records.proofs(page)} == {"awaiting"}
    stale = [str(p) for p in records.of_page(page) if p.kind == "stale"]
    assert len(stale) == 1 and "docs/page.md on stepper: simulator/stepper has changed" in stale[0]


def test_what_the_page_says_must_come_out(house):
    done, said, _ = run(house(kernel=KERNEL.replace("{496}", "{497}")))
    assert not done and "got: {496}" in said


def test_what_needs_a_gpu_still_does(house):
    page = read(house(BODY + CUPY), house.root)
    assert list(gpu_only(page)) == [2]
    assert simulator_of(page) == "stepper"


def test_a_page_without_warp_operations_runs_in_numbas_simulator(house):
    plain = KERNEL.replace("cuda.shfl_xor_sync(0xFFFFFFFF, value, 1 << k)", "k")
    page = read(house(kernel=plain), house.root)
    assert Simulator().here(page) == "simulator"


RACE = KERNEL.replace(
    "    out[cuda.threadIdx.x] = value",
    "    s = cuda.shared.array(64, np.int32)\n"
    "    s[cuda.threadIdx.x] = value\n"
    "    out[cuda.threadIdx.x] = s[31 - cuda.threadIdx.x]",
)


def test_what_the_checks_find_fails_the_block(house):
    done, said, _ = run(house(kernel=RACE))
    assert not done and "the stepper finds: " in said and "kernels/warp.py" in said


def test_but_not_in_a_kernel_that_is_known_to_be_wrong(house):
    file = "kernels/wrong/warp.py"
    done, said, _ = run(house(BODY.replace("kernels/warp.py", file), RACE, file))
    assert done, said


def test_a_kernel_of_numbas_simulator_is_not_said_to_be_idle():
    kernel = importlib.import_module("numba.cuda.simulator").jit(lambda x: None)
    assert Cpu().launched({"kernel": kernel}) == {}  # it keeps no versions: nobody can know


# ---------------------------------------------------------------- every page of the site


def own_ptx(page):
    """Whether a page makes PTX of its own, which no simulator reads."""
    return any("llvmlite" in imports(block) for block in page.blocks)


NUMBA = [p for p in PAGES if "numba-cuda" in running.wanted(p) and not own_ptx(p)]


@pytest.mark.parametrize("page", NUMBA, ids=lambda page: page.path)
def test_every_page_with_numba_runs_in_the_stepper(page, tmp_path):
    """Its blocks in order, with the outputs that a GPU printed, and without a finding."""
    skip, namespace = gpu_only(page), {"__name__": "__main__"}
    for block in page.blocks:
        if block.runs and block.index not in skip and block.language != "bash":
            running.run_block(block, namespace, tmp_path, ROOT, "stepper")
