"""Are the brackets of each line matched? A thread a line, and a stack of its own."""

# --8<-- [start:imports]
import numpy as np
from numba import cuda, int32, uint8

# --8<-- [end:imports]


# --8<-- [start:kernel]
DEPTH = 64
OPENERS, CLOSERS = b"([{<", b")]}>"


@cuda.jit
def brackets_kernel(text, starts, openers, closers, out):
    """out[i]: the place in line i of the first bracket that is wrong, its length if one is left
    open, or -1."""
    line = cuda.grid(1)
    if line < out.size:
        stack = cuda.local.array(DEPTH, uint8)
        top, wrong = int32(0), int32(-1)
        first, last = starts[line], starts[line + 1]
        place = first
        while place < last and wrong < 0:
            for kind in range(4):
                if text[place] == openers[kind]:
                    if top < DEPTH:
                        stack[top] = kind  # the index is known when it runs
                    top += 1
                elif text[place] == closers[kind]:
                    top -= 1
                    if top < 0 or top >= DEPTH or stack[top] != kind:
                        wrong = int32(place - first)
            place += 1
        out[line] = last - first if wrong < 0 and top > 0 else wrong


# --8<-- [end:kernel]


# --8<-- [start:host]
def first_wrong(lines):
    """Return for each line where its brackets go wrong, or -1.

    --8<-- [start:example]
    >>> first_wrong(["f(a[i])", "f(a[i)]", "{(<>)}", "g(x", "", ")"])
    array([-1,  5, -1,  3, -1,  0], dtype=int32)

    --8<-- [end:example]
    """
    coded = [line.encode() for line in lines]
    starts = np.cumsum([0, *map(len, coded)], dtype=np.int32)
    text = np.frombuffer(b"".join(coded) + b" ", np.uint8).copy()
    kinds = [np.frombuffer(kind, np.uint8).copy() for kind in (OPENERS, CLOSERS)]
    out = cuda.device_array(len(lines), np.int32)
    d_arrays = [cuda.to_device(array) for array in (text, starts, *kinds)]
    brackets_kernel[-(-len(lines) // 128), 128](*d_arrays, out)
    return out.copy_to_host()


# --8<-- [end:host]
