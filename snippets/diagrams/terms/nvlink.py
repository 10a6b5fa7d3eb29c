"""Eight GPUs on NVLink switches, and the way by PCIe."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    mesh = Panel("Eight GPUs of an HGX board")
    for k in range(8):
        mesh.box(4 + 42 * k, 28, 38, 28, "fa", k, "kw")
        mesh.lines(
            [(23 + 42 * k + 2 * j, 56, 45 + 84 * s + 2 * j, 104) for s in range(4) for j in (0,)],
            "la",
        )
    for s in range(4):
        mesh.box(10 + 84 * s, 106, 70, 26, "fv", "switch", "kw km")
    mesh.text(0, 158, "each GPU: 18 links, to all four switches", "km", "start")

    pcie = Panel("Without it: through the host")
    for k in range(8):
        pcie.box(4 + 42 * k, 28, 38, 28, "fa", k, "kw")
        pcie.line(23 + 42 * k, 56, 65 + 84 * (k // 2) - 21 + 42 * 0, 78, "lb")
    for s in range(4):
        pcie.box(16 + 84 * s, 80, 56, 22, "tb", "PCIe", "kb km")
        pcie.line(44 + 84 * s, 102, 84 + 172 * (s // 2), 124, "lb")
    for s in range(2):
        pcie.box(24 + 172 * s, 126, 120, 26, "n", f"CPU {s}", "km")
    pcie.line(144, 139, 196, 139, "lb")
    pcie.text(0, 176, "0 to 7: up, across, and down again", "km", "start")
    return Picture(
        mesh,
        pcie,
        alt="Left, eight GPUs, each with lines to four NVLink switches. Right, the same GPUs "
        "under PCIe switches and two CPUs, with one line from CPU to CPU.",
        see="Over the switches any GPU reaches any other in one hop, and all pairs can talk at "
        "once. Over PCIe, traffic from GPU 0 to GPU 7 climbs to one CPU, crosses to the other "
        "and shares each piece of the way.",
    )
