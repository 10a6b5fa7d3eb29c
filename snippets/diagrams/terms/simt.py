"""A vector program and a program of threads: who keeps the lanes together."""

from snippets.diagrams.panels import Panel, Picture

X = (3, -1, 4, -1, 5, -9, 2, 6)


def draw():
    simd = Panel("SIMD: you write the vector")
    simd.box(0, 26, 340, 24, "fi", "m = x < 0;   x = blend(x, zero, m)", "kw km")
    simd.text(0, 76, "x", "kx", "start")
    simd.cells(26, 62, ["ta"] * 8, 39, 22, 3, words=X)
    simd.text(0, 108, "m", "kx", "start")
    simd.cells(
        26, 94, ["fb" if v < 0 else "n" for v in X], 39, 22, 3, words=[int(v < 0) for v in X]
    )
    simd.text(0, 140, "x", "kx", "start")
    simd.cells(26, 126, ["ta"] * 8, 39, 22, 3, words=[max(v, 0) for v in X])
    simd.text(0, 172, "Width, mask and blend stand in your program.", "ks km", "start")

    simt = Panel("SIMT: you write one thread")
    simt.box(0, 26, 340, 24, "fi", "if x < 0:   x = 0", "kw km")
    simt.text(0, 76, "x", "kx", "start")
    simt.cells(26, 62, ["ta"] * 8, 39, 22, 3, words=X)
    simt.text(0, 108, "if", "kx", "start")
    simt.cells(
        26,
        94,
        ["fa" if v < 0 else "d" for v in X],
        39,
        22,
        3,
        words=["on" if v < 0 else "off" for v in X],
    )
    simt.text(0, 140, "x", "kx", "start")
    simt.cells(26, 126, ["ta"] * 8, 39, 22, 3, words=[max(v, 0) for v in X])
    simt.text(0, 172, "The hardware switches lanes off by itself.", "ks km", "start")
    return Picture(
        simd,
        simt,
        alt="The same eight numbers with the negative ones set to zero. Left, a vector program "
        "makes a mask and blends two vectors. Right, a program for one thread has a plain if, "
        "and the lanes for which it does not hold are switched off.",
        see="Both run eight numbers (32 on a GPU) under one instruction. With SIMD the program "
        "says so, mask and all. With SIMT it speaks of one element, and the warp's mask is the "
        "hardware's business.",
    )
