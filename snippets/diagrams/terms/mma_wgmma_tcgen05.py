"""Who holds the operands of a matrix instruction, in three generations."""

from snippets.diagrams.panels import Panel, Picture

ROWS = (
    ("mma.sync", "a warp", ("registers", "registers", "registers"), "16 × 8 × 16"),
    ("wgmma", "4 warps", ("shared", "shared", "registers"), "64 × 256 × 16"),
    ("tcgen05", "1 thread", ("shared", "shared", "tensor"), "128 × 256 × 16"),
)
KINDS = {"registers": "fa", "shared": "fc", "tensor": "fv"}


def draw():
    where = Panel("Where A, B and the sum lie")
    for k, name in enumerate("AB"):
        where.text(146 + 68 * k, 36, name, "kx km")
    where.text(294, 36, "sum", "kx km")
    for k, (name, who, places, _) in enumerate(ROWS):
        y = 44 + 42 * k
        where.text(0, y + 13, name, "kx km", "start")
        where.text(0, y + 28, who, "ks km", "start")
        for j, place in enumerate(places):
            where.box((112, 180, 260)[j], y, (66, 66, 74)[j], 32, KINDS[place], place, "kw km")

    size = Panel("How large one product is, in float16")
    scale = 0.5
    x = 0
    for k, (name, _, _, shape) in enumerate(ROWS):
        m, n, _ = (int(v) for v in shape.split(" × "))
        size.box(x, 110 - m * scale / 2 - 10, n * scale, m * scale, ("fa", "fc", "fv")[k], radius=1)
        size.text(x + (n * scale / 2 if k else 0), 154, name, "kx km", "middle" if k else "start")
        size.text(x + (n * scale / 2 if k else 0), 170, shape, "ks km", "middle" if k else "start")
        x += 72 if k == 0 else n * scale + 8
    return Picture(
        where,
        size,
        alt="Left, a table: mma.sync of a warp has A, B and the sum in registers; wgmma of four "
        "warps has A and B in shared memory and the sum in registers; tcgen05, issued by one "
        "thread, has A and B in shared memory and the sum in tensor memory. Right, rectangles of "
        "the results' sizes: 16 by 8, 64 by 256, 128 by 256.",
        see="From Ampere to Blackwell the product grows and its operands move away from the "
        "threads. What the registers no longer hold, no thread has to load: the copy unit fills "
        "shared memory, and the warps are free. In wgmma, A may come from registers instead.",
    )
