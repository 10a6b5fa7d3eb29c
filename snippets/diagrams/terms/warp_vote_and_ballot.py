"""A condition of 32 lanes as one word, out of the stepper."""

from functools import cache

import numpy as np

from snippets.diagrams.observed import observe
from snippets.diagrams.panels import Panel, Picture

X = (7, 2, 9, 1, 5, 8, 3, 6) * 4
LIMIT = 5


@cache
def ballot():
    def make(cuda):
        @cuda.jit
        def kernel(x, out):
            lane = cuda.threadIdx.x
            out[lane] = cuda.ballot_sync(0xFFFFFFFF, x[lane] > 5)

        return kernel

    x = np.array(X, np.int32)
    return int(observe(make, (1, 32), x, np.zeros(32, np.uint32)).arrays[1][0])


def draw():
    word = ballot()
    bits = [word >> lane & 1 for lane in range(32)]
    vote = Panel(f"ballot(x > {LIMIT}): one bit from each lane")
    vote.text(10, 38, "lane 0", "ks km", "start")
    vote.text(330, 38, "lane 31", "ks km", "end")
    vote.cells(10, 44, ["n"] * 32, 10, 20, words=X, look="km")
    vote.lines([(14.5 + 10 * k, 66, 14.5 + 10 * k, 78) for k in range(32) if bits[k]], "la")
    vote.cells(10, 80, ["fa" if b else "n" for b in bits], 10, 20, words=bits)
    vote.text(10, 122, f"all lanes get 0x{word:08X}", "kx km", "start")

    use = Panel("Counting bits gives everyone a place")
    mask = (1 << 9) - 1
    before = bin(word & mask).count("1")
    use.text(10, 38, "lane 9 asks: how many before me said yes?", "km", "start")
    kinds = [
        "fr" if k == 9 else ("fa" if bits[k] else "n") if k < 9 else "ga" if bits[k] else "n"
        for k in range(32)
    ]
    use.cells(10, 46, kinds, 10, 20, words=bits, look="")
    use.text(10, 88, f"popc(ballot & lanes below 9) = {before}", "kx km", "start")
    use.cells(
        10,
        108,
        ["ta"] * 16,
        20,
        20,
        2,
        words=[x for x, b in zip(X, bits, strict=True) if b],
        look="ka km",
    )
    use.text(10, 146, f"its place in the packed array is {before}", "km", "start")
    return Picture(
        vote,
        use,
        alt=f"Left, 32 numbers and below each a bit that says whether it is above {LIMIT}; "
        f"together they are the word 0x{word:08X}. Right, lane 9 counts the bits below its own, "
        f"{before}, and takes that place in a packed array.",
        see="A vote makes 32 answers one number that every lane holds. any and all compare it "
        "with zero and with all ones; the count of the bits below one's own is a place in line, "
        "without an atomic.",
    )
