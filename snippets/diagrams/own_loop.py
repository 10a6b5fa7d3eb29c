"""Numbers that need different numbers of steps: as threads of two warps, and as one block."""

from snippets.diagrams import common

FIRST, LANES, WARP = 1, 8, 4
STEP = 13


def steps(n):
    count = 0
    while n > 1:
        n, count = n // 2 if n % 2 == 0 else 3 * n + 1, count + 1
    return count


def draw(theme):
    shapes = []
    needs = [steps(n) for n in range(FIRST, FIRST + LANES)]

    def panel(top, title, groups, each):
        shapes.append(common.text(6, top, title, theme["ink"], 12, "start", "bold"))
        y = top + 10
        for group in groups:
            longest = max(needs[i] for i in group)
            for i in group:
                shapes.append(common.text(22, y + 11, FIRST + i, theme["ink"], 11))
                for k in range(longest):
                    fill = theme["accent"] if k < needs[i] else theme["faint"]
                    x = 40 + k * 19
                    shapes.append(common.rect(x, y, 17, STEP, fill, theme["grid"], 1))
                y += STEP + 3
            if each:
                for k in range(longest):
                    x = 40 + k * 19 + 18
                    shapes.append(
                        common.line(x, y - len(group) * (STEP + 3), x, y, theme["amber"], 2)
                    )
            y += 6
        return y

    lanes = list(range(LANES))
    end = panel(
        16, "threads: a warp waits for its own longest", [lanes[:WARP], lanes[WARP:]], False
    )
    end = panel(end + 20, "a block: all wait for the longest of all", [lanes], True)
    shapes.append(common.rect(6, end + 2, 17, STEP, theme["accent"], theme["grid"], 1))
    shapes.append(common.text(28, end + 13, "a step", theme["ink"], 11, "start"))
    shapes.append(common.rect(80, end + 2, 17, STEP, theme["faint"], theme["grid"], 1))
    shapes.append(common.text(102, end + 13, "masked", theme["ink"], 11, "start"))
    shapes.append(common.line(168, end + 1, 168, end + 16, theme["amber"], 2))
    shapes.append(
        common.text(176, end + 13, "is anybody left? a reduction", theme["ink"], 11, "start")
    )
    label = "Collatz steps of eight numbers, as two warps of threads and as one block"
    return common.svg(374, end + 26, *shapes, label=label)
