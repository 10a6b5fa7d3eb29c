"""A ring of three stages, and reads one step ahead: what the tuned product's kernel does, in order.

The kernel is run with stand-ins that write down each copy, read, barrier and multiplication.
"""

from types import SimpleNamespace

import numpy as np

from snippets.diagrams import common

DEPTH, STAGES, ROUNDS, TILES = 8, 3, 5, 8
WIDTH, LEFT, CELL = 400, 62, 37


def record():
    """Return what happens: (copy, stage), (read, stage, k, set), (multiply, set) and (barrier,)."""
    events, sets = [], iter(["acc", "even", "even", "odd", "odd"])
    shared = iter([[("a", s) for s in range(STAGES)], [("b", s) for s in range(STAGES)]])

    class Local(dict):
        def __init__(self):
            self.name = next(sets)

    def fetch(tile, k, place, distance, registers):
        if tile[0] == "a":  # b is read beside it
            events.append(("read", tile[1], k, registers.name))

    cuda = SimpleNamespace(
        jit=lambda **options: lambda kernel: kernel,
        shared=SimpleNamespace(array=lambda *shape, **options: next(shared)),
        local=SimpleNamespace(array=lambda *shape: Local()),
        threadIdx=SimpleNamespace(x=0),
        blockIdx=SimpleNamespace(x=0),
        syncthreads=lambda: events.append(("barrier",)),
    )
    names = {
        "cuda": cuda,
        "np": np,
        "fetch": fetch,
        "add_products": lambda a, b, acc: events.append(("multiply", a.name)),
        "start_transposed": lambda tile, *rest: events.append(("copy", tile[1])),
        "START_ROWS": {4: lambda *rest: None},
        "commit": lambda: None,
        "make_instruction": lambda ptx: lambda: None,
        "write": lambda *rest: None,
    }
    for section in ("steps", "kernel"):
        names = common.run_section("gemm/tuned.py", section, **names)
    kernel = names["make_tuned"](128, 256, DEPTH, 2, 4, STAGES, 1)
    a, b, c = (SimpleNamespace(shape=s) for s in ((128, DEPTH * TILES), (64, 256), (128, 256)))
    kernel(a, b, c)
    return events


def rounds(events):
    """Return for each round (stage it fills, stage it reads, its steps): what follows a barrier.

    A step is (set multiplied, stage, k, set read meanwhile, whether a barrier stands before it).
    """
    starts = [i for i, event in enumerate(events) if event[0] == "copy"][STAGES - 1 :]
    found = []
    for start, end in zip(starts, [*starts[1:], len(events)], strict=True):
        steps, read, barrier = [], None, False
        for kind, *what in events[start + 1 : end]:
            if kind == "read":
                read = what
            elif kind == "barrier":
                barrier = True
            else:
                steps.append((what[0], *read, barrier))
                barrier = False
        found.append((events[start][1], steps[0][1], steps))
    return found


def draw(theme):
    found, ink = rounds(record()), theme["ink"]
    shapes = _steps(theme, *found[0])
    top = 164
    words = "The ring: three stages, round by round"
    shapes.append(common.text(4, top, words, ink, 13, "start", "bold"))
    for stage in range(STAGES):
        shapes.append(common.text(4, top + 46 + 30 * stage, f"stage {stage}", ink, 12, "start"))
    wide = (WIDTH - LEFT) / ROUNDS
    for number, (fills, reads, _) in enumerate(found[:ROUNDS]):
        x = LEFT + number * wide
        shapes.append(common.text(x + wide / 2 - 2, top + 20, f"round {number}", ink, 12))
        for stage in range(STAGES):
            y, tile = top + 28 + 30 * stage, number + (stage - reads) % STAGES
            fill, edge, words = theme["faint"], theme["grid"], ink
            if stage == reads:
                fill, words = ink, theme["on_accent"]
            shapes.append(
                common.rect(x, y, wide - 4, 26, fill, ink if stage == fills else edge,
                            dash="4 3" if stage == fills else None)
            )  # fmt: skip
            shapes.append(common.text(x + wide / 2 - 2, y + 17, f"tile {tile}", words, 12))
    y = top + 28 + 30 * STAGES + 8
    for x, fill, edge, dash, words in (
        (4, ink, ink, None, "multiplied"),
        (104, theme["faint"], ink, "4 3", "its copy starts"),
        (236, theme["faint"], theme["grid"], None, "arriving, or there"),
    ):
        shapes.append(common.rect(x, y, 16, 14, fill, edge, dash=dash))
        shapes.append(common.text(x + 22, y + 11, words, ink, 12, "start"))
    label = "Eight steps of a tile, each read one ahead of its use, and a ring of three stages"
    return common.svg(WIDTH, y + 22, *shapes, label=label)


def _steps(theme, fills, reads, steps):
    """Return one round: what is read, above what is multiplied meanwhile, in its set's color."""
    colors, ink, x, top = {"even": theme["accent"], "odd": theme["amber"]}, theme["ink"], LEFT, 40
    shapes = [
        common.text(4, 14, "One round: the eight steps of a tile", ink, 13, "start", "bold"),
        common.text(4, top + 17, "read", ink, 12, "start"),
        common.text(4, top + 51, "multiply", ink, 12, "start"),
    ]
    for number, (used, stage, k, into, barrier) in enumerate(steps):
        if barrier:
            shapes.append(common.line(x + 4, top - 6, x + 4, top + 66, ink, 3))
            shapes.append(common.text(x + 4, top + 82, "barrier", ink, 12))
            x += 11
        shapes.append(common.rect(x, top, CELL, 26, theme["faint"], colors[into]))
        shapes.append(common.text(x + CELL / 2, top + 17, k, ink, 12))
        shapes.append(common.rect(x, top + 34, CELL, 26, colors[used]))
        shapes.append(common.text(x + CELL / 2, top + 51, number, theme["on_accent"], 12))
        if stage != reads:
            shapes.append(common.text(x + CELL, top - 8, "next tile", ink, 12, "end"))
        x += CELL + 3
    for x, name in ((4, "even"), (136, "odd")):
        shapes.append(common.rect(x, top + 71, 16, 14, colors[name]))
        shapes.append(common.text(x + 22, top + 82, f"{name} registers", ink, 12, "start"))
    return shapes
