"""All values of the two 8-bit formats on one line."""

from math import log2

from snippets.diagrams.panels import Panel, Picture

FORMATS = (("E4M3", 4, 3, 448.0), ("E5M2", 5, 2, 57344.0))


def positive(exponent, fraction, largest):
    """Return the positive finite values of a format."""
    bias, found = 2 ** (exponent - 1) - 1, []
    for e in range(2**exponent):
        for f in range(2**fraction):
            part = f / 2**fraction
            value = part * 2.0 ** (1 - bias) if e == 0 else (1 + part) * 2.0 ** (e - bias)
            if 0 < value <= largest:
                found.append(value)
    return found


def draw():
    bits = Panel("Eight bits, divided in two ways")
    for k, (name, exponent, fraction, largest) in enumerate(FORMATS):
        y = 46 + 62 * k
        bits.text(10, y - 6, f"{name}: largest {largest:,.0f}", "kx km", "start")
        bits.cells(10, y, ["fs"] + ["fb"] * exponent + ["fa"] * fraction, 40, 28, 3,
                   words=["s"] + ["e"] * exponent + ["m"] * fraction)  # fmt: skip
    bits.key(166, ("fb", "exponent"), ("fa", "fraction"), x=10)

    line = Panel("Every number that there is, from 1 to 8")
    for k, (name, exponent, fraction, largest) in enumerate(FORMATS):
        y = 46 + 62 * k
        values = [v for v in positive(exponent, fraction, largest) if 1 <= v <= 8]
        line.text(10, y - 6, f"{name}: {len(values)} of them", "kx km", "start")
        line.line(10, y + 14, 330, y + 14, "ll")
        line.lines(
            [(10 + 320 * (v - 1) / 7, y + 2, 10 + 320 * (v - 1) / 7, y + 26) for v in values], "la"
        )
    for v in (1, 2, 4, 8):
        line.text(10 + 320 * (v - 1) / 7, 152, v, "ks km")
    low = [min(positive(*row[1:])) for row in FORMATS]
    line.text(10, 174, f"least: 2^{log2(low[0]):.0f} and 2^{log2(low[1]):.0f}", "km", "start")
    return Picture(
        bits,
        line,
        alt="Left, the bits of E4M3 (sign, 4 of exponent, 3 of fraction) and E5M2 (sign, 5, 2). "
        "Right, all numbers of both from 1 to 8 as marks on a line: E4M3 has twice as many.",
        see="With 8 bits you can see every number. E4M3 has 8 steps from one power of two to the "
        "next and ends at 448; E5M2 has 4 and ends at 57,344. So tensors carry a scale that "
        "moves them to where the numbers are.",
    )
