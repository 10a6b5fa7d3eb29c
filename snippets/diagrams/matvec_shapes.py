"""How matrices of four shapes are cut: what one warp takes of each."""

from snippets.diagrams import common

SHAPES = (("square", 16384, 16384), ("tall", 2**22, 64), ("flat", 64, 2**22))


def draw(theme):
    plan = common.run_section("matvec/wide.py", "plan", cuda=None)["plan"]
    shapes, y, label = [], 16, []
    for name, m, n in SHAPES:
        lanes, rows, parts, share = plan(m, n)
        width = {"square": 96, "tall": 24, "flat": 200}[name]
        height = {"square": 72, "tall": 72, "flat": 30}[name]
        shapes.append(common.text(4, y, f"{m:,} x {n:,}", theme["ink"], 12, "start", "bold"))
        top = y + 8
        shapes.append(common.rect(4, top, width, height, theme["faint"], theme["grid"], radius=0))
        tall = max(4, min(height, round(height * rows * (32 // lanes) / 32)))
        across = width if parts == 1 else max(5, width / min(parts, 16))
        shapes.append(common.rect(4, top + 12 * (parts == 1), across, tall, theme["accent"]))
        if parts > 1:
            for p in range(1, 16):
                x = 4 + p * width / 16
                shapes.append(common.line(x, top, x, top + height, theme["grid"]))
        groups = 32 // lanes
        words = [
            f"{lanes} lanes for a row" + (f", {groups} groups in a warp" if groups > 1 else ""),
            f"a group has {rows} rows" if rows > 1 else "a group has one row",
            f"rows cut into {parts} parts" if parts > 1 else "rows are not cut",
        ]
        for k, line in enumerate(words):
            shapes.append(common.text(224, top + 14 + 16 * k, line, theme["ink"], 12, "start"))
        label.append(f"{m} x {n}: " + ", ".join(words))
        y = top + max(height, 48) + 24
    shapes.append(common.rect(4, y - 14, 12, 10, theme["accent"], radius=1))
    shapes.append(
        common.text(22, y - 5, "what one warp takes (not to scale)", theme["ink"], 11, "start")
    )
    return common.svg(440, y + 4, *shapes, label="; ".join(label))
