"""Copies beside multiplications: the order is that of the worklog's kernel, which is run here.

No simulator has cp.async, so the kernel's own loop runs as plain Python with stand-ins for one
thread, which note each copy that it starts, each wait and each product. How long those take is
made up: a tile's copy 4 units of time, its products 3.
"""

from types import SimpleNamespace

import numpy as np

from snippets.diagrams.common import run_section

COPY, MULTIPLY, TILES, BK, SPAN = 4, 3, 4, 8, 28


def order(stages):
    """Return what a thread of the kernel does: ("copy" or "multiply", stage), ("wait", open)."""
    done = []

    def instruction(text):
        open_groups = int(text.split()[1].rstrip(";")) if "wait_group" in text else None
        return lambda: done.append(("wait", open_groups)) if open_groups is not None else None

    def shared(shape, dtype, alignment=None):
        return [SimpleNamespace(stage=k, shape=shape[1:]) for k in range(shape[0])]

    here = SimpleNamespace(x=0, y=0)
    cuda = SimpleNamespace(
        jit=lambda **_: lambda kernel: kernel,
        shared=SimpleNamespace(array=shared),
        local=SimpleNamespace(array=lambda shape, dtype: np.zeros(shape, dtype)),
        threadIdx=here,
        blockIdx=here,
        syncthreads=lambda: None,
    )
    names = run_section(
        "gemm/pipeline.py",
        "kernel",
        np=np,
        cuda=cuda,
        make_instruction=instruction,
        commit=lambda: None,
        start_transposed=lambda tile, *rest: done.append(("copy", tile.stage, rest[4] > 0)),
        START_ROWS={4: lambda *_: None},
        fetch=lambda tile, k, *_: done.append(("multiply", tile.stage)) if not k else None,
        add_products=lambda *_: None,
        write=lambda *_: None,
    )
    kernel = names["make_pipeline"](16, 16, BK, 4, 4, stages)
    kernel(*(SimpleNamespace(shape=(16, TILES * BK)) for _ in range(3)))
    # Both operands are fetched; one line for the two.
    return [step for n, step in enumerate(done) if n == 0 or step != done[n - 1]]


def timeline(stages):
    """Return a letter and a number for each stage, and for the arithmetic, in each unit of time."""
    cells = [["."] * SPAN for _ in range(stages + 1)]
    text, now, groups, held = {}, 0, [], {}
    tile = used = 0

    def fill(row, first, last, letter, number):
        cells[row][first:last] = letter * (last - first)
        text[row * SPAN + first] = str(number)

    for what, *more in order(stages):
        if what == "copy":
            stage, inside = more
            groups.append(now + COPY if inside else now)
            if inside:
                fill(stage, now, now + COPY, "o", tile)
                held[stage] = tile, now + COPY
                tile += 1
        elif what == "wait":
            now = max([now, *groups[: len(groups) - more[0]]])
        elif used < TILES:  # the last rounds multiply nothing but zeros
            stage, (number, since) = more[0], held[more[0]]
            cells[stage][since:now] = "d" * (now - since)
            fill(stage, now, now + MULTIPLY, "a", number)
            fill(stages, now, now + MULTIPLY, "a", number)
            now, used = now + MULTIPLY, used + 1
    return ["".join(row) for row in cells], text, now


def alternating():
    """Return the same for one stage without cp.async: copy, multiply, copy, multiply."""
    each = COPY + MULTIPLY
    tiles = ("o" * COPY + "a" * MULTIPLY) * TILES
    work = ("." * COPY + "a" * MULTIPLY) * TILES
    text = {n * each + at: str(n) for n in range(TILES) for at in (0, COPY)}
    text |= {SPAN + n * each + COPY: str(n) for n in range(TILES)}
    return [tiles.ljust(SPAN, "."), work.ljust(SPAN, ".")], text, each * TILES


def record():
    panels, ends, work = [], [], []
    rows = (
        ("Load, wait, multiply, wait", alternating()),
        ("cp.async, two stages", timeline(2)),
        ("cp.async, three stages", timeline(3)),
    )
    for name, (cells, text, end) in rows:
        stages = len(cells) - 1
        panels.append(
            {
                "name": name,
                "rows": [*(f"tile {k}" if stages > 1 else "tile" for k in range(stages)), "math"],
                "columns": SPAN,
                "cells": "".join(cells),
                "text": text,
            }
        )
        ends.append(end)
        work.append(cells[-1])
    frames = [{"words": "No tile has been asked for."}]
    for now in range(SPAN):
        products = [row[: now + 1].count("a") // MULTIPLY for row in work]
        words = (
            f"Moment {now + 1}. Tiles multiplied: {products[0]} without overlap, "
            f"{products[1]} with two stages, {products[2]} with three."
        )
        late = [name for (name, _), end in zip(rows, ends, strict=True) if end == now + 1]
        frames.append({"words": words + "".join(f" Done: {name}." for name in late)})
    return {
        "title": "A pipeline of copies and products",
        "caption": "Four tiles, three ways. Without overlap the arithmetic waits for each copy. "
        "With two stages the next tile arrives while this one is multiplied, and where a copy "
        "takes longer than the products, some waiting is left. A third stage starts copies "
        "earlier, and hides that too. The order is the kernel's own; how long a copy and a "
        "product take is made up.",
        "step": "moment",
        "panels": panels,
        "legend": [
            ["o", "a tile on its way"],
            ["d", "it is here, and waits"],
            ["a", "it is multiplied"],
            [".", "empty, or idle"],
        ],
        "frames": frames,
    }
