"""Which sectors a warp's 32 reads touch, next to each other and eight apart."""

from snippets.diagrams import sectors
from snippets.diagrams.panels import Panel, Picture


def panel(stride):
    count, elements = sectors.warp_reads(stride, 0)
    asked, moved = 4 * len(elements), 32 * count
    drawn = Panel(f"x[{'i' if stride == 1 else f'{stride} * i'}]: {count} sectors")
    drawn.text(10, 36, "32 lanes of a warp", "ks km", "start")
    drawn.warp(42, "fa", height=14)
    top = 110
    if stride == 1:
        wide, high = 10, 14
        drawn.lines([(14.7 + 10 * k, 58, 14.7 + 10 * k, top - 3) for k in range(32)], "la")
        drawn.cells(10, top, ["fa"] * 32, wide, high)
        for sector in range(count):
            drawn.box(9 + 80 * sector, top - 2, 80, high + 3.4, "o", radius=2)
            drawn.text(49 + 80 * sector, top + 30, f"sector {sector}", "km")
    else:
        show = 4  # sectors that have room, lanes 0 to 3; the rest goes on to the right
        drawn.lines([(14.7 + 10 * k, 58, 14.7 + 80 * k, top - 3) for k in range(show)], "la")
        drawn.lines(
            [(14.7 + 10 * k, 58, 14.7 + 10 * k + 8 * (k - 1.5), 74) for k in range(show, 12)],
            "la dash",
        )
        kinds = [("fa" if k % stride == 0 else "tb") for k in range(32)]
        drawn.cells(10, top, kinds, 10, 14)
        for sector in range(show):
            drawn.box(9 + 80 * sector, top - 2, 80, 17.4, "o", radius=2)
            drawn.text(49 + 80 * sector, top + 30, f"sector {sector}", "km")
        drawn.text(332, 84, f"{count - show} more sectors", "kb km", "end")
    y = top + 52
    whole = 320
    drawn.text(10, y, f"asked for {asked} bytes", "ka km", "start")
    drawn.box(10, y + 6, whole * asked / 1024, 10, "fa", radius=1)
    drawn.text(10, y + 34, f"moved {moved:,} bytes", "kb km", "start")
    drawn.box(10, y + 40, whole * moved / 1024, 10, "fb", radius=1)
    return drawn


def draw():
    (near, _), (far, _) = sectors.warp_reads(1, 0), sectors.warp_reads(8, 0)
    return Picture(
        panel(1),
        panel(8),
        alt=f"Left, 32 lanes read 32 neighboring words, which fill {near} sectors of 32 bytes. "
        f"Right, they read words eight apart: {far} sectors, of each of which one word in eight "
        "is used. Bars below compare the bytes asked for with the bytes moved.",
        see=f"Memory answers in sectors of 32 bytes. Neighbors share them: {near} sectors serve "
        "the whole warp. Eight elements apart, each lane pulls in a sector of its own, and "
        f"{far * 32 - 128} of the {far * 32:,} bytes that move are for nobody. The stepper "
        "counted both reads.",
    )
