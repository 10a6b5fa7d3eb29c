"""Launches with enough work for a reader's GPU: each is right, small, and compiles, large."""

import json
from collections import Counter, defaultdict

import numpy as np
import pytest

from lockstep_site import exercise, run_here
from simulator import grade, larger
from simulator.stepper import Stepper, host
from simulator.wgsl import as_json, captured
from simulator.wgsl.launch import pack
from tests import webgpu
from tests.pages import PAGES, ROOT
from tests.wgsl_cases import runs, wrong

OPTIONS = {"unroll": 64}  # as the page compiles
ROWS = {
    row["id"]: row
    for file in (ROOT / "evidence/nvidia-h200/benchmarks").glob("*.json")
    for row in json.loads(file.read_text(encoding="utf-8"))["rows"]
}


SIZES = run_here.read_sizes(ROOT)
ASKED = {(file, name): spec for file, kernels in SIZES.items() for name, spec in kernels.items()}


@pytest.fixture(scope="module")
def notes():
    """(file, kernel) -> the first launch of it, by a program that can be started with its edits."""
    found = {}
    for page in PAGES:
        paths = {block.path for block in page.blocks}
        if not [key for key in ASKED if key[0] in paths and key not in found]:
            continue
        for program in run_here.programs(page):
            paths = {page.blocks[k].path for k in program.blocks}
            codes = defaultdict(list)
            for key, spec in ASKED.items():
                if key[0] in paths and key not in found and key[1] in program.sizes:
                    codes[larger.edited(program.code, spec.get("edits", []))].append(key)
            codes.pop(None, None)
            for code, keys in codes.items():
                with larger.noted([name for _, name in keys]) as noted:
                    Stepper(mode="check", raise_findings=False).execute(code, {}, "program.py")
                found |= {key: noted[key[1]] for key in keys if key[1] in noted}
    return found


def test_every_launch_is_of_a_program_and_its_row_of_its_kernel(notes):
    assert ASKED.keys() == notes.keys()
    for (file, name), spec in ASKED.items():
        row = ROWS.get(spec.get("row"))
        assert "row" not in spec or row["kernel"] == file, (file, name)
        assert not row or (row["unit"] == "TFLOP/s") == ("flops" in spec), (file, name)
        assert not row or row["unit"] in ("GB/s", "TFLOP/s"), (file, name)


def test_each_compiles_for_every_size(notes):
    for key, spec in ASKED.items():
        if "n" not in spec:
            continue
        made = list(larger.shaders(spec, notes[key], **OPTIONS))
        sizes = [max(b.elements for b in shader.bindings) for shader, *_ in made]
        assert sizes == sorted(sizes) and sizes[-1] >= 1 << 16, key
        assert all(4 * n <= 1 << 27 for n in sizes), key  # what every adapter binds


POISON = 12345.5


def launched(spec, note):
    """A launch for ``least``, in the stepper, with what it only writes poisoned."""
    [(shader, *_)] = larger.shaders(spec | {"n": [spec["least"]]}, note, **OPTIONS)
    only_written = {b.name for b in shader.bindings if b.written and not b.read}
    config, values = larger.launch(spec, spec["least"], note)
    given = []
    for name, plain, v in zip(note.kernel.source.params, note.args, values, strict=True):
        if isinstance(v, larger.Longer):
            old = plain.copy_to_host().reshape(-1)
            plain = (
                np.resize(old, v.shape)
                if name not in only_written
                else np.full(v.shape, POISON, old.dtype)
            )
        given.append(host.DeviceArray.of(plain) if isinstance(plain, np.ndarray) else plain)
    rows = []
    with captured(rows, **OPTIONS):
        note.kernel[config.grid, config.block](*given)
    assert not any(np.any(a.copy_to_host() == POISON) for a in given if hasattr(a, "copy_to_host"))
    return rows[0]


def test_each_is_right_where_it_is_small(notes, playwright):
    """Checked by the stepper, which finds what lies outside; and then as WGSL."""
    rows = {k: launched(spec, notes[k]) for k, spec in ASKED.items() if spec.get("least")}
    assert all(map(runs, rows.values()))
    with webgpu.page(playwright) as tab:
        came = webgpu.run(tab, list(rows.values()))
    faults = {k: w for (k, r), x in zip(rows.items(), came, strict=True) if (w := wrong(r, x))}
    assert not faults


def test_what_some_blocks_leave_is_what_the_whole_launch_leaves(notes):
    """By which the page compares launches that are too large for the stepper."""
    why = Counter()
    for key, spec in ASKED.items():
        if not spec.get("least"):
            continue
        record = launched(spec, notes[key])
        found = larger.sampled(record.function, record.shader, record.shader, record.before)
        if isinstance(found, str):
            why[found] += 1
            continue
        blocks, arrays = found
        assert 1 <= blocks <= larger.BLOCKS and arrays, key
        for b in record.shader.bindings:
            if b.name in arrays:
                places, data = arrays[b.name]
                want = pack(b, [record.after[b.name][k] for k in places])
                assert data == want, (key, b.name)
        why["compared"] += 1
    print(dict(why))
    assert why["compared"] >= 0.7 * why.total()


PREPARE = """async shaders => {
    const { Gpu, unpacked } = await import("/gpu.js")
    const gpu = await Gpu.open({ patience: 60 })
    for (const shader of JSON.parse(shaders)) {
        const bindings = shader.bindings.map(b => ({ ...b, bytes: 16, data: "" }))
        const ready = await gpu.prepare(unpacked({ ...shader, bindings }))
        ready.free()
    }
}"""


def test_what_an_adapter_with_subgroups_of_32_gets_is_compiled_by_the_browser(notes, playwright):
    """The software adapter has subgroups of 4, so it can compile that and not run it."""
    made = []
    for key, spec in ASKED.items():
        if "n" in spec:
            [(shader, *_)] = larger.shaders(
                spec | {"n": spec["n"][:1]}, notes[key], subgroups=32, **OPTIONS
            )
            made.append(shader)
    assert sum("subgroups" in shader.features for shader in made) >= 5
    with webgpu.page(playwright) as tab:
        tab.evaluate(PREPARE, json.dumps([as_json(shader) for shader in made]))


# ---------------------------------------------------------------- exercises

CASES = run_here.read_sizes(ROOT, run_here.EXERCISES)
TEXTS = {name: exercise.load(name, ROOT) for name in exercise.names(ROOT)}
# Exercises whose kernel no WGSL is made of: tests/test_wgsl.py has the reasons.
NO_WGSL = {
    "back_to_int8", "came_with_number", "dropout_backward", "lane_ranks", "last_adds",
    "running_softmax",
}  # fmt: skip
# One warp, one tile or one block is what they are about: a launch of them has one size.
ONE_SIZE = {
    "every_other", "fetch_boxes", "fragment_owner", "keep_warm", "my_sequences", "outer_rows",
    "pack_halo", "promoted", "quarter_turn", "receipt", "ring_schedule", "skewed", "swizzle",
    "tally", "triangle",
}  # fmt: skip
# Their checks take long to make larger data.
ONE_SIZE |= {"attend", "causal_rows", "certainty", "likeness", "merge_parts", "run_starts"}


def repeats(text):
    """Whether the compiler repeats an exercise's rows by itself: arrays of one length."""
    rows = []
    with captured(rows, most=1, more=lambda n: (2,), **OPTIONS):
        grade.launch_largest(text, None, 20)
    return bool(rows[0].sizes)


def test_every_exercise_has_a_launch_that_can_be_timed_or_a_reason():
    assert CASES.keys() <= TEXTS.keys() - NO_WGSL
    left = TEXTS.keys() - CASES.keys() - NO_WGSL - ONE_SIZE
    assert {name for name in left if not repeats(TEXTS[name].text)} == set()
    print(f"{len(CASES)} exercises have a launch of their own, {len(left)} are repeated, "
          f"{len(ONE_SIZE)} have one size, {len(NO_WGSL)} no WGSL")  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_an_exercises_launch_is_that_of_its_case_and_compiles(name):
    case = CASES[name]
    seen = larger.of_case(TEXTS[name], case["case"])
    assert seen == {key: case[key] for key in seen}
    spec = run_here._launch(case)
    with larger.noted(None) as notes:
        grade.launch_largest(TEXTS[name].text, None, 20)
    [(shader, *_)] = larger.shaders(spec, next(iter(notes.values())), **OPTIONS)
    assert max(b.elements for b in shader.bindings) >= 1 << 16
    assert all(4 * b.elements <= 1 << 27 for b in shader.bindings)  # what every adapter binds
