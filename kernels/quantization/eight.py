"""Weights and activations in 8 bits, int8 and FP8, and what each way costs the model."""

# --8<-- [start:imports]
import copy

import numpy as np

# --8<-- [end:imports]
from kernels.quantization.calibrated import inputs_of
from kernels.quantization.integers import error, quantize, restore, smooth
from kernels.quantization.model import forward, loss_of
from kernels.quantization.narrow import FORMATS, scaled, to_float


# --8<-- [start:both]
def divisors(weights, inputs, large=1, smoothed=False):
    """Return by what each layer's inputs are divided, channel by channel, and w multiplied.

    ``large`` makes one channel of the inputs so many times as large. The product stays the same.
    """
    found = {}
    for name, x in inputs.items():
        by = np.ones(x.shape[1])
        by[3] = 1 / large
        if smoothed:
            top = np.maximum(np.abs(x / by).max(axis=0, keepdims=True), 1e-8)
            by *= (top / smooth(top, weights[name] * by)[0])[0]
        found[name] = by
    return found


def rounded_linear(weights, by, round_x, round_w):
    """Return what computes a layer with both operands rounded, for ``forward``."""
    rounded = {name: round_w(weights[name] * by[name]) for name in by}
    round_inputs = {name: copy.deepcopy(round_x) for name in by}  # one for each: some remember

    def linear(name, x):
        flat = x.reshape(-1, x.shape[-1]) / by[name]
        return (round_inputs[name](flat) @ rounded[name].T).reshape(*x.shape[:-1], -1)

    return linear


# --8<-- [end:both]


# --8<-- [start:ways]
def int8(group=None):
    return lambda x: restore(*quantize(x, 8, group))


def fp8(name, block=None):
    return lambda x: scaled(x, name, block)


class Delayed:
    """Round with a scale from the largest numbers of the tensors before; the first has its own."""

    def __init__(self, name, history=4):
        self.name, self.history, self.seen = name, history, []

    def __call__(self, x):
        largest = np.abs(x).max()
        scale = max(self.seen[-self.history :] or [largest]) / FORMATS[self.name][2]
        self.seen.append(largest)
        return to_float(x / scale, self.name) * scale


EIGHT_BITS = (  # how activations are rounded, how weights, and what is done to the channels
    ("int8, a scale for each token", int8(0), int8(0), {}),
    ("int8, one scale for all tokens", int8(), int8(0), {}),
    ("  SmoothQuant", int8(), int8(0), {"smoothed": True}),
    ("  a channel 20 times as large", int8(), int8(0), {"large": 20}),
    ("  that channel, SmoothQuant", int8(), int8(0), {"large": 20, "smoothed": True}),
    ("E4M3, a scale for each tensor", fp8("e4m3"), fp8("e4m3"), {}),
    ("  a channel 20 times as large", fp8("e4m3"), fp8("e4m3"), {"large": 20}),
    ("E4M3, the scale delayed", Delayed("e4m3"), fp8("e4m3"), {}),
    ("E4M3, blocks of 64", fp8("e4m3", 64), fp8("e4m3", 64), {}),
    ("E4M3, blocks of 32", fp8("e4m3", 32), fp8("e4m3", 32), {}),
    ("E5M2, a scale for each tensor", fp8("e5m2"), fp8("e5m2"), {}),
    ("E5M2, blocks of 32", fp8("e5m2", 32), fp8("e5m2", 32), {}),
)


def table_of_both(weights, calibration, tokens, targets):
    """Print the mean error of the layers, and how many bits a letter the model loses."""
    inputs, before = inputs_of(weights, calibration), loss_of(forward(weights, tokens), targets)
    for name, round_x, round_w, channels in EIGHT_BITS:
        by = divisors(weights, inputs, **channels)
        linear = rounded_linear(weights, by, round_x, round_w)
        off = np.mean([error(linear(n, x), x @ weights[n].T) for n, x in inputs.items()])
        lost = loss_of(forward(weights, tokens, None, linear), targets) - before
        print(f"{name:30} {off:6.3f} {round(lost, 3) + 0:+7.3f}")


# --8<-- [end:ways]


def examples():
    """The example.

    --8<-- [start:example]
    >>> table_of_both(weights, calibration, tokens, targets)
    int8, a scale for each token    0.007  +0.000
    int8, one scale for all tokens  0.012  +0.003
      SmoothQuant                   0.009  +0.001
      a channel 20 times as large   0.114  +0.219
      that channel, SmoothQuant     0.009  +0.001
    E4M3, a scale for each tensor   0.027  +0.008
      a channel 20 times as large   0.027  +0.007
    E4M3, the scale delayed         0.027  +0.007
    E4M3, blocks of 64              0.024  +0.004
    E4M3, blocks of 32              0.023  +0.005
    E5M2, a scale for each tensor   0.053  +0.030
    E5M2, blocks of 32              0.046  +0.023

    --8<-- [end:example]
    """
