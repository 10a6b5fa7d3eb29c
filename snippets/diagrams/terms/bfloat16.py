"""The bits of float32, bfloat16 and float16, and what each can tell apart."""

from snippets.diagrams.panels import Panel, Picture

FORMATS = (("float32", 8, 23), ("bfloat16", 8, 7), ("float16", 5, 10))


def draw():
    bits = Panel("Sign, exponent, fraction")
    for k, (name, exponent, fraction) in enumerate(FORMATS):
        y = 44 + 46 * k
        bits.text(10, y - 6, f"{name}: 1 + {exponent} + {fraction} bits", "kx km", "start")
        bits.cells(10, y, ["fs"] + ["fb"] * exponent + ["fa"] * fraction, 10, 18)
    bits.key(182, ("fb", "range: how large"), ("fa", "precision: how fine"), x=10)

    line = Panel("From 1 to 2, and the largest number")
    for k, (name, exponent, fraction) in enumerate(FORMATS):
        y = 44 + 46 * k
        largest = (2 - 2.0**-fraction) * 2.0 ** (2 ** (exponent - 1) - 1)
        words = f"{largest:,.0f}" if largest < 1e6 else f"{largest:.1e}".replace("e+", " × 10^")
        line.text(0, y - 6, name, "kx km", "start")
        line.text(338, y - 6, f"largest: {words}", "kb km", "end")
        line.box(0, y, 338, 18, "n", radius=0)
        steps = 2 ** min(fraction, 7)
        if fraction > 7:
            line.box(0, y, 338, 18, "ga", radius=0)
        else:
            line.lines(
                [(338 * j / steps, y, 338 * j / steps, y + 18) for j in range(steps + 1)], "la"
            )
        line.text(169, y + 13, f"{2**fraction:,} steps" if fraction > 7 else "", "km")
    line.text(0, 182, f"bfloat16: {2**7} steps, each line is one", "km", "start")
    return Picture(
        bits,
        line,
        alt="Left, the bits of float32 (1, 8, 23), bfloat16 (1, 8, 7) and float16 (1, 5, 10). "
        "Right, how many steps each has between 1 and 2 and its largest number: bfloat16 has 128 "
        "steps and float32's range, float16 has 1,024 steps and ends at 65,504.",
        see="bfloat16 is the upper half of a float32: the same exponent, so the same range, and "
        "a fraction of 7 bits, so between 1 and 2 there are only 128 steps. float16 makes the "
        "opposite choice.",
    )
