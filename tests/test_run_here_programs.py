"""Run here: each program does what its page says, in the Python that the reader's browser runs."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lockstep import languages, run_here
from tests.pages import PAGES, ROOT

PROGRAMS = [(page, program) for page in PAGES for program in run_here.programs(page)]
ARCHIVE = ROOT / "docs/assets/vendor/run-here/stepper.zip"


@pytest.fixture(scope="module")
def ran():
    """Every program and every offer, run in Pyodide: {(mode, code): what the panel gets}."""
    jobs = {}
    for _, program in PROGRAMS:
        jobs["record", program.code] = None
        for offer in (*program.breaks, *program.presets):
            jobs["record", run_here.apply(program.code, offer["edits"])] = None
    node = shutil.which("node") or shutil.which("node", path=str(Path(sys.executable).parent))
    done = subprocess.run(
        [node, "tests/run_here.mjs", ARCHIVE],
        cwd=ROOT,
        input=json.dumps(list(jobs)),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]  # node shows the line, and it is long
    return dict(zip(jobs, json.loads(done.stdout), strict=True))


def test_every_kernel_that_its_page_runs_without_a_gpu_has_a_button():
    """Each block with a kernel has one, but for those that need a GPU or that only such launch.

    Or whose page uses what the stand-in for NumPy has not.
    """
    named = {program.block.source for _, program in PROGRAMS}
    for page in PAGES:
        needs_gpu = languages.gpu_only(page)
        only_there = "\n".join(page.blocks[k].text for k in needs_gpu)
        for block in page.blocks:
            if block.language != "python" or "@cuda.jit" not in block.text or not block.runs:
                continue
            if "file" in block.options or block.source in named or block.index in needs_gpu:
                continue
            # What it needs, or what launches it, uses a name of NumPy that the browser lacks.
            kernels = run_here._kernels(block)
            if not kernels:  # device functions alone
                continue
            launched = any(name in only_there for name in kernels)
            lacking = any(run_here._lacking(b) for b in page.blocks if b.index not in needs_gpu)
            assert launched or lacking, f"{block.where} has no button"


def test_every_offer_belongs_to_a_program():
    offers = run_here.read_offers(ROOT)
    used = {s.block.source for _, s in PROGRAMS} | {
        page.blocks[i].source for page, program in PROGRAMS for i in program.blocks
    }
    for kind, rows in offers.items():
        assert not rows.keys() - used, f"{run_here.OFFERS}: {kind}: no program holds these"


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
