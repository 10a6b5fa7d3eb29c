"""Two memories with a bus between them, and one memory for both processors."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    two = Panel("Discrete: two memories, a copy")
    for k, (name, memory) in enumerate((("CPU", "DDR"), ("GPU", "HBM"))):
        x = 4 + 200 * k
        two.box(x, 28, 132, 34, "fa" if k else "fc", name, "kw")
        two.line(x + 66, 62, x + 66, 84, "ls")
        two.box(x, 86, 132, 46, "tb")
        two.text(x + 66, 102, memory, "kx km")
        two.box(x + 26, 108, 80, 18, "fb", "x" if k else "x", "kw km")
    two.arrow(112, 117, 228, 117, "lb")
    two.text(170, 156, "PCIe: x exists twice", "km")

    one = Panel("Unified: one memory, two readers")
    one.box(4, 28, 132, 34, "fc", "CPU", "kw")
    one.box(204, 28, 132, 34, "fa", "GPU", "kw")
    one.line(70, 62, 70, 84, "ls")
    one.line(270, 62, 270, 84, "ls")
    one.box(4, 86, 332, 46, "tb")
    one.text(170, 102, "one memory", "kx km")
    one.box(130, 108, 80, 18, "fb", "x", "kw km")
    one.text(170, 156, "x exists once; both still have to take turns", "km")
    return Picture(
        two,
        one,
        alt="Left, a CPU with its memory and a GPU with its own, and an array that is copied "
        "from one to the other. Right, a CPU and a GPU over one memory, which holds the array "
        "once.",
        see="With two memories every array that both need exists twice and is copied. With one, "
        "as on Apple silicon, both processors use the same bytes; what remains is to say who may "
        "write when.",
    )
