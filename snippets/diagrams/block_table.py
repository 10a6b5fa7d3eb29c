"""Two requests, their block tables, and the blocks of memory that the tables name."""

from kernels.paging.pool import PAGE, Pool, Request, Scheduler
from snippets.diagrams.common import arrow, rect, svg, text

PROMPTS = ("be brief: why", "be brief: what")
BLOCKS, CELL, HIGH = 8, 13, 17
BLOCK = PAGE * CELL


def tables():
    """Return the block tables of two requests that begin alike, the second in a used cache."""
    pool = Pool(BLOCKS)
    pool.free.move_to_end(0)  # a cache that has been in use: what is free is in no order
    pool.free.move_to_end(3, last=False)
    scheduler = Scheduler(pool)
    requests = [Request(tuple(words), 4) for words in PROMPTS]
    for request in requests:
        scheduler.submit(request)
        scheduler.step()
    found = [list(request.blocks) for request in requests]
    assert found[0][:2] == found[1][:2] and found[0][2:] != found[1][2:]
    return found


def tokens(x, y, words, fill, ink, theme):
    """Return a block's cells with their letters."""
    shapes = []
    for k in range(PAGE):
        letter = words[k] if k < len(words) else ""
        shapes.append(rect(x + k * CELL, y, CELL - 1, HIGH, fill, theme["grid"], 1))
        shapes.append(text(x + k * CELL + 6, y + 13, letter, ink, 10))
    return shapes


def draw(theme):
    ink, found = theme["ink"], tables()
    colors = [theme["accent"], theme["amber"]]
    shapes = [
        text(6, 14, "what a request sees", ink, 11, "start", "bold"),
        text(173, 14, "its table", ink, weight="bold"),
        text(288, 14, "memory", ink, weight="bold"),
    ]
    left, table, memory = 6, 160, 262
    place = {block: 24 + 26 * block for block in range(BLOCKS)}
    for block, y in place.items():
        shapes.append(text(memory + BLOCK + 14, y + 13, f"block {block}", ink, 10, "start"))
        shapes += tokens(memory, y, "", theme["faint"], ink, theme)
    for who, (prompt, blocks) in enumerate(zip(PROMPTS, found, strict=True)):
        color, top = colors[who], 30 + who * 108
        name = f"request {'AB'[who]}"
        shapes.append(text(left, top + 8, name, ink, 10, "start"))
        for number, block in enumerate(blocks):
            words = prompt[number * PAGE : (number + 1) * PAGE]
            y = top + 14 + 20 * number
            shared = block in found[0] and block in found[1]
            shapes += tokens(left + 40, y, words, theme["faint"], ink, theme)
            shapes.append(arrow(left + 40 + BLOCK + 4, y + 9, table - 2, y + 9, ink, 1))
            shapes.append(rect(table, y, 26, HIGH, color, theme["grid"], 2))
            shapes.append(text(table + 13, y + 13, block, theme["on_accent"], 11))
            shapes.append(arrow(table + 28, y + 9, memory - 3, place[block] + 9, color, 1.2))
            # A shared block is drawn once, in both colors.
            if not (shared and who):
                shapes += tokens(memory, place[block], words, color, theme["on_accent"], theme)
            else:
                shapes.append(rect(memory + BLOCK + 3, place[block], 5, HIGH, color))
    label = "Two requests of four blocks; their tables name five blocks of memory, three twice"
    return svg(364, 24 + 26 * BLOCKS + 8, *shapes, label=label)
