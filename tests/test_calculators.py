"""The calculators in pages: what their scripts compute is what the pages' Python computes."""

import itertools
import json
import subprocess
from dataclasses import asdict, replace

import numpy as np
import pytest

from kernels.many_gpus import collectives
from kernels.many_gpus.collectives import by_node
from kernels.many_gpus.interleaved import pipeline_of_pieces
from kernels.many_gpus.schedules import gpipe, one_f_one_b, pipeline, training_step
from kernels.many_gpus.world import Lost, Recv, Send, World, nodes, switch
from kernels.megatron.calculator import Plan
from lockstep.page import find_root
from tests.browser import axe
from tests.records import all_records
from tests.wide import loading

ROOT = find_root()


def ask(script, questions):
    """Return what a script of docs/assets/js answers to each question."""
    done = subprocess.run(
        ["node", "tests/calculators.mjs", f"docs/assets/js/{script}"],
        input="\n".join(map(json.dumps, questions)),
        capture_output=True,
        text=True,
        timeout=60,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


MODEL = Plan(layers=80, width=8192, words=128_000, length=4096, sequences=1, micro_batches=8)
CHANGES = [
    *({"data": d, "zero": z, "tensor": t} for d in (1, 64) for z in range(4) for t in (1, 8)),
    *({"pipeline": p, "micro_batches": m} for p in (2, 16) for m in (1, 8, 64)),
    *({"weight_bytes": b, "recompute": r} for b in (2, 4) for r in (False, True)),
    {"recompute": True, "pipeline": 8, "tensor": 4, "data": 2, "sequences": 3, "length": 1000},
    {"pipeline": 80, "micro_batches": 1},  # the last stage holds the most: logits
]


def test_the_calculator_of_memory_is_the_pages():
    plans = [replace(MODEL, **change) for change in CHANGES]
    for mine, found in zip(plans, ask("plan.js", map(asdict, plans)), strict=True):
        assert found["state"] == pytest.approx(mine.state(), rel=1e-12), mine
        assert found["activations"] == pytest.approx(mine.activations(), rel=1e-12), mine
        assert found["traffic"] == pytest.approx(mine.traffic(), rel=1e-12), mine
        assert found["bubble"] == pytest.approx(mine.bubble(), rel=1e-12), mine


def test_the_par_of_the_page_is_the_least_that_a_gpu_can_receive():
    """64 sequences on 64 GPUs without a pipeline, in nine tenths of 80 GB."""
    plans = [
        replace(
            MODEL, data=64 // t, tensor=t, sequences=s, micro_batches=t // s, zero=z, recompute=r
        )
        for t in (1, 2, 4, 8, 16, 32, 64)
        for s in (1, 2, 4, 8, 16, 32, 64)
        for z in range(4)
        for r in (False, True)
        if s <= t
    ]
    fits = [p for p in plans if sum(p.state().values()) + p.activations() <= 72e9]
    par = min(sum(p.traffic().values()) for p in fits)
    page = (ROOT / "docs/roadmap/distributed/megatron.md").read_text()
    assert f"Our par is [[worked:{par / 1e9:.0f} GB;" in page


WAYS = {  # those of snippets/megatron/memory.py
    "bfloat16": {"sequences": 2},
    "bfloat16-recomputed": {"sequences": 8, "recompute": True},
    "float32": {"sequences": 1, "weight_bytes": 4},
}


@pytest.mark.parametrize("way", WAYS)
def test_the_calculator_says_what_was_measured(way):
    """Within 1 %: state, and what a forward pass keeps, of a model of 670 million parameters."""
    rows = all_records().microbenchmarks
    model = Plan(layers=12, width=2048, words=32_000, length=2048, micro_batches=1, **WAYS[way])
    measured = {part: rows[f"training-memory-{way}-{part}"] for part in ("state", "kept", "peak")}
    assert all(row["fresh"] and row["unit"] == "GB" for row in measured.values())
    kept = model.activations()
    if model.recompute:  # a layer that is computed again is not kept by the forward pass
        kept -= 16 * model.weight_bytes * model.length * model.sequences * model.width
    state = sum(model.state().values())
    assert state / 1e9 == pytest.approx(measured["state"]["value"], rel=0.01)
    assert kept / 1e9 == pytest.approx(measured["kept"]["value"], rel=0.01)
    assert (state + kept) / 1e9 < measured["peak"]["value"] < 1.35 * (state + kept) / 1e9


def test_a_plan_that_cannot_be_is_refused_with_its_cure():
    wrong = [{"layers": 81, "pipeline": 8}, {"tensor": 3}, {"width": 0}, {"zero": 3, "pipeline": 2}]
    answers = ask("plan.js", [asdict(replace(MODEL, **change)) for change in wrong])
    said = [" ".join(answer["mistakes"]) for answer in answers]
    assert "81 layers do not divide into 8 stages" in said[0]
    assert "8192 does not divide by 3" in said[1]
    assert "Width: write a whole number" in said[2]
    assert "Choose ZeRO 1" in said[3]


LATENCY, BANDWIDTH = 2e-6, 360e9
PROGRAMS = {
    "ring": collectives.ring,
    "tree": collectives.tree,
    "one": collectives.one_shot,
    "two": collectives.two_shot,
    "all": collectives.all_to_all,
    "broadcast": collectives.broadcast,
    "scatter": collectives.reduce_scatter,
    "gather": lambda rank, n, x: collectives.all_gather(rank, n, np.array_split(x, n)),
}


def question(kind, ranks, size, batches=4, forward=1e-3):
    return {
        "kind": kind,
        "ranks": ranks,
        "bytes": size,
        "latency": LATENCY,
        "bandwidth": BANDWIDTH,
        "batches": batches,
        "forward": forward,
    }


def test_collectives_in_the_page_take_as_long_as_in_python():
    cases = list(itertools.product(PROGRAMS, (2, 3, 4, 7, 16), (2**10, 2**25)))
    for (kind, ranks, size), found in zip(
        cases, ask("ranks.js", [question(*case) for case in cases]), strict=True
    ):
        sent = size * (2 if kind == "one" else 1)  # a value and the number of the call
        world = World(ranks, switch(LATENCY, BANDWIDTH), element=sent / ranks)
        world.run(PROGRAMS[kind], [np.ones(ranks)] * ranks)
        assert found["seconds"] == pytest.approx(world.seconds, rel=1e-9), (kind, ranks, size)
        mine = sorted((r, to, began) for r, to, began, _ in world.spans)
        theirs = sorted((s["rank"], s["to"], s["began"]) for s in found["spans"])
        assert np.allclose(mine, theirs, rtol=1e-9, atol=1e-15), (kind, ranks, size)
        assert not found["lost"]


@pytest.mark.parametrize(("kind", "program"), [("node", by_node), ("ring", None), ("tree", None)])
def test_machines_in_the_page_take_as_long_as_in_python(kind, program):
    cases = list(itertools.product((2, 4), (8, 16, 64), (2**10, 2**28)))
    asked = [question(kind, ranks, size) | {"size": inside} for inside, ranks, size in cases]
    for (inside, ranks, size), found in zip(cases, ask("ranks.js", asked), strict=True):
        link = nodes(inside, (LATENCY, BANDWIDTH), (5e-6, 50e9))
        world = World(ranks, link, element=size / ranks)
        world.run(program(inside) if program else PROGRAMS[kind], [np.ones(ranks)] * ranks)
        assert found["seconds"] == pytest.approx(world.seconds, rel=1e-9), (inside, ranks, size)


def test_all_messages_of_1024_ranks_take_as_long_as_their_parts():
    (found,) = ask("ranks.js", [question("node", 1024, 2**30) | {"size": 8}])
    seconds = 0
    for ranks, link, size in ((8, (LATENCY, BANDWIDTH), 2**30), (128, (5e-6, 50e9), 2**27)):
        world = World(ranks, switch(*link), element=size / ranks)
        world.run(collectives.ring, [np.ones(ranks)] * ranks)
        seconds += world.seconds
    assert found["seconds"] == pytest.approx(seconds, rel=1e-9)
    assert len(found["spans"]) == 274_432  # as the page says


def test_interleaved_pieces_in_the_page_take_as_long_as_in_python():
    cases = list(itertools.product((3, 4, 8), (1, 2, 4)))
    asked = [question("pieces", n, 2**20, 2 * n) | {"pieces": pieces} for n, pieces in cases]
    for (ranks, pieces), found in zip(cases, ask("ranks.js", asked), strict=True):
        world = World(ranks, switch(LATENCY, BANDWIDTH), element=2**20)
        world.run(pipeline_of_pieces(pieces, 2 * ranks, 1e-3, 2e-3, np.ones(1)))
        assert found["seconds"] == pytest.approx(world.seconds, rel=1e-9), (ranks, pieces)


def loads(own):
    """The orders of loads of the page on many GPUs, for any number of them."""

    def turns(rank, n):
        return [gpu for k in range(n) if (gpu := ((rank if own else 0) + k) % n) != rank]

    def program(me, ranks, part):
        n = ranks // 2
        for gpu in turns(me, n) if me < n else []:
            yield Send(n + gpu, part[:0])
            yield Recv(n + gpu)
        askers = [rank for rank in range(n) if n + rank != me] if me >= n else []
        for rank in sorted(askers, key=lambda rank: turns(rank, n).index(me - n)):
            yield Recv(rank)
            yield Send(rank, part)

    return program


def test_loads_in_the_page_take_as_long_as_in_python():
    cases = list(itertools.product((False, True), (2, 3, 4, 8, 16), (2**10, 2**28)))
    asked = [question("own" if own else "crowd", ranks, size) for own, ranks, size in cases]
    for (own, ranks, size), found in zip(cases, ask("ranks.js", asked), strict=True):
        world = World(2 * ranks, switch(LATENCY, BANDWIDTH), element=size / ranks)
        world.run(loads(own), [np.ones(1)] * (2 * ranks))
        assert found["seconds"] == pytest.approx(world.seconds, rel=1e-9), (own, ranks, size)


def test_loads_in_parts_are_what_the_page_on_four_gpus_counts():
    cases = [("crowd", 2, 1), ("crowd", 4, 5), ("crowd", 8, 13), ("own", 4, 3), ("own", 8, 7)]
    asked = [question(kind, ranks, ranks * BANDWIDTH) | {"latency": 0} for kind, ranks, _ in cases]
    parts = [found["seconds"] for found in ask("ranks.js", asked)]  # a part takes a second
    assert parts == pytest.approx([parts for *_, parts in cases])


@pytest.mark.parametrize("kind, schedule", [("gpipe", gpipe), ("1f1b", one_f_one_b)])
def test_pipelines_in_the_page_take_as_long_as_in_python(kind, schedule):
    cases = list(itertools.product((2, 3, 8), (1, 4, 16)))
    asked = [question(kind, ranks, 2**20, batches) for ranks, batches in cases]
    for (ranks, batches), found in zip(cases, ask("ranks.js", asked), strict=True):
        world = World(ranks, switch(LATENCY, BANDWIDTH), element=2**20)
        world.run(pipeline(schedule, batches, 1e-3, 2e-3, np.ones(1)))
        assert found["seconds"] == pytest.approx(world.seconds, rel=1e-9)


def test_buckets_in_the_page_take_as_long_as_in_python():
    cases = list(itertools.product((2, 4, 8), (1, 2, 16), (2**20, 2**33)))
    asked = [question("ddp", ranks, size, batches) for ranks, batches, size in cases]
    for (ranks, batches, size), found in zip(cases, ask("ranks.js", asked), strict=True):
        world = World(ranks, switch(LATENCY, BANDWIDTH), element=size / batches / ranks)
        gradient = np.ones(ranks)
        seconds = training_step(world, collectives.ring, batches, 1e-3 / batches, 1, gradient)
        assert found["seconds"] == pytest.approx(seconds, rel=1e-9), (ranks, batches, size)


def test_a_rank_that_dies_in_the_page_is_named_as_in_python():
    def dies(rank, ranks, x):
        program, came = collectives.ring(rank, ranks, x), None
        for _ in range(3 if rank == 3 else 1000):
            try:
                came = yield program.send(came)
            except StopIteration:
                return
        raise OSError

    (found,) = ask("ranks.js", [question("ring", 4, 2**20) | {"dies": [3, 3]}])
    with pytest.raises(Lost) as lost:
        World(4, switch(LATENCY, BANDWIDTH), element=2**18).run(dies, [np.ones(4)] * 4)
    chain = [part for part in str(lost.value).split("; ") if "waits" in part]
    assert "rank 3 died at" in found["lost"]
    assert [part for part in found["lost"].split("; ") if "waits" in part] == chain


# ---------------------------------------------------------------- in the browser


def test_a_live_step_of_heat_and_of_a_wave_is_the_equations():
    rows, columns, ratio = 7, 9, 0.2
    random = np.random.default_rng(1)
    now, before, medium = random.uniform(-1, 1, (3, rows, columns)).astype(np.float32)
    bend = np.zeros((rows, columns))
    bend[1:-1, 1:-1] = now[:-2, 1:-1] + now[2:, 1:-1] + now[1:-1, :-2] + now[1:-1, 2:]
    bend[1:-1, 1:-1] -= 4.0 * now[1:-1, 1:-1]
    later = 2.0 * now - before + medium * bend
    border = np.ones((rows, columns), bool)
    border[1:-1, 1:-1] = False
    later[border] = before[border]
    asked = {"rows": rows, "columns": columns, "f": now.ravel().tolist()}
    rest = {"before": before.ravel().tolist(), "medium": medium.ravel().tolist()}
    heat, wave = ask(
        "live.js", [asked | {"what": "heat", "ratio": ratio}, asked | {"what": "wave"} | rest]
    )
    np.testing.assert_allclose(heat, (now + ratio * bend).ravel(), atol=1e-6)
    np.testing.assert_allclose(wave, later.ravel(), atol=1e-6)


def test_a_live_step_of_the_wind_tunnel_is_the_labs():
    rows, columns, omega, wind = 6, 11, 1.3, 0.07
    random = np.random.default_rng(2)
    u, v = random.uniform(-0.1, 0.1, (2, rows, columns))
    solid = (random.random((rows, columns)) < 0.2).astype(np.uint8)
    with loading() as (load, _):
        lab = load("kernels.wind_tunnel.lattice")
        f = lab.at_wind(u, v) * random.uniform(0.9, 1.1, (9, rows, columns)).astype(np.float32)
        right = lab.steps(f, solid, 1, omega, wind)
    asked = {"rows": rows, "columns": columns, "f": f.ravel().tolist()}
    asked |= {"solid": solid.ravel().tolist(), "omega": omega, "wind": wind}
    (found,) = ask("live.js", [asked | {"what": "lattice"}])
    np.testing.assert_allclose(found, right.ravel(), rtol=1e-5, atol=1e-7)


def test_a_live_wing_is_symmetric_and_air_at_rest_does_not_push_it():
    form = {"what": "body", "kind": "wing", "rows": 40, "columns": 80, "size": 30}
    level, up, down = (
        np.reshape(a, (40, 80)) for a in ask("live.js", [form | {"degrees": d} for d in (0, 9, -9)])
    )
    assert level.sum() == pytest.approx(0.685 * 0.15 * 30**2, rel=0.1)  # its area, by the formula
    assert np.array_equal(level[1:], level[:0:-1]) and np.array_equal(up[1:], down[:0:-1])
    still = np.repeat([4 / 9, *4 * [1 / 9], *4 * [1 / 36]], up.size)
    asked = {"what": "force", "rows": 40, "columns": 80, "f": still.tolist()}
    assert ask("live.js", [asked | {"solid": up.ravel().tolist()}])[0] == pytest.approx([0, 0])


PLACES = {
    "plan": "roadmap/distributed/megatron",
    "ranks": "roadmap/distributed/many-gpus-on-a-cpu",
    "plate": "labs/heat-and-wave",
    "tunnel": "labs/wind-tunnel",
}


def opened(name, chromium, server, **options):
    """Return a calculator in a tab of its own, filled."""
    tab = chromium.new_context(**options).new_page()
    tab.errors = []
    tab.on("pageerror", lambda error: tab.errors.append(str(error)))
    tab.on("console", lambda m: m.type == "error" and tab.errors.append(m.text))
    tab.goto(f"{server}/{PLACES[name]}/")
    form = tab.locator(f"form.{name}[data-ready]")
    form.wait_for()
    tab.wait_for_function(
        "() => [...document.styleSheets].some(s => s.href?.includes('calculators'))"
    )
    return tab, form


def test_a_plan_is_computed_by_keyboard(chromium, server):
    tab, form = opened("plan", chromium, server)
    said = form.locator("[role=status]")
    assert "56 GB on each, which fits" in said.inner_text()
    form.locator("[name=tensor]").focus()
    tab.keyboard.press("Control+A")
    tab.keyboard.type("1")
    tab.keyboard.press("Shift+Tab")
    tab.keyboard.press("Control+A")
    tab.keyboard.type("64")
    assert "64 GPUs" in said.inner_text() and "more than it has" in said.inner_text()
    form.locator("[name=layers]").fill("")
    assert "Layers: write a whole number" in said.inner_text()
    assert form.locator("[name=layers]").get_attribute("aria-invalid") == "true"
    assert not tab.errors
    tab.context.close()


def test_a_timeline_follows_its_sliders(chromium, server):
    tab, form = opened("ranks", chromium, server)
    said, boxes = form.locator("[role=status]"), form.locator("svg rect")
    assert "4 ranks" in said.inner_text() and boxes.count() == 4 * 6
    form.locator("[name=ranks]").focus()
    tab.keyboard.press("ArrowRight")
    assert "5 ranks" in said.inner_text() and boxes.count() == 5 * 8
    form.locator("select").select_option("gpipe")
    assert "idles" in said.inner_text() and form.locator("[name=batches]").is_visible()
    form.locator("[name=dies]").check()
    assert "Nobody can go on. Rank 4 died at" in said.inner_text()
    assert not tab.errors
    tab.context.close()


def test_a_timeline_fits_a_phone_and_says_what_it_cannot_play(chromium, server):
    tab, form = opened("ranks", chromium, server, viewport={"width": 390, "height": 800})
    said, kinds = form.locator("[role=status]"), form.locator("select option")
    every = kinds.evaluate_all("options => options.map(o => o.value)")
    assert {"node", "broadcast", "scatter", "gather", "pieces"} < set(every)
    for kind in every:
        form.locator("select").select_option(kind)
        assert form.locator("svg rect").count(), (kind, said.inner_text())
        wide = form.locator(".ranks__frame").evaluate("f => f.scrollWidth - f.clientWidth")
        assert wide <= 0, kind
    form.locator("select").select_option("one")
    form.locator("[name=ranks]").focus()
    tab.keyboard.press("End")
    assert "too many to play here" in said.inner_text() and "1,024 ranks" in said.inner_text()
    form.locator("select").select_option("tree")
    assert "1,024 ranks" in said.inner_text() and "ranks 0 to 15" in said.inner_text()
    assert not tab.errors
    tab.context.close()


@pytest.mark.parametrize("name", ["plate", "tunnel"])
def test_a_live_lab_runs_until_it_is_paused(name, chromium, server):
    tab, form = opened(name, chromium, server)
    button, canvas = form.get_by_role("button").first, form.locator("canvas")
    first = canvas.evaluate("c => c.toDataURL()")
    button.click()
    canvas.scroll_into_view_if_needed()
    form.get_by_text("million cells a second").wait_for()
    button.click()
    assert button.inner_text() == "Start"
    assert canvas.evaluate("c => c.toDataURL()") != first
    told = "The wave comes" if name == "plate" else "Reynolds number 117"
    assert told in canvas.get_attribute("aria-label")
    form.locator("select").select_option("heat" if name == "plate" else "wing")
    form.get_by_role("button").nth(1).click()
    form.get_by_text("Heat the plate" if name == "plate" else "lift coefficient").wait_for()
    assert not tab.errors
    tab.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PLACES)
def test_a_calculator_fits_a_phone_and_axe_finds_nothing(name, scheme, chromium, server):
    size = {"width": 390, "height": 844}
    tab, _ = opened(name, chromium, server, color_scheme=scheme, viewport=size)
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    tab.evaluate(axe())
    found = tab.evaluate("name => axe.run(`form.${name}`, VIOLATIONS)", name)["violations"]
    assert not found, [(v["id"], v["nodes"][0]["html"]) for v in found]
    tab.context.close()
