"""The multiprocessors of an H200, and what one of them holds (NVIDIA, Hopper tuning guide)."""

from snippets.diagrams.panels import Panel, Picture

COUNT = 132


def draw():
    chip = Panel(f"H200: {COUNT} multiprocessors")
    chip.cells(14, 28, ["fa" if k == 27 else "ta" for k in range(COUNT)], 26, 12.4, 3, columns=12)
    chip.text(14, 182, "Each runs blocks on its own.", "ks km", "start")

    one = Panel("One of them")
    for k in range(4):
        x = 2 + 85 * k
        one.box(x, 24, 80, 112, "n")
        one.box(x + 4, 28, 72, 20, "fb", "scheduler", "kw km")
        one.box(x + 4, 52, 72, 20, "tc", "registers", "km")
        one.cells(x + 5, 78, ["fa"] * 32, 8.9, 7, columns=8)
        one.box(x + 4, 110, 72, 22, "fv", "tensor", "kw km")
    one.box(2, 142, 335, 26, "tc", "256 KB: shared memory and L1 cache", "km")
    one.key(184, ("fa", "32 lanes of arithmetic in each quarter"), x=2)
    return Picture(
        chip,
        one,
        alt=f"Left, {COUNT} small boxes, one of them marked. Right, that multiprocessor: four "
        "quarters, each with a scheduler, registers, 32 lanes of arithmetic and a tensor core, "
        "over 256 KB of shared memory and L1 cache.",
        see="A multiprocessor is four quarters over one memory. Each quarter has a warp "
        "scheduler, its part of the registers, 32 lanes for float32 and a tensor core, so up to "
        "four warps issue in a cycle.",
    )
