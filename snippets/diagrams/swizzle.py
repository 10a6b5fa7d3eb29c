"""Where the pieces of eight rows lie in shared memory, plain and swizzled: read off copy_stage."""

from functools import cache
from types import SimpleNamespace

from snippets.diagrams import common

ROWS, PIECES = 8, 8
WANTED = 2  # the piece that eight lanes read at once, one from each row


@cache
def places():
    """Return {(row, piece): (row, place)} as copy_stage of the lesson's kernel writes them."""
    found = {}
    for thread in range(ROWS * PIECES):
        sent = []
        cuda = SimpleNamespace(jit=lambda **_: lambda f: f, threadIdx=SimpleNamespace(x=thread))
        names = common.run_section(
            "tensor_cores/mma_sync.py",
            "copy",
            cuda=cuda,
            int64=int,
            A_BYTES=128 * 128,
            BOX=64 * 128,
            copy_16_bytes=lambda to, *_, sent=sent: sent.append(to),
        )
        names["copy_stage"](0, 0, 0, 0, 0, 0, 128, 256, 64)
        row, offset = divmod(sent[0], 128)  # its first copy is of a
        found[divmod(thread, PIECES)] = (row, offset // 16)
    return found


def draw(theme):
    shapes = []
    plain = {(r, p): (r, p) for r in range(ROWS) for p in range(PIECES)}
    for left, title, layout in ((4, "in order", plain), (190, "swizzled", places())):
        banks = {place for (_, piece), (_, place) in layout.items() if piece == WANTED}
        said = f"{title}: {4 * len(banks)} banks"
        shapes.append(common.text(left, 14, said, theme["ink"], anchor="start", weight="bold"))
        for (_, piece), (row, place) in layout.items():
            hit = piece == WANTED
            x, y = left + place * 21, 24 + row * 19
            fill = theme["accent"] if hit else theme["faint"]
            ink = theme["on_accent"] if hit else theme["ink"]
            shapes.append(common.rect(x, y, 20, 18, fill, theme["grid"], radius=1))
            shapes.append(common.text(x + 10, y + 13, piece, ink))
    label = "Eight rows of eight pieces in shared memory, in order and swizzled"
    return common.svg(362, 180, *shapes, label=label)
