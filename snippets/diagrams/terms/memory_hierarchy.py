"""The memories of an H200 by size, and what a thread passes on its way to each."""

from snippets.diagrams.panels import Panel, Picture

LEVELS = (
    ("registers", "256 KB a multiprocessor", "one thread", "fa", 90),
    ("shared memory, L1", "256 KB a multiprocessor", "one block", "fc", 150),
    ("L2 cache", "50 MB", "all blocks", "fv", 230),
    ("HBM (global memory)", "141 GB", "all blocks, and the host", "fb", 336),
)


def draw():
    tower = Panel("From small and near to large and far")
    for k, (name, _, _, kind, wide) in enumerate(LEVELS):
        y = 28 + 38 * k
        wide = max(wide, 150)
        tower.box(170 - wide / 2, y, wide, 32, kind, (name,), "kw")
    tower.time(190, 0, 340, "farther from the thread")

    who = Panel("How large, and who sees it")
    for k, (_, size, seen, kind, _) in enumerate(LEVELS):
        y = 28 + 38 * k
        who.box(0, y, 8, 32, kind)
        who.text(16, y + 13, size, "kx km", "start")
        who.text(16, y + 28, seen, "ks km", "start")
    who.text(0, 194, "H200, as its data sheet has it", "ks km", "start")
    return Picture(
        tower,
        who,
        alt="A tower of four memories that gets wider downward: registers, shared memory and L1, "
        "L2 cache, HBM. Beside each its size on an H200 and who sees it.",
        see="Each step down is larger, seen by more threads, and takes longer to reach. Fast "
        "kernels fetch from the bottom once and do the rest at the top.",
    )
