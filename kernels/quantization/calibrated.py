"""4-bit weights with the help of some text: GPTQ and AWQ, and what each costs the model."""

# --8<-- [start:imports]
import numpy as np

# --8<-- [end:imports]
from kernels.quantization.integers import error, quantize, restore
from kernels.quantization.model import forward, loss_of
from kernels.quantization.narrow import by_book, nf4_book, to_mx


# --8<-- [start:evaluate]
def inputs_of(weights, tokens):
    """Return the inputs of each linear layer for some text, (samples, inputs)."""
    kept = {}
    forward(weights, tokens, kept)
    layers = [name for name in weights if name not in ("letters", "places")]
    return {name: kept[name].reshape(-1, weights[name].shape[1]) for name in layers}


def with_layers(weights, inputs, change):
    """Return weights whose linear layers are ``change(w, x)``, and the layers' mean error."""
    new, off = dict(weights), []
    for name, x in inputs.items():
        new[name] = change(weights[name], x)
        off.append(error(x @ new[name].T, x @ weights[name].T))
    return new, np.mean(off)


# --8<-- [end:evaluate]


# --8<-- [start:gptq]
def gptq(w, x, bits=4, group=32, damp=0.01):
    """Return ``w`` rounded to ``bits``, column by column; later columns make up for earlier ones.

    ``x`` holds inputs of the layer, (samples, inputs).
    """
    w, highest = w.copy(), 2 ** (bits - 1) - 1
    hessian = x.T @ x
    hessian += damp * np.mean(np.diag(hessian)) * np.eye(len(hessian))
    upper = np.linalg.cholesky(np.linalg.inv(hessian)).T  # row i: what column i's error asks
    out = np.empty_like(w)
    for i in range(w.shape[1]):
        if i % group == 0:  # the group's scale, from its weights as they are by now
            scale = np.abs(w[:, i : i + group]).max(axis=1) / highest
            scale = np.where(scale == 0, 1, scale)
        out[:, i] = np.rint(w[:, i] / scale).clip(-highest, highest) * scale
        w[:, i:] -= np.outer((w[:, i] - out[:, i]) / upper[i, i], upper[i, i:])
    return out


# --8<-- [end:gptq]


# --8<-- [start:awq]
def clipped(w, x, bits, group):
    """Return ``w`` rounded; each group's scale may cut its largest weights, if that helps."""
    highest = 2 ** (bits - 1) - 1
    parts = w.reshape(len(w), -1, group).transpose(1, 0, 2)
    seen = x.reshape(len(x), -1, group).transpose(1, 0, 2)
    products = seen.transpose(0, 2, 1) @ seen  # of the inputs of each group
    top = np.abs(parts).max(axis=2, keepdims=True) / highest
    least, out = np.full(parts.shape[:2], np.inf), np.empty_like(parts)
    for share in np.linspace(1, 0.6, 9):
        scale = np.where(top == 0, 1, share * top)
        tried = np.rint(parts / scale).clip(-highest, highest) * scale
        off = tried - parts
        lost = (off @ products * off).sum(axis=2)
        better = lost < least
        out[better], least[better] = tried[better], lost[better]
    return out.transpose(1, 0, 2).reshape(w.shape)


def unclipped(w, x, bits, group):
    return restore(*quantize(w, bits, group))


def awq(w, x, bits=4, group=32, rounded=clipped):
    """Return ``w`` rounded to ``bits``, with channels that see large inputs scaled up before.

    The factors are a power of the mean size of each input; the best power is searched for.
    """
    size, right, best = np.abs(x).mean(axis=0) + 1e-8, x @ w.T, None
    for power in np.linspace(0, 1, 11):
        s = size**power / np.sqrt((size**power).max() * (size**power).min())
        tried = rounded(w * s, x / s, bits, group) / s
        off = np.linalg.norm(x @ tried.T - right)
        if best is None or off < best[0]:
            best = off, tried
    return best[1]


# --8<-- [end:awq]


# --8<-- [start:ways]
def nearest(bits, group):
    return lambda w, x: restore(*quantize(w, bits, group))


WAYS = {
    "int8, a scale for each matrix": nearest(8, None),
    "int8, a scale for each row": nearest(8, 0),
    "MXFP8: e4m3, blocks of 32": lambda w, x: to_mx(w, "e4m3"),
    "int4, a scale for each row": nearest(4, 0),
    "int4, groups of 32": nearest(4, 32),
    "MXFP4: e2m1, blocks of 32": lambda w, x: to_mx(w, "e2m1"),
    "NF4, blocks of 64": lambda w, x: by_book(w, nf4_book()),
    "int4, groups of 32, only scaled": lambda w, x: awq(w, x, 4, 32, unclipped),
    "int4, groups of 32, only clipped": lambda w, x: clipped(w, x, 4, 32),
    "int4, groups of 32, AWQ: both": lambda w, x: awq(w, x, 4, 32),
    "int4, groups of 32, GPTQ": lambda w, x: gptq(w, x, 4, 32),
    "int3, groups of 32": nearest(3, 32),
    "int3, groups of 32, only scaled": lambda w, x: awq(w, x, 3, 32, unclipped),
    "int3, groups of 32, only clipped": lambda w, x: clipped(w, x, 3, 32),
    "int3, groups of 32, AWQ: both": lambda w, x: awq(w, x, 3, 32),
    "int3, groups of 32, GPTQ": lambda w, x: gptq(w, x, 3, 32),
}


def table(weights, calibration, tokens, targets):
    """Print the mean error of the layers, and how many bits a letter the model loses."""
    inputs, before = inputs_of(weights, calibration), loss_of(forward(weights, tokens), targets)
    for name, change in WAYS.items():
        new, off = with_layers(weights, inputs, change)
        lost = loss_of(forward(new, tokens), targets) - before
        print(f"{name:32} {off:6.3f} {round(lost, 3) + 0:+7.3f}")


# --8<-- [end:ways]
