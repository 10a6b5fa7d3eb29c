"""One step of the engine as rows: a letter of one request, and the rest of another's prompt."""

from kernels.paging.pool import PAGE, Pool, Request, Scheduler
from snippets.diagrams.common import line, rect, svg, text

PROMPTS = ("GREEK SMALL ", "GREEK SIGN")


def step():
    """Return (request, token, place, slot, blocks) of each row of a step that serves both."""
    scheduler = Scheduler(Pool(16))
    requests = [Request(tuple(words), 8) for words in PROMPTS]
    scheduler.submit(requests[0])
    scheduler.step()
    scheduler.submit(requests[1])
    rows = []
    for request, count in scheduler.step():
        who = requests.index(request)
        for place in range(request.cached - count, request.cached):
            token = PROMPTS[who][place] if place < len(PROMPTS[who]) else "L"  # the letter made
            slot = request.blocks[place // PAGE] * PAGE + place % PAGE
            rows.append((who, token, place, slot, list(request.blocks)))
    assert {who for who, *_ in rows} == {0, 1}
    assert rows[0][4][0] == rows[-1][4][0]  # they share the first block
    return rows


def draw(theme):
    ink, shapes = theme["ink"], []
    columns = {"request": 44, "token": 110, "place": 164, "slot": 214, "table": 302}
    for name, x in columns.items():
        shapes.append(text(x, 16, name, ink, 12, weight="bold"))
    shapes.append(line(6, 23, 372, 23, theme["grid"], 1))
    for number, (who, token, place, slot, blocks) in enumerate(step()):
        y = 40 + 22 * number
        edge = theme["amber"] if who else theme["accent"]
        shapes.append(rect(6, y - 14, 366, 19, theme["faint"], edge, 3))
        shown = "space" if token == " " else token
        for name, words in zip(columns, ("AB"[who], shown, place, slot), strict=False):
            shapes.append(text(columns[name], y, words, ink, 11))
        for at, block in enumerate(blocks):
            x = 250 + at * 27
            shared = block in step()[0][4] and block in step()[-1][4]
            fill, on = (theme["amber"], theme["on_accent"]) if shared else ("none", ink)
            shapes.append(rect(x, y - 12, 24, 15, fill, theme["grid"], 2))
            shapes.append(text(x + 12, y, block, on, 11))
    label = "Rows of one step: request A computes one letter, request B the rest of its prompt."
    return svg(378, 40 + 22 * len(step()), *shapes, label=label)
