"""A cache of eight blocks while three requests come and go: who has which block, step by step."""

from kernels.paging.pool import Pool, Request, Scheduler
from snippets.diagrams import common

BLOCKS, CELL, ROW = 8, 21, 19


def history():
    """Return for each step the queue's length, and the requests that use each block."""
    pool = Pool(BLOCKS)
    scheduler = Scheduler(pool, budget=12)
    shared = tuple("be brief: ")
    requests = [
        Request(shared + tuple("why"), 4),
        Request(shared + tuple("who is it"), 6),
        Request(tuple("abcdefgh"), 3),
    ]
    arrivals, seen = {0: 0, 3: 1, 4: 2}, []
    for step in range(14):
        if step in arrivals:
            scheduler.submit(requests[arrivals[step]])
        scheduler.step()
        owners = [[i for i, r in enumerate(requests) if b in r.blocks] for b in range(BLOCKS)]
        seen.append((len(scheduler.waiting), owners))
        if all(request.made == request.answer for request in requests):
            break
    assert all(request.made == request.answer for request in requests)
    return seen


def draw(theme):
    seen, ink, shapes = history(), theme["ink"], []
    colors = [theme["accent"], theme["amber"], theme["ink"]]
    shapes.append(common.text(8, 14, "blocks of the cache, step by step", ink, 11, "start", "bold"))
    for block in range(BLOCKS):
        y = 24 + block * ROW
        shapes.append(common.text(46, y + 13, f"block {block}", ink, anchor="end"))
        for step, (_, owners) in enumerate(seen):
            x = 52 + step * CELL
            mine = owners[block]
            shapes.append(common.rect(x, y, CELL - 2, ROW - 2, theme["faint"], theme["grid"]))
            high = (ROW - 2) / max(len(mine), 1)
            for part, owner in enumerate(mine):
                shapes.append(
                    common.rect(x, y + part * high, CELL - 2, high, colors[owner], radius=1)
                )
    y = 24 + BLOCKS * ROW
    shapes.append(common.text(46, y + 13, "waiting", ink, anchor="end"))
    for step, (waiting, _) in enumerate(seen):
        shapes.append(common.text(52 + step * CELL + CELL / 2 - 1, y + 13, waiting, ink))
    y += 32
    for i, words in enumerate(("first request", "second", "third")):
        x = 8 + (0, 110, 190)[i]
        shapes.append(common.rect(x, y - 9, 10, 10, colors[i]))
        shapes.append(common.text(x + 15, y, words, ink, anchor="start"))
    label = (
        "Eight blocks of a cache over the steps of a scheduler, colored by the request that uses"
    )
    return common.svg(364, y + 10, *shapes, label=label)
