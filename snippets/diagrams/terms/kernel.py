"""A loop over elements, and a kernel that is its body."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    loop = Panel("A loop: the elements take turns")
    loop.rows(0, 40, "for i in range(8):", "out[i] = x[i] + y[i]", kind="km", anchor="start")
    for k in range(8):
        loop.box(4 + 38 * k, 74, 34, 24, "fb", f"i={k}", "kw km")
    loop.time(118, 4)
    loop.text(0, 150, "One worker, eight steps, in this order.", "ks km", "start")

    kernel = Panel("A kernel: the body, once a thread")
    kernel.rows(0, 40, "i = cuda.grid(1)", "out[i] = x[i] + y[i]", kind="km", anchor="start")
    for k in range(8):
        kernel.box(4, 66 + 17 * k, 60, 15, "fa", f"i={k}", "kw km")
    kernel.time(212, 4, 200)
    kernel.rows(
        84,
        96,
        "Eight threads, one step.",
        "In no order that you",
        "may count on.",
        kind="ks km",
        anchor="start",
    )
    return Picture(
        loop,
        kernel,
        alt="Left, a loop over eight elements, one after another in time. Right, the loop's body "
        "as a kernel that eight threads run at the same time, each with its own index.",
        see="The loop is gone: the launch says how many threads there are, and each finds its i. "
        "What is left is the body, and it must be right whichever thread comes first.",
    )
