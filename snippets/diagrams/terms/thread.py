"""One thread for one element, and what a thread has of its own."""

from snippets.diagrams.panels import Panel, Picture

BLOCK, SIZE = 2, 4


def draw():
    many = Panel("The kernel says what one thread does")
    many.box(50, 24, 240, 26, "fi", "out[i] = 2 * x[i]", "kw")
    for k in range(8):
        x = 12 + 40 * k
        mine = k == 6
        many.line(170 + (x + 17 - 170) * 0.6, 50, x + 17, 68, "la" if mine else "ll")
        many.box(x, 70, 34, 26, "fa" if mine else "ta", k, "kw" if mine else "ka")
        many.arrow(x + 17, 96, x + 17, 116, "la" if mine else "ls")
        many.box(x, 118, 34, 22, "n", f"x[{k}]", "km")
    many.text(170, 160, "eight threads, eight elements, at once", "ks km")

    own = Panel("What thread 6 has of its own")
    own.box(0, 24, 200, 118, "ta")
    own.text(100, 42, "thread 6", "kx")
    own.box(12, 52, 176, 22, "fa", "i = 1 × 4 + 2 = 6", "kw km")
    own.box(12, 80, 84, 22, "n", "registers", "km")
    own.box(104, 80, 84, 22, "n", "local memory", "km")
    own.box(12, 108, 176, 22, "n", "its place in the program", "km")
    own.text(275, 42, "shared with", "ks km")
    for k, (name, who) in enumerate(
        (("its warp", "instruction"), ("its block", "shared memory"), ("all", "global memory"))
    ):
        y = 54 + 32 * k
        own.line(200, y + 10, 222, y + 10, "ls dash")
        own.text(226, y + 8, name, "kx km", "start")
        own.text(226, y + 22, who, "km", "start")
    return Picture(
        many,
        own,
        alt="Left, one line of code is run by eight threads, and each reads the element of its "
        "own number. Right, thread 6 with its index, registers, local memory and place in the "
        "program; beside it what it shares with its warp, its block and all threads.",
        see="A kernel is written for one thread; the index i is all that tells threads apart. "
        "Here blocks have four threads, so thread 2 of block 1 has i = 1 × 4 + 2 = 6.",
    )
