"""Six loops over an audio track, and what the compiler made of them."""

# --8<-- [start:imports]
import re

import numpy as np
from numba import njit

# --8<-- [end:imports]


# --8<-- [start:packed]
PACKED = re.compile(r"\bv?(add|sub|mul|div|min|max|sqrt|fmadd)\d*ps\b")


def packed(assembly):
    """Return which arithmetic on packed floats (ps: packed single) machine code has."""
    return sorted({name + "ps" for name in PACKED.findall(assembly)})


def machine_code(function):
    """Return what Numba has compiled of a function so far, as assembly."""
    return "\n".join(function.inspect_asm().values())


# --8<-- [end:packed]


# --8<-- [start:mix]
@njit
def mix(gain, x, y, out):
    for i in range(x.size):
        out[i] = gain * x[i] + y[i]


# --8<-- [end:mix]


# --8<-- [start:energy]
def energy(x):
    total = np.float32(0)
    for i in range(x.size):
        total += x[i] * x[i]
    return total


in_order = njit(energy)
any_order = njit(fastmath={"reassoc"})(energy)
# --8<-- [end:energy]


# --8<-- [start:soft_clip]
def soft_clip(x, out):
    for i in range(x.size):
        out[i] = x[i] / (np.float32(1) + abs(x[i]))


careful = njit(soft_clip)
like_numpy = njit(error_model="numpy")(soft_clip)
# --8<-- [end:soft_clip]


# --8<-- [start:limit]
@njit
def limit(top, x, out):
    for i in range(x.size):
        if x[i] > top:
            out[i] = top
        else:
            out[i] = x[i]


# --8<-- [end:limit]


# --8<-- [start:never]
@njit
def echo(decay, x, out):
    for i in range(1, x.size):
        out[i] = decay * out[i - 1] + x[i]


@njit
def first_peak(top, x):
    for i in range(x.size):
        if x[i] * x[i] > top:
            return i
    return -1


# --8<-- [end:never]


def example():
    """What each became. The names are those of x86; the width is the machine's.

    --8<-- [start:mix_example]
    >>> rng = np.random.default_rng(1)
    >>> voice, music = rng.standard_normal((2, 1003), dtype=np.float32)
    >>> out = np.zeros_like(voice)
    >>> half = np.float32(0.5)
    >>> mix(half, voice, music, out)
    >>> np.array_equal(out, half * voice + music)
    True
    >>> packed(machine_code(mix))
    ['addps', 'mulps']

    --8<-- [end:mix_example]

    --8<-- [start:energy_example]
    >>> bool(np.isclose(in_order(voice), any_order(voice)))
    True
    >>> packed(machine_code(in_order))
    []
    >>> packed(machine_code(any_order))
    ['addps', 'mulps']

    --8<-- [end:energy_example]

    --8<-- [start:soft_clip_example]
    >>> careful(voice, out)
    >>> like_numpy(voice, out)
    >>> packed(machine_code(careful))
    []
    >>> packed(machine_code(like_numpy))
    ['addps', 'divps']

    --8<-- [end:soft_clip_example]

    --8<-- [start:limit_example]
    >>> limit(half, voice, out)
    >>> np.array_equal(out, np.minimum(voice, half))
    True
    >>> packed(machine_code(limit))
    ['minps']

    --8<-- [end:limit_example]

    --8<-- [start:never_example]
    >>> echo(half, voice, out)
    >>> first_peak(np.float32(4), voice) == int(np.argmax(voice**2 > 4))
    True
    >>> packed(machine_code(echo)) + packed(machine_code(first_peak))
    []

    --8<-- [end:never_example]

    The output is the input, one sample on: each step then needs the one before it.

    --8<-- [start:alias_example]
    >>> track = np.ones(9, np.float32)
    >>> mix(half, track[:-1], track[:-1], track[1:])  # out[i] is x[i + 1]
    >>> track[-3:]
    array([11.390625, 17.085938, 25.628906], dtype=float32)

    --8<-- [end:alias_example]
    """
