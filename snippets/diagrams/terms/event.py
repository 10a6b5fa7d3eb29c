"""Events as marks in a stream: to measure, and to make another stream wait."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    clock = Panel("To measure: two marks around the work")
    clock.text(0, 46, "host", "km", "start")
    clock.text(0, 96, "stream", "km", "start")
    for k, name in enumerate(("start", "k", "end")):
        clock.box(58 + 46 * k, 32, 42, 22, "fb", name, "kw km")
    clock.box(196, 32, 140, 22, "n", "end.synchronize()", "ks km")
    clock.line(96, 76, 96, 116, "lr")
    clock.box(98, 82, 196, 26, "fa", "kernel", "kw km")
    clock.line(296, 76, 296, 116, "lr")
    clock.arrow(200, 132, 98, 132, "lr")
    clock.arrow(200, 132, 294, 132, "lr")
    clock.text(196, 150, "elapsed time, on the GPU's clock", "kr km")

    order = Panel("To order: another stream waits for it")
    order.text(0, 52, "stream 0", "km", "start")
    order.text(0, 108, "stream 1", "km", "start")
    order.box(60, 38, 120, 24, "fa", "makes x", "kw km")
    order.line(184, 32, 184, 70, "lr")
    order.text(184, 26, "record", "kr km")
    order.box(60, 94, 70, 24, "fc", "other work", "kw km")
    order.box(134, 94, 50, 24, "n", "waits", "ks km")
    order.box(192, 94, 110, 24, "fa", "uses x", "kw km")
    order.arrow(184, 70, 190, 94, "lr")
    order.box(192, 38, 144, 24, "fc", "goes on", "kw km")
    order.time(142, 60)
    return Picture(
        clock,
        order,
        alt="Left, a host records an event, launches a kernel and records a second one; the GPU "
        "passes the first mark before the kernel and the second after it. Right, stream 1 waits "
        "for an event of stream 0 before it uses x, while stream 0 goes on.",
        see="An event is a mark that a stream passes when all before it is done. Two of them "
        "measure what lies between on the GPU's own clock; one of them holds back another "
        "stream, without the host.",
    )
