"""What Triton's compiler decides, and what is yours in CUDA."""

from snippets.diagrams import common

ROWS = (
    ("which thread has which number", "compiler", "you"),
    ("shared memory and its layout", "compiler", "you"),
    ("barriers", "compiler", "you"),
    ("vector loads, bank conflicts", "compiler", "you"),
    ("an array that a thread indexes", "nobody", "you"),
    ("blocks, masks, tiles", "you", "you"),
)


def draw(theme):
    shapes = []
    columns = (212, 296)
    for x, name in zip(columns, ("Triton", "CUDA"), strict=True):
        shapes.append(common.text(x + 35, 16, name, theme["ink"], 12, weight="bold"))
    for k, (what, triton, cuda) in enumerate(ROWS):
        y = 26 + 32 * k
        shapes.append(common.text(6, y + 18, what, theme["ink"], 11.5, "start"))
        for x, who in zip(columns, (triton, cuda), strict=True):
            fill, ink = theme["faint"], theme["ink"]
            if who == "you":
                fill, ink = theme["accent"], theme["on_accent"]
            if who == "nobody":
                fill, ink = "none", theme["amber"]
            shapes.append(common.rect(x, y, 70, 26, fill, theme["grid"], 4))
            shapes.append(common.text(x + 35, y + 17, who, ink, 11.5))
    label = "In Triton the compiler decides layouts, memory and barriers; in CUDA you do"
    return common.svg(372, 26 + 32 * len(ROWS) + 4, *shapes, label=label)
