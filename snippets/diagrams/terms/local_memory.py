"""Where local memory is, by its name and by its place."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    place = Panel("Private to a thread, stored far away")
    for k in range(4):
        x = 6 + 84 * k
        place.box(x, 26, 76, 52, "ta")
        place.text(x + 38, 42, f"thread {k}", "kx km")
        place.box(x + 6, 50, 64, 22, "fa", "registers", "kw km")
        place.arrow(x + 38, 80, x + 38, 120, "lr")
    place.box(6, 86, 328, 18, "n", "L1 and L2 caches", "ks km")
    place.box(6, 124, 328, 50, "tb")
    place.text(170, 138, "device memory", "ks km")
    for k in range(4):
        place.box(12 + 82 * k, 144, 70, 24, "fr", f"local {k}", "kw km")

    laid = Panel("Laid out so that a warp's words meet")
    for k, name in enumerate(("a[0]", "a[1]", "a[2]")):
        y = 30 + 40 * k
        laid.text(10, y + 8, f"{name} of lanes 0 to 31", "km", "start")
        laid.warp(y + 12, ["fr" if lane == 0 else "tr" for lane in range(32)], height=14)
    laid.rows(
        10,
        162,
        "One lane's array goes down a column. When all",
        "lanes read a[1], 128 neighboring bytes answer.",
        kind="km",
        anchor="start",
    )
    return Picture(
        place,
        laid,
        alt="Left, four threads with registers of their own, and arrows through the caches to "
        "device memory, where each has its local part. Right, the words a[0], a[1] and a[2] of "
        "32 lanes, each index in a row.",
        see="Local says whose it is, not where: what does not fit into registers, or is indexed "
        "at run time, goes to device memory by way of the caches. The hardware interleaves the "
        "lanes.",
    )
