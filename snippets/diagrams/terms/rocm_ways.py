"""One source for several vendors: what is written once, and what compiles it for whom."""

from snippets.diagrams.panels import Panel, Picture

WAYS = (
    ("HIP C++", "hipcc", "AMD, NVIDIA"),
    ("Triton", "its own compiler", "AMD, NVIDIA, Intel"),
    ("SYCL C++", "icpx and others", "Intel, AMD, NVIDIA, CPU"),
    ("OpenCL C", "the driver, PoCL", "all of them, CPU"),
    ("arrays: CuPy, JAX", "a library", "AMD, NVIDIA, more"),
)


def draw():
    panel = Panel()
    for x, words in ((0, "you write"), (122, "compiled by"), (232, "runs on")):
        panel.text(x, 12, words, "ks km", "start")
    for k, (source, compiler, targets) in enumerate(WAYS):
        y = 22 + 40 * k
        panel.box(0, y, 110, 30, "ta", source, "km")
        panel.arrow(110, y + 15, 121, y + 15)
        panel.box(122, y, 100, 30, "n", compiler, "km")
        panel.arrow(222, y + 15, 231, y + 15)
        lines = targets.split(", ")
        first = ", ".join(lines[:2])
        rest = ", ".join(lines[2:])
        panel.box(232, y, 106, 30, "tc", (first, rest) if rest else first, "km")
    return Picture(
        panel,
        alt="Five rows. HIP C++ is compiled by hipcc for AMD and NVIDIA; Triton by its own "
        "compiler for AMD, NVIDIA and Intel; SYCL by icpx and others for Intel, AMD, NVIDIA "
        "and CPUs; OpenCL C by the driver or PoCL for all of them and CPUs; arrays by a library.",
        see="The further down, the less of the machine you see. HIP shows wavefronts and local "
        "memory as CUDA does; an array library shows neither.",
    )
