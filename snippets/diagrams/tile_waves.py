"""The tiles of a product on 132 multiprocessors: one wave that fits, or two, one of them thin."""

from snippets.diagrams import common

SIDE, PROCESSORS, ACROSS, CELL = 2048, 132, 33, 9  # rows and columns; multiprocessors; units


def waves(rows, columns):
    """Return how many tiles each wave has."""
    tiles = -(-SIDE // rows) * -(-SIDE // columns)
    return [min(PROCESSORS, tiles - start) for start in range(0, tiles, PROCESSORS)]


def draw(theme):
    ink, shapes, y = theme["ink"], [], 16
    for rows, columns in ((128, 256), (128, 192)):
        sizes = waves(rows, columns)
        share = sum(sizes) / (len(sizes) * PROCESSORS)
        words = f"Tiles of {rows} x {columns}: {sum(sizes)} of them"
        shapes.append(common.text(8, y, words, ink, 12, "start", "bold"))
        shapes.append(common.text(380, y, f"{share:.0%} of the slots used", ink, 11, "end"))
        for number, busy in enumerate(sizes):
            top = y + 12
            shapes.append(common.text(8, top + 22, f"wave {number + 1}", ink, 11, "start"))
            for at in range(PROCESSORS):
                row, column = divmod(at, ACROSS)
                x = 60 + column * (CELL + 0.8)
                fill = theme["accent"] if at < busy else theme["faint"]
                edge = "none" if at < busy else theme["grid"]
                place = top + row * (CELL + 0.8)
                shapes.append(common.rect(x, place, CELL, CELL, fill, edge, radius=1))
            y = top + 4 * (CELL + 0.8) + 2
        y += 26
    label = "Each square is a multiprocessor; filled squares have a tile in that wave"
    return common.svg(390, y - 18, *shapes, label=label)
