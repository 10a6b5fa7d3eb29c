"""The GPUs of the recorded machine and what links them: drawn from what its programs printed.

``links.txt`` is what NVML said of each GPU, ``topology.txt`` the table of ``nvidia-smi topo -m``.
"""

import re

from snippets.diagrams.common import ROOT, line, rect, svg, text

FOLDER = ROOT / "snippets" / "output" / "multi-gpu"
ROW = re.compile(r"GPU (\d+): (\d+) NVLinks, to (.+); (\d+) lanes of PCIe (\d+) to the host")
WIDTH = 400


def read(links, table):
    """Return for each GPU: its NVLinks, what they end at, its PCIe, its NUMA node, and its row of
    the table, which names the way to each other GPU."""
    heads, *rows = (re.split(r"\s{2,}|\t", row.strip()) for row in table.strip().splitlines())
    gpus = []
    for number, count, ends, lanes, generation in ROW.findall(links):
        row = next(cells for cells in rows if cells[0] == f"GPU{number}")
        node = row[1 + heads.index("NUMA Affinity")]
        ways = [row[1 + heads.index(f"GPU{other}")] for other in range(len(rows))]
        gpus.append((int(count), ends, f"PCIe {generation} x{lanes}", node, ways))
    if len(gpus) != len(rows) or not gpus:
        raise ValueError(f"{len(gpus)} GPUs in links.txt, {len(rows)} in topology.txt")
    return gpus


def picture(theme, gpus):
    """Return the picture as SVG: the host above, GPUs, and the switch of their NVLinks below."""
    ink, accent, paper, faint = (theme[k] for k in ("ink", "accent", "on_accent", "faint"))
    each = WIDTH / len(gpus)
    nodes = list(dict.fromkeys(node for _, _, _, node, _ in gpus))
    shapes, label = [], []
    for node in nodes:
        members = [k for k, gpu in enumerate(gpus) if gpu[3] == node]
        left, right = members[0] * each + 10, (members[-1] + 1) * each - 10
        shapes.append(rect(left, 8, right - left, 34, faint, ink))
        words = "CPU and its memory" + (f", node {node}" if len(nodes) > 1 else "")
        shapes.append(text((left + right) / 2, 29, words, ink))
    switched = [k for k, gpu in enumerate(gpus) if gpu[1] == "an NVSwitch"]
    for k, (count, ends, pcie, _, ways) in enumerate(gpus):
        middle, left = (k + 0.5) * each, k * each + 10
        shapes += [
            line(middle, 42, middle, 84, theme["amber"], 2),
            text(middle + 6, 67, pcie, ink, anchor="start"),
            rect(left, 84, each - 20, 58, accent),
            text(middle, 108, f"GPU {k}", paper, 13, weight="bold"),
            text(middle, 128, "its memory", paper),
        ]
        for link in range(count if k in switched else 0):
            x = left + (each - 20) * (link + 0.5) / count
            shapes.append(line(x, 142, x, 190, accent, 2))
        others = {way for other, way in enumerate(ways) if other != k}
        label.append(f"GPU {k}: {count} NVLinks to {ends}, {pcie}, {' and '.join(sorted(others))}")
    height = 150
    if switched:
        left, right = switched[0] * each + 10, (switched[-1] + 1) * each - 10
        shapes.append(rect(left, 190, right - left, 34, faint, ink))
        counts = {gpus[k][0] for k in switched}
        words = f"NVSwitch: {'/'.join(map(str, sorted(counts)))} NVLinks to each GPU"
        shapes.append(text((left + right) / 2, 212, words, ink, 12, weight="bold"))
        height = 232
    return svg(WIDTH, height, *shapes, label=". ".join(label) + ".")


def draw(theme):
    """Return the picture as SVG."""
    links, table = ((FOLDER / name).read_text("utf-8") for name in ("links.txt", "topology.txt"))
    return picture(theme, read(links, table))
