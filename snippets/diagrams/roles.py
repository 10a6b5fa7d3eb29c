"""Who does what in the Hopper kernel: producer, shared memory, tensor cores, store."""

from snippets.diagrams import common


def draw(theme):
    shapes = []

    def box(x, y, wide, high, fill, *lines, ink=None):
        shapes.append(common.rect(x, y, wide, high, fill, theme["grid"], radius=4))
        for k, words in enumerate(lines):
            top = y + high / 2 + 4 + 14 * (k - (len(lines) - 1) / 2)
            shapes.append(
                common.text(
                    x + wide / 2, top, words, ink or theme["on_accent"], 11.5,
                    weight="bold" if not k else "normal",
                )
            )  # fmt: skip

    box(4, 30, 116, 60, theme["amber"], "producer", "1 thread asks")
    box(166, 30, 116, 60, theme["accent"], "consumer 0", "4 warps: wgmma")
    box(320, 30, 116, 60, theme["accent"], "consumer 1", "4 warps: wgmma")
    box(4, 176, 92, 54, theme["faint"], "global memory", "a, b, c", ink=theme["ink"])
    box(150, 176, 286, 54, theme["faint"])
    words = "shared memory: a ring of four slots"
    shapes.append(common.text(293, 196, words, theme["ink"], 11.5, weight="bold"))
    for k in range(4):
        shapes.append(
            common.rect(
                160 + k * 67, 208, 60, 16, theme["accent"] if k < 3 else "none", theme["accent"]
            )
        )
        shapes.append(
            common.text(
                190 + k * 67, 220, "full" if k < 3 else "empty",
                theme["on_accent"] if k < 3 else theme["ink"], 10.5,
            )
        )  # fmt: skip
    shapes.append(common.arrow(50, 90, 50, 172, theme["amber"]))
    shapes.append(common.text(56, 134, "asks TMA", theme["ink"], 11, "start"))
    shapes.append(common.arrow(96, 203, 146, 203, theme["amber"], 2.5))
    shapes.append(common.text(121, 196, "TMA", theme["ink"], 11))
    for x in (224, 378):
        shapes.append(common.arrow(x, 172, x, 94, theme["accent"], 2.5))
    shapes.append(common.text(232, 136, "tensor cores read the tiles", theme["ink"], 11, "start"))
    shapes.append(
        common.text(
            4,
            18,
            "warp specialization: one group moves data, two multiply",
            theme["ink"],
            13,
            "start",
            "bold",
        )
    )
    words = "barriers: “full” when the bytes are there, “empty” when both have used them"
    shapes.append(common.text(4, 254, words, theme["ink"], 11.5, "start"))
    label = (
        "A producer thread asks TMA to fill slots of shared memory; two warpgroups multiply them"
    )
    return common.svg(440, 264, *shapes, label=label)
