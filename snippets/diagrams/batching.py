"""Four slots, static and continuous batching of the same answers: who computes in which step."""

from kernels.paging.pool import Pool, Request, Scheduler
from snippets.diagrams import common

ANSWERS, SLOTS, CELL = (3, 9, 2, 4, 6, 2, 3, 5), 4, 18


def static():
    """Return [(slot, first step, steps)] and the steps in all."""
    bars, begin = [], 0
    for first in range(0, len(ANSWERS), SLOTS):
        batch = ANSWERS[first : first + SLOTS]
        bars += [(slot, begin, length) for slot, length in enumerate(batch)]
        begin += max(batch)
    return bars, begin


def continuous():
    scheduler = Scheduler(Pool(64), budget=16, most=SLOTS)
    requests = [Request((i,), answer) for i, answer in enumerate(ANSWERS)]
    for request in requests:
        scheduler.submit(request)
    began, slots, busy, steps = {}, {}, set(), 0
    while scheduler.waiting or scheduler.running:
        for request, _ in scheduler.step():
            i = requests.index(request)
            if i not in began:
                slot = min(set(range(SLOTS)) - busy)
                began[i], slots[i] = steps, slot
                busy.add(slot)
        steps += 1
        busy -= {slots[i] for i, r in enumerate(requests) if r.made == r.answer and i in slots}
        busy |= {slots[i] for i in slots if requests[i].made < requests[i].answer}
    return [(slots[i], began[i], ANSWERS[i]) for i in range(len(ANSWERS))], steps


def draw(theme):
    ink, shapes, y = theme["ink"], [], 14
    for words, (bars, steps) in (("static", static()), ("continuous", continuous())):
        shapes.append(common.text(8, y, f"{words} batching", ink, 11, "start", "bold"))
        shapes.append(common.text(352, y, f"{steps} steps", ink, anchor="end"))
        for slot in range(SLOTS):
            top = y + 8 + slot * 20
            shapes.append(common.rect(8, top, steps * CELL, 17, theme["faint"], theme["grid"]))
        for i, (slot, begin, length) in enumerate(bars):
            x, top = 8 + begin * CELL, y + 8 + slot * 20
            fill = theme["amber"] if i % 2 else theme["accent"]
            shapes.append(common.rect(x, top, length * CELL - 2, 17, fill))
            shapes.append(common.text(x + 8, top + 13, i, theme["on_accent"]))
        y += 8 + SLOTS * 20 + 24
    words = "a row is a slot of the batch; pale: nobody computes there"
    shapes.append(common.text(8, y - 4, words, ink, anchor="start"))
    label = "Eight answers of different length in four slots, in static and in continuous batches"
    return common.svg(364, y + 4, *shapes, label=label)
