"""A warp's loads of one word and of four words for each lane."""

from snippets.diagrams.panels import Panel, Picture


def panel(width):
    loads = 4 // width
    drawn = Panel(f"{loads} instruction{'s' * (loads > 1)} for 128 words of a warp")
    for k in range(4):
        y = 36 + 34 * k
        kind = ("fa", "fc", "fv", "fb")
        if width == 1:
            drawn.text(10, y, f"load {k + 1}: x[i + {32 * k}]", "km", "start")
            drawn.warp(y + 4, kind[k], height=14)
        else:
            drawn.text(
                10,
                y,
                f"words {32 * k} to {32 * k + 31}: lanes {8 * k} to {8 * k + 7}",
                "ks km",
                "start",
            )
            drawn.cells(10, y + 4, ["fa"] * 8, 40, 14, 2)
    return drawn


def draw():
    return Picture(
        panel(1),
        panel(4),
        alt="Left, 128 words are loaded by four instructions, in each of which every lane takes "
        "one word. Right, one instruction loads them, and each lane takes four neighboring words.",
        see="The same 512 bytes. With float32 each lane asks for 4 bytes and the warp issues "
        "four loads; with float4 each asks for 16 and one load does it. Memory moves as much: "
        "what is saved are instructions, and more is in flight.",
    )
