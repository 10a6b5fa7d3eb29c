"""Run here: each program does what its page says, in the Python that the reader's browser runs."""

import importlib.util
import json
import re

import pytest

from lockstep_site import run_here
from lockstep_site.gpu.needs import gpu_only
from tests.pages import PAGES, ROOT

PROGRAMS = [(page, program) for page in PAGES for program in run_here.programs(page)]


@pytest.fixture(scope="module")
def ran(request, pyodide):
    """Every program and every offer, run in Pyodide: {(mode, code): what the panel gets}.

    Where this run has tests of a few programs alone, those.
    """
    items = [item for item in request.session.items if "ran" in getattr(item, "fixturenames", ())]
    rows = [getattr(item, "callspec", None) and item.callspec.params["row"] for item in items]
    wanted = (
        PROGRAMS
        if None in rows
        else [
            (page, program)
            for page, program in PROGRAMS
            if any(row[1] is program or row[0] is program for row in rows)
        ]
    )
    jobs = {}
    for _, program in wanted:
        jobs["record", program.code] = None
        for offer in (*program.breaks, *program.presets):
            jobs["record", run_here.apply(program.code, offer["edits"])] = None
    return dict(zip(jobs, pyodide(list(jobs)), strict=True))


def test_every_kernel_that_its_page_runs_without_a_gpu_has_a_button():
    """Each block with a kernel has one, but for those that need a GPU or that only such launch.

    Or whose page uses what the stand-in for NumPy has not.
    """
    named = {program.block.source for _, program in PROGRAMS}
    for page in PAGES:
        needs_gpu = gpu_only(page)
        only_there = "\n".join(page.blocks[k].text for k in needs_gpu)
        for block in page.blocks:
            if block.language != "python" or "@cuda.jit" not in block.text or not block.runs:
                continue
            if "file" in block.options or block.source in named or block.index in needs_gpu:
                continue
            if block.source in run_here.read_offers(ROOT)["withheld"]:
                continue
            # What it needs, or what launches it, uses a name of NumPy that the browser lacks.
            kernels = run_here._kernels(block)
            if not kernels:  # device functions alone
                continue
            launched = any(name in only_there for name in kernels)
            lacking = any(run_here._lacking(b) for b in page.blocks if b.index not in needs_gpu)
            assert launched or lacking, f"{block.where} has no button"


def test_every_offer_belongs_to_a_program():
    offers = dict(run_here.read_offers(ROOT))
    withheld = offers.pop("withheld")
    shown = {block.source for page in PAGES for block in page.blocks}
    assert not withheld.keys() - shown and all(withheld.values())
    used = {s.block.source for _, s in PROGRAMS} | {
        page.blocks[i].source for page, program in PROGRAMS for i in program.blocks
    }
    for kind, rows in offers.items():
        assert not rows.keys() - used, f"{run_here.OFFERS}: {kind}: no program holds these"


def test_instructions_of_a_gpu_have_stand_ins(ran):
    """The kernel of 8-byte loads opens with plain ones, and its launch is the transform it says."""
    source = "kernels/fft/stockham.py:kernel"
    (program,) = (program for _, program in PROGRAMS if program.block.source == source)
    assert "llvmlite" not in program.code and "def load2(array, i)" in program.code
    assert "9.65685" in str(ran["record", program.code])  # np.fft.fft(range(1, 9))[1].imag


def test_kernels_of_several_gpus_wait_for_each_other(ran, session):
    """As many as are asked for; who never comes is named, and each GPU's launches have an order."""
    source = "snippets/many_gpus/shots.py"
    (program,) = (program for _, program in PROGRAMS if program.block.source == source)
    for ranks, offer in zip((4, 2, 7), (None, *program.presets), strict=True):
        code = run_here.apply(program.code, offer["edits"] if offer else [])
        kernels = ("one_shot", "two_shot", "ring")
        said = [f"{k}: {ranks} of {ranks} ranks have the sum" for k in kernels]
        assert ran["record", code]["output"].splitlines() == said
        assert ran["record", code]["launches"][-1]["trace"]
    unsynced, late = program.breaks
    result = ran["record", run_here.apply(program.code, unsynced["edits"])]
    lines = [f["line"] for f in result["launches"][-1]["findings"]]
    assert "value += rooms[rank][step - 1, i]" in [
        program.code.splitlines()[n - 1].strip() for n in lines
    ]
    assert "ring: 0 of 4" in result["output"]
    result = ran["record", run_here.apply(program.code, late["edits"])]
    waits = [f"rank {rank} waits in line {result['line']} of program.py" for rank in (0, 1, 3)]
    assert result["message"] == "; ".join([*waits, "rank 2 was never launched"])
    assert program.code.splitlines()[result["line"] - 1].strip().startswith("while boxes[rank]")
    assert "several GPUs" in json.loads(session.on_gpu(program.code, 9))["message"]

    body = "    o[0] = 10 * o[0] + n\n\nfor n in (1, 2):\n    with cuda.gpus[n]:\n"
    body += "        o = cuda.to_device(np.zeros(1, np.int32))\n        k[1, 1](o, n)\n"
    body += "        k[1, 1](o, 3)\n"
    assert session.execute(HEAD + body + "    print(o.copy_to_host())\n").output == "[13]\n[23]\n"


def ids(row):
    return f"{row[0].name}-{row[1].key}"


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


@pytest.mark.parametrize("row", PROGRAMS, ids=ids)
def test_a_program_shows_what_its_page_says(row, ran):
    _, program = row
    result = ran["record", program.code]
    assert result["launches"], "it launches no kernel"
    if program.wants:
        assert result["error"] is None, result["message"]
        assert squeezed(result["output"]) == squeezed("".join(program.wants))
    known_wrong = program.block.path.startswith("kernels/wrong/")
    findings = [f["message"] for launch in result["launches"] for f in launch["findings"]]
    assert known_wrong or not findings


BREAKS = list(
    {
        (program.block.path, offer["label"]): (program, offer)
        for _, program in PROGRAMS
        for offer in program.breaks
    }.items()
)


@pytest.mark.parametrize(("key", "row"), BREAKS, ids=lambda x: "" if len(x) < 2 else str(x[1])[:40])
def test_what_is_broken_is_found(key, row, ran):
    program, offer = row
    result = ran["record", run_here.apply(program.code, offer["edits"])]
    kinds = {f["kind"] for launch in result["launches"] for f in launch["findings"]}
    assert offer["finds"] in kinds, f"{key}: found {kinds or 'nothing'}; {result['message']}"


def test_other_inputs_run_without_a_finding(ran):
    for page, program in PROGRAMS:
        for offer in program.presets:
            result = ran["record", run_here.apply(program.code, offer["edits"])]
            findings = [f["message"] for launch in result["launches"] for f in launch["findings"]]
            assert result["error"] is None and not findings, (page.name, offer["label"], result)


def test_an_edit_is_made_where_its_text_occurs_last():
    assert run_here.apply("a b a", [["a", "c"], ["b", "d"]]) == "a d c"
    with pytest.raises(ValueError, match="no 'x'"):
        run_here.apply("a", [["x", "y"]])


# ---------------------------------------------------------------- session.py


@pytest.fixture(scope="module")
def session():
    """What runs a program in the worker, here in this Python."""
    spec = importlib.util.spec_from_file_location("session", ROOT / "web/run-here/session.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


HEAD = "import numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(o, n):\n"
LAUNCHES = """    if cuda.grid(1) < n:
        o[cuda.grid(1)] = 1

o = cuda.to_device(np.zeros(4, np.int32))
"""


@pytest.mark.parametrize("mode", ["run", "record", "check"])
def test_a_finding_of_a_late_launch_is_shown(mode, session):
    code = HEAD + LAUNCHES + "for _ in range(45):\n    k[1, 4](o, 4)\nk[1, 8](o, 8)\n"
    data = json.loads(session.check(code, 9) if mode == "check" else session.run(code, mode, 9))
    assert [launch["number"] for launch in data["launches"]] == [*range(39), 45]
    assert [f["kind"] for f in data["launches"][-1]["findings"]] == ["out-of-bounds"]
    assert data["hidden"] == 6 and len(data["whole"]) == 40 and not data["rest"]


def test_findings_of_more_launches_than_are_shown_are_all_sent(session):
    body = "    o[0] = cuda.threadIdx.x\n\no = cuda.to_device(np.zeros(4, np.int32))\n"
    code = HEAD + body + "for _ in range(45):\n    k[2, 1](o, 4)\n    k[2, 32](o, 4)\n"
    data = json.loads(session.run(code, "record", 9))
    assert [launch["number"] for launch in data["launches"]] == [*range(1, 80, 2)]
    assert len(data["rest"]) == 5 * len(data["launches"][0]["findings"]) > 0


BY_LUCK = """    s = cuda.shared.array(1, np.int32)
    if cuda.atomic.exch(o, 0, cuda.blockIdx.x) > cuda.blockIdx.x:
        o[n + cuda.blockIdx.x] = 1

o = cuda.to_device(np.zeros(4, np.int32))
k[4, 1](o, 9)
"""


def test_what_is_found_in_another_order_goes_to_the_launch_of_the_same_number(session):
    code = HEAD + BY_LUCK + "for _ in range(45):\n    k[1, 1](o, 0)\n"
    data = json.loads(session.check(code, 9))
    assert [f["kind"] for f in data["launches"][0]["findings"]] == ["out-of-bounds"]
    assert not any(launch["findings"] for launch in data["launches"][1:])


def test_an_error_in_another_order_is_reported_at_its_line(session):
    code = HEAD + "    cuda.atomic.exch(o, 0, cuda.blockIdx.x)\n\n"
    code += "o = cuda.to_device(np.zeros(1, np.int32))\nk[4, 1](o, 0)\n"
    code += "assert o.copy_to_host()[0] == 3\n"
    data = json.loads(session.check(code, 9))
    assert data["message"] == "In another order it ends with: AssertionError"
    assert data["error"] == "AssertionError" and data["line"] == code.count("\n")
    assert data["differs"] is None and json.loads(session.run(code, "run", 9))["error"] is None
