"""The warp slots of one multiprocessor, filled by blocks of 256 threads, at two register counts."""

from snippets.diagrams.panels import Panel, Picture

SLOTS, REGISTERS, WARPS = 64, 65_536, 8  # of an H200 multiprocessor; warps of a block


def blocks(registers):
    return min(SLOTS // WARPS, REGISTERS // (registers * 32 * WARPS))


def panel(registers):
    count = blocks(registers)
    drawn = Panel(f"{registers} registers a thread: {count * WARPS} of {SLOTS} slots")
    colors = ("fa", "fc", "fv", "fb")
    drawn.text(0, 36, "warp slots", "ks km", "start")
    kinds = [colors[k // WARPS % 4] if k // WARPS < count else "o" for k in range(SLOTS)]
    drawn.cells(2, 44, kinds, 42, 11, 3, columns=WARPS)
    drawn.text(0, 152, f"{REGISTERS:,} registers", "ks km", "start")
    drawn.box(0, 160, 338, 18, "n", radius=1)
    wide = 338 * registers * 32 * WARPS / REGISTERS
    for k in range(count):
        drawn.box(k * wide + 0.5, 160, wide - 1, 18, colors[k % 4], radius=1)
    return drawn


def draw():
    few, many = blocks(32), blocks(72)
    left = REGISTERS - many * 72 * 256
    return Picture(
        panel(32),
        panel(72),
        alt=f"The {SLOTS} warp slots of a multiprocessor and a bar of its registers. With 32 "
        f"registers a thread, {few} blocks of 8 warps fill all slots. With 72, only {many} blocks "
        f"fit into the registers, and {SLOTS - many * WARPS} slots stay empty.",
        see=f"A color is a block of 8 warps. At 32 registers a thread {few} blocks fit and every "
        f"slot is taken. At 72 the registers are used up by {many}; the last {left:,} are too few "
        f"for another whole block, and {SLOTS - many * WARPS} slots stay empty.",
    )
