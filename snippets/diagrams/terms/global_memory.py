"""Who reads and writes global memory, and how long what is in it lives."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    who = Panel("All threads and the host see it")
    who.box(4, 26, 70, 40, "n", "host", "km")
    for k in range(3):
        who.box(96 + 82 * k, 26, 74, 40, "n")
        who.text(133 + 82 * k, 42, f"block {k}", "ks km")
        who.cells(101 + 82 * k, 48, ["fa"] * 8, 8, 12)
        who.arrow(133 + 82 * k, 110, 133 + 82 * k, 68, "la")
        who.arrow(141 + 82 * k, 66, 141 + 82 * k, 108, "lb")
    who.arrow(39, 68, 39, 108, "ls")
    who.box(4, 112, 332, 30, "tc", "global memory: arrays on the device")
    who.key(162, ("fa", "reads"), ("fb", "writes"), ("fs", "copies"), x=4)

    life = Panel("It outlives the kernels")
    life.text(0, 46, "kernels", "km", "start")
    life.box(80, 32, 90, 22, "fa", "first", "kw km")
    life.box(200, 32, 90, 22, "fa", "second", "kw km")
    life.text(0, 80, "shared", "km", "start")
    life.box(80, 66, 90, 22, "tb", "gone after", "kb km")
    life.box(200, 66, 90, 22, "tb", "new, unset", "kb km")
    life.text(0, 114, "global", "km", "start")
    life.box(52, 100, 270, 22, "tc", "x: from to_device until it is freed", "km")
    life.time(142, 52)
    return Picture(
        who,
        life,
        alt="Left, threads of three blocks read and write global memory, and the host copies "
        "into it. Right, a time line of two kernels: shared memory lives as long as a block, an "
        "array in global memory from before the first kernel until after the second.",
        see="Global memory is the one place that all threads share, and the only one that keeps "
        "what a kernel wrote for the next kernel and for the host.",
    )
