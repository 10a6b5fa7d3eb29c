"""The loop of a serving engine: a queue, a scheduler, a pool of blocks, rows, and letters."""

from snippets.diagrams.common import arrow, line, rect, svg, text


def draw(theme):
    ink, accent, amber, shapes = theme["ink"], theme["accent"], theme["amber"], []

    def box(x, y, wide, high, head, *lines, edge=accent):
        shapes.append(rect(x, y, wide, high, theme["faint"], edge, 4))
        shapes.append(text(x + wide / 2, y + 16, head, ink, 12, weight="bold"))
        for number, words in enumerate(lines):
            shapes.append(text(x + wide / 2, y + 32 + 14 * number, words, ink, 11))

    shapes.append(text(8, 14, "many threads: one for each client", ink, 11, "start"))
    box(8, 22, 172, 52, "client's thread", "checks, then submits", edge=ink)
    box(200, 22, 172, 52, "letters", "one queue for each client", edge=ink)
    shapes.append(arrow(200, 48, 181, 48, ink))
    shapes.append(line(8, 112, 372, 112, theme["grid"], 1.5, "4 3"))
    shapes.append(text(190, 130, "one thread: the engine", ink, 11))
    box(8, 140, 172, 52, "1  waiting", "requests in order of arrival")
    box(8, 220, 172, 66, "2  scheduler", "up to 8 requests and", "16 tokens for this step")
    box(8, 318, 172, 66, "blocks", "lent to requests,", "shared where prompts agree", edge=amber)
    box(200, 318, 172, 66, "3  rows", "token, place, slot, table:", "one row for each token")
    box(200, 220, 172, 66, "4  model", "one pass for all rows,", "weights are read once")
    box(200, 140, 172, 52, "5  next letters", "of all who have computed all")
    shapes.append(arrow(94, 74, 94, 139, ink))
    shapes.append(arrow(94, 192, 94, 219, accent))
    shapes.append(arrow(94, 286, 94, 317, amber))
    shapes.append(arrow(180, 351, 199, 351, accent))
    shapes.append(arrow(286, 318, 286, 287, accent))
    shapes.append(arrow(286, 220, 286, 193, accent))
    shapes.append(arrow(286, 140, 286, 75, ink))
    shapes.append(arrow(200, 178, 140, 219, accent))
    label = "Clients' threads queue requests; one thread schedules, computes and returns letters."
    return svg(380, 392, *shapes, label=label)
