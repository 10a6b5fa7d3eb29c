"""The matrix of scores in memory, and in tiles that never leave the multiprocessor."""

from snippets.diagrams.panels import Panel, Picture


def draw():
    full = Panel("Plain: the scores go to memory")
    full.box(4, 56, 30, 112, "fa", "Q", "kw")
    full.box(46, 30, 112, 22, "fc", "K", "kw")
    full.box(46, 56, 112, 112, "fr")
    full.rows(102, 104, "scores,", "n × n", kind="kw")
    full.arrow(160, 112, 184, 112, "lr")
    full.box(186, 76, 62, 72, "tr", ("softmax", "of rows"), "kr km")
    full.arrow(248, 112, 266, 112, "lr")
    full.box(268, 30, 30, 138, "fv", "V", "kw")
    full.box(308, 56, 28, 112, "fb", "O", "kw")

    tiled = Panel("FlashAttention: a tile at a time")
    tiled.box(4, 56, 30, 112, "ga")
    tiled.box(4, 84, 30, 28, "fa", "Q", "kw")
    tiled.box(46, 30, 112, 22, "gc")
    tiled.box(102, 30, 28, 22, "fc", "K", "kw")
    tiled.box(46, 56, 112, 112, "d")
    tiled.box(102, 84, 28, 28, "fr")
    for k in range(2):
        tiled.box(46 + 28 * k, 84, 28, 28, "gr")
    tiled.arrow(130, 98, 184, 98, "la")
    tiled.box(186, 62, 70, 72, "ta", ("max, sum", "and O in", "registers"), "ka km")
    tiled.box(268, 30, 30, 138, "gv")
    tiled.box(268, 98, 30, 34, "fv", "V", "kw")
    tiled.box(308, 56, 28, 112, "gb")
    tiled.box(308, 84, 28, 28, "fb", "O", "kw")
    return Picture(
        full,
        tiled,
        alt="Left, Q times K makes a whole matrix of scores, which is written to memory, turned "
        "into a softmax and multiplied by V. Right, a block of Q meets one block of K after "
        "another; only one tile of scores exists at a time, and a running maximum and sum are "
        "kept.",
        see="The same arithmetic. Left, n × n scores are written and read again: for 32,768 "
        "tokens over a billion for each head. Right, a tile of scores is used and forgotten; an "
        "online softmax keeps a maximum and a sum for each row.",
    )
