"""The bits of float32, TF32, bfloat16 and float16: sign, exponent, fraction."""

from snippets.diagrams.panels import Panel, Picture

FORMATS = (("float32", 8, 23), ("TF32", 8, 10), ("bfloat16", 8, 7), ("float16", 5, 10))


def draw():
    panel = Panel()
    for k, (name, exponent, fraction) in enumerate(FORMATS):
        y = 8 + 42 * k
        panel.text(0, y + 10, f"{name}: 1 + {exponent} + {fraction} bits", "km", "start")
        kinds = ["fb"] + ["fa"] * exponent + ["fc"] * fraction
        panel.cells(0, y + 16, kinds + ["d"] * (32 - len(kinds) if name == "TF32" else 0), 10.5, 14)
    panel.key(186, ("fb", "sign"), ("fa", "exponent"), ("fc", "fraction"), ("d", "not read"))
    return Picture(
        panel,
        alt="Four rows of bits. float32: one of sign, eight of exponent, 23 of fraction. TF32 "
        "takes 32 bits, of which the last 13 are not read. bfloat16 has eight of exponent and "
        "seven of fraction, float16 five and ten.",
        see="TF32 has the range of float32 and the fraction of float16. In memory it is a float32 "
        "number, whose last 13 bits the tensor cores do not read.",
    )
