"""Four layers through a step of FSDP: when each is sharded, on its way, whole and at work."""

from snippets.diagrams import common

LAYERS, LEFT, WIDE, HIGH = 4, 54, 38, 24
STEPS = [
    ("wait", None),  # the first layer is gathered
    *(("fwd", n) for n in range(LAYERS)),
    ("wait", None),  # the last layer was freed, and is gathered again
    *(("bwd", n) for n in reversed(range(LAYERS))),
]


def state(layer, step):
    """Return what a layer is in a step: at work, on its way for the next step, or sharded."""
    if STEPS[step][1] == layer:
        return "work"
    following = STEPS[step + 1][1] if step + 1 < len(STEPS) else None
    return "fetch" if following == layer else "shard"


def draw(theme):
    ink, shapes = theme["ink"], []
    fills = {"work": theme["accent"], "fetch": theme["amber"], "shard": theme["faint"]}
    for step, (way, layer) in enumerate(STEPS):
        words = way if layer is None else f"{way} {layer}"
        shapes.append(common.text(LEFT + step * WIDE + WIDE / 2, 16, words, ink, 11))
    for row, layer in enumerate(reversed(range(LAYERS))):
        y = 24 + row * (HIGH + 4)
        shapes.append(common.text(4, y + 16, f"layer {layer}", ink, 11, "start"))
        for step, (way, _) in enumerate(STEPS):
            x, kind = LEFT + step * WIDE, state(layer, step)
            shapes.append(common.rect(x, y, WIDE - 3, HIGH, fills[kind], theme["grid"]))
            if kind == "work":
                words = "free" if way == "fwd" else "send"
                shapes.append(
                    common.text(x + (WIDE - 3) / 2, y + 16, words, theme["on_accent"], 10.5)
                )
    y = 24 + LAYERS * (HIGH + 4) + 10
    keys = (("work", "whole, at work", 4), ("fetch", "being gathered", 120))
    for kind, words, x in (*keys, ("shard", "own part only", 282)):
        shapes.append(common.rect(x, y, 14, 14, fills[kind], theme["grid"]))
        shapes.append(common.text(x + 20, y + 11, words, ink, 11, "start"))
    label = (
        "In each step one layer is whole and works, the next is being gathered, and of the others "
        "only the own part is kept; in the backward pass each layer's gradient is sent off"
    )
    return common.svg(LEFT + len(STEPS) * WIDE + 2, y + 22, *shapes, label=label)
