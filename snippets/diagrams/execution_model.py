"""Host and device side by side: a launch returns at once, a copy back waits. Not to scale."""

from snippets.diagrams.common import arrow, rect, svg, text

LABEL = (
    "A timeline. The host copies to the device, launches kernel A, launches kernel B, goes on with "
    "other work, then waits. The device runs the copy, A and B one after another; the host's wait "
    "ends when B has ended."
)
# What the host asks for, in order: words, time that the call takes, time on the device (0: none).
CALLS = [("copy in", 60, 60), ("A", 18, 100), ("B", 18, 90), ("other work", 95, 0)]


def draw(theme):
    """Return the picture as SVG. Device times follow from the calls: one stream, in order."""
    ink, accent, amber = theme["ink"], theme["accent"], theme["amber"]
    shapes, left, host_y, device_y = [], 50, 34, 104
    shapes.append(text(4, host_y + 19, "host", ink, 12, "start", "bold"))
    shapes.append(text(4, device_y + 19, "device", ink, 12, "start", "bold"))
    host = device = 0
    for words, takes, works in CALLS:
        shapes.append(rect(left + host, host_y, takes - 2, 28, amber))
        if takes > 40:
            shapes.append(text(left + host + takes / 2, host_y + 18, words, theme["on_accent"]))
        if works:
            asked = host if takes > 40 else host + takes  # a copy starts with its call
            begins = max(asked, device)  # after the call, and after what came before
            shapes.append(rect(left + begins, device_y, works - 2, 28, accent))
            label = words if takes > 40 else f"kernel {words}"
            shapes.append(text(left + begins + works / 2, device_y + 18, label, theme["on_accent"]))
            if takes <= 40:
                shapes.append(
                    text(
                        left + host + takes / 2,
                        host_y - 6,
                        f"launch {words}",
                        ink,
                        11,
                        "end" if words == "A" else "start",
                    )
                )
                shapes.append(
                    arrow(left + host + 6, host_y + 29, left + begins + 8, device_y - 1, ink, 1)
                )
            device = begins + works
        host += takes
    shapes.append(rect(left + host, host_y, device - host - 2, 28, "none", amber, dash="4 3"))
    shapes.append(text(left + (host + device) / 2, host_y + 18, "wait", ink))
    shapes.append(arrow(left + device - 4, device_y - 1, left + device - 4, host_y + 30, ink, 1))
    shapes.append(arrow(left, 148, 352, 148, ink, 1))
    shapes.append(text(352, 162, "time (not to scale)", ink, 11, "end"))
    return svg(360, 168, *shapes, label=LABEL)
