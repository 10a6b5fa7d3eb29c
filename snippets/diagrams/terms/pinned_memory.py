"""A copy from pageable memory and from pinned memory."""

from snippets.diagrams.panels import Panel, Picture


def panel(pinned):
    drawn = Panel(
        "Pinned: the copy engine reads it directly" if pinned else "Pageable: copied twice"
    )
    drawn.box(2, 26, 202, 104, "n")
    drawn.text(103, 42, "host", "ks km")
    drawn.box(244, 26, 94, 104, "n")
    drawn.text(291, 42, "GPU", "ks km")
    if pinned:
        drawn.box(14, 54, 178, 30, "fa", "your array, pinned", "kw km")
        drawn.arrow(192, 69, 252, 69, "la")
    else:
        drawn.box(14, 54, 178, 24, "tb", "your array, pageable", "kb km")
        drawn.arrow(60, 78, 60, 98, "lb")
        drawn.box(14, 100, 178, 24, "fs", "the driver's pinned buffer", "kw km")
        drawn.bend([(192, 112), (228, 112), (228, 80), (252, 80)], "lb")
    drawn.box(254, 54, 76, 30, "tc", "array", "km")
    y = 152
    drawn.text(2, y + 12, "host", "km", "start")
    drawn.text(2, y + 34, "copy", "km", "start")
    if pinned:
        drawn.box(40, y, 20, 17, "fa")
        drawn.box(62, y, 236, 17, "ta", "goes on with its own work", "ka km")
        drawn.box(62, y + 22, 120, 17, "fc", "DMA", "kw km")
    else:
        for k in range(3):
            drawn.box(40 + 88 * k, y, 42, 17, "fb", "copies", "kw km")
            drawn.box(84 + 88 * k, y + 22, 42, 17, "fc", "DMA", "kw km")
    return drawn


def draw():
    return Picture(
        panel(False),
        panel(True),
        alt="Left, data go from a pageable array into a pinned buffer of the driver and from "
        "there to the GPU, piece by piece, with the host busy. Right, the copy engine reads a "
        "pinned array directly while the host goes on.",
        see="The copy engine needs pages that stay where they are. A pageable array is first "
        "copied into a pinned buffer by the host, piece by piece; a pinned one is read as it "
        "lies, and the host is free meanwhile.",
    )
