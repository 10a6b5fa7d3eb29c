"""GPT-2 out of the kernels of this folder: parameters, forward and backward pass, AdamW."""

# --8<-- [start:imports]
from dataclasses import dataclass

import numpy as np

# --8<-- [end:imports]
from kernels.gpt.backward import (
    adamw_kernel,
    column_sums_kernel,
    embed_back_kernel,
    gelu_back_kernel,
    norm_back_kernel,
    norm_weights_kernel,
    softmax_back_kernel,
)
from kernels.gpt.blas import Plain  # noqa: F401
from kernels.gpt.forward import (
    add_norm_kernel,
    bias_kernel,
    causal_softmax_kernel,
    embed_kernel,
    gelu_kernel,
    loss_kernel,
    norm_kernel,
)


# --8<-- [start:shapes]
@dataclass(frozen=True)
class Config:
    layers: int
    heads: int
    width: int  # columns of the residual stream
    length: int  # symbols of a sequence
    symbols: int
    batch: int

    @property
    def logits(self):
        return -(-self.symbols // 8) * 8  # wider rows, which tensor cores take 16 bytes at a time


def shapes(config):
    """Return the shape of each parameter, by name. Weights are (out, in), as in GPT-2 and torch."""
    c = config.width
    found = {"words": (config.logits, c), "places": (config.length, c)}
    for i in range(config.layers):
        found |= {
            f"{i}.norm_1.weight": (c,),
            f"{i}.norm_1.bias": (c,),
            f"{i}.qkv.weight": (3 * c, c),
            f"{i}.qkv.bias": (3 * c,),
            f"{i}.out.weight": (c, c),
            f"{i}.out.bias": (c,),
            f"{i}.norm_2.weight": (c,),
            f"{i}.norm_2.bias": (c,),
            f"{i}.up.weight": (4 * c, c),
            f"{i}.up.bias": (4 * c,),
            f"{i}.down.weight": (c, 4 * c),
            f"{i}.down.bias": (c,),
        }
    return found | {"norm.weight": (c,), "norm.bias": (c,)}


def named(flat, config):
    """Return views of one flat array, by name: all parameters, or all gradients, lie together."""
    views, start = {}, 0
    for name, shape in shapes(config).items():
        size = int(np.prod(shape))
        views[name] = flat[start : start + size].reshape(shape)
        start += size
    return views


def start_values(config, seed=0):
    """Return the first weights as GPT-2 draws them, and the weight decay of each."""
    random = np.random.default_rng(seed)
    size = sum(int(np.prod(shape)) for shape in shapes(config).values())
    flat, decays = np.zeros(size, np.float32), np.zeros(size, np.float32)
    decay = named(decays, config)
    for name, view in named(flat, config).items():
        if view.ndim == 2:
            into_stream = name.endswith(("out.weight", "down.weight"))
            scale = 0.02 / np.sqrt(2 * config.layers) if into_stream else 0.02
            view[:] = random.normal(0, scale, view.shape)
            decay[name][:] = 0.1
        elif name.endswith("weight"):
            view[:] = 1
    named(flat, config)["words"][config.symbols :] = 0  # no such symbols
    return flat, decays


# --8<-- [end:shapes]


# --8<-- [start:model]
def identity(x):
    return x


class GPT:
    """The model with everything that a step needs, allocated once.

    ``xp`` is numpy or cupy, ``gemm`` the product, ``view`` what kernels are given for an array,
    and ``stream`` the stream of the launches.
    """

    def __init__(self, config, xp, gemm, view=identity, stream=0, seed=0):
        c = self.config = config
        self.xp, self.gemm, self.view, self.stream = xp, gemm, view, stream
        rows, inner = c.batch * c.length, 4 * c.width
        flat, decays = start_values(c, seed)
        self.flat, self.decays = xp.asarray(flat), xp.asarray(decays)
        self.d_flat, self.first, self.second = (xp.zeros_like(self.flat) for _ in range(3))
        self.p, self.d = named(self.flat, c), named(self.d_flat, c)

        def made(*shape, kind=np.float32):
            return xp.zeros(shape, kind)

        self.tokens, self.targets = made(rows, kind=np.int32), made(rows, kind=np.int32)
        self.rates, self.losses = made(3), made(rows)
        # What the backward pass needs again: one of each for each layer.
        n = c.layers
        self.x = [made(rows, c.width) for _ in range(2 * n + 1)]  # the residual stream
        self.normed = [made(rows, c.width) for _ in range(2 * n + 1)]
        self.means = [made(rows) for _ in range(2 * n + 1)]
        self.scales = [made(rows) for _ in range(2 * n + 1)]
        self.qkv = [made(rows, 3 * c.width) for _ in range(n)]
        squares = (
            c.batch * c.heads * c.length,
            c.length,
        )  # all heads, one below another
        self.weights = [made(*squares) for _ in range(n)]
        self.mixed = [made(rows, c.width) for _ in range(n)]
        self.up = [made(rows, inner) for _ in range(n)]
        self.act = [made(rows, inner) for _ in range(n)]
        # What it does not need: one for all layers.
        self.delta, self.logits = made(rows, c.width), made(rows, c.logits)
        self.d_x, self.d_normed = made(rows, c.width), made(rows, c.width)
        self.d_mixed, self.d_qkv = made(rows, c.width), made(rows, 3 * c.width)
        self.d_weights, self.d_act = made(*squares), made(rows, inner)
        self.views = {}

    def seen(self, x):
        """Return what a kernel gets for an array; the same object each time."""
        if not getattr(x, "shape", ()):
            return x  # a scalar
        if id(x) not in self.views:
            self.views[id(x)] = x, self.view(x)  # x is kept too, so that its id stays taken
        return self.views[id(x)][1]

    def launch(self, kernel, blocks, threads, *arguments):
        kernel[blocks, threads, self.stream](*map(self.seen, arguments))

    def each(self, kernel, count, *arguments):
        """Launch a thread for each of ``count`` elements."""
        self.launch(kernel, -(-count // 256), 256, *arguments)

    def rows(self, kernel, count, *arguments):
        """Launch a warp for each of ``count`` rows."""
        self.launch(kernel, -(-count // 4), (32, 4), *arguments)

    def columns(self, kernel, shape, *arguments):
        """Launch blocks over the columns, and over slabs of about 256 rows."""
        self.launch(kernel, (-(-shape[1] // 32), -(-shape[0] // 256)), (32, 8), *arguments)

    def heads(self, x):
        """Return views of (batch, heads, length, depth): of q, k and v, or of what they became."""
        c = self.config
        x = x.reshape(c.batch, c.length, -1, c.heads, c.width // c.heads)
        return [x[:, :, i].transpose(0, 2, 1, 3) for i in range(x.shape[2])]

    def squares(self, weights):
        c = self.config
        return weights.reshape(c.batch, c.heads, c.length, c.length)


# --8<-- [end:model]


# --8<-- [start:forward]
def norm(model, i, name, bias=None):
    """Layernorm number i, of x[i]; with a bias, of what delta and bias make of x[i - 1]."""
    weights = model.p[name + ".weight"], model.p[name + ".bias"]
    results = model.normed[i], model.means[i], model.scales[i]
    rows, x = len(model.x[i]), model.x[i]
    if bias is None:
        model.rows(norm_kernel, rows, x, *weights, *results)
    else:
        model.rows(add_norm_kernel, rows, model.x[i - 1], model.delta, bias, *weights, x, *results)


def attention(model, i):
    """Mix the rows of each sequence: model.mixed[i] from model.qkv[i]."""
    q, k, v = model.heads(model.qkv[i])
    weights, (mixed,) = model.weights[i], model.heads(model.mixed[i])
    squares = model.squares(weights)
    model.gemm(q, k.swapaxes(2, 3), squares, scale=q.shape[-1] ** -0.5)
    model.rows(causal_softmax_kernel, len(weights), weights)
    model.gemm(squares, v, mixed)


def forward(model):
    """From model.tokens to model.logits."""
    p, gemm, normed = model.p, model.gemm, model.normed
    x = model.x[0]
    model.rows(embed_kernel, len(x), model.tokens, p["words"], p["places"], x)
    norm(model, 0, "0.norm_1")
    for i in range(model.config.layers):
        gemm(normed[2 * i], p[f"{i}.qkv.weight"].T, model.qkv[i])
        model.rows(bias_kernel, len(x), model.qkv[i], p[f"{i}.qkv.bias"])
        attention(model, i)
        gemm(model.mixed[i], p[f"{i}.out.weight"].T, model.delta)
        norm(model, 2 * i + 1, f"{i}.norm_2", bias=p[f"{i}.out.bias"])
        up, act = model.up[i], model.act[i]
        gemm(normed[2 * i + 1], p[f"{i}.up.weight"].T, up)
        model.rows(gelu_kernel, len(x), up, p[f"{i}.up.bias"], act)
        gemm(act, p[f"{i}.down.weight"].T, model.delta)
        after = f"{i + 1}.norm_1" if i + 1 < model.config.layers else "norm"
        norm(model, 2 * i + 2, after, bias=p[f"{i}.down.bias"])
    gemm(normed[-1], p["words"].T, model.logits)


def loss(model):
    """From model.logits to model.losses, and in place of the logits their gradient."""
    symbols = np.int32(model.config.symbols)
    model.rows(loss_kernel, len(model.logits), model.logits, model.targets, symbols, model.losses)


# --8<-- [end:forward]


# --8<-- [start:backward]
def linear_back(model, d_out, x, name, d_x):
    """Gradients of out = x @ weight.T + bias: of the weight, of the bias, and of x into d_x."""
    weight, d = model.p[name + ".weight"], model.d
    model.gemm(d_out.T, x, d[name + ".weight"])
    model.columns(column_sums_kernel, d_out.shape, d_out, d[name + ".bias"])
    model.gemm(d_out, weight, d_x)


def norm_back(model, i, name):
    """Add to d_x what passes the layernorm i, from d_normed; and the gradients of its weights."""
    saved = model.means[i], model.scales[i]
    d_out, x, d = model.d_normed, model.x[i], model.d
    both = d[name + ".weight"], d[name + ".bias"]
    model.columns(norm_weights_kernel, x.shape, d_out, x, *saved, *both)
    weight = model.p[name + ".weight"]
    model.rows(norm_back_kernel, len(x), d_out, x, weight, *saved, model.d_x)


def attention_back(model, i):
    """From d_mixed to d_qkv."""
    q, k, v = model.heads(model.qkv[i])
    d_q, d_k, d_v = model.heads(model.d_qkv)
    (d_mixed,), gemm = model.heads(model.d_mixed), model.gemm
    weights, d_weights = model.weights[i], model.d_weights
    squares, d_squares = model.squares(weights), model.squares(d_weights)
    gemm(squares.swapaxes(2, 3), d_mixed, d_v)
    gemm(d_mixed, v.swapaxes(2, 3), d_squares)
    model.rows(softmax_back_kernel, len(weights), weights, d_weights)
    scale = q.shape[-1] ** -0.5
    gemm(d_squares, k, d_q, scale=scale)
    gemm(d_squares.swapaxes(2, 3), q, d_k, scale=scale)


def backward(model):
    """From the gradient of the logits to that of every parameter, in model.d_flat."""
    p, d, gemm, d_x = model.p, model.d, model.gemm, model.d_x
    model.d_flat[...] = 0
    d_x[...] = 0
    gemm(model.logits.T, model.normed[-1], d["words"])
    gemm(model.logits, p["words"], model.d_normed)
    norm_back(model, -1, "norm")
    for i in reversed(range(model.config.layers)):
        linear_back(model, d_x, model.act[i], f"{i}.down", model.d_act)
        up, d_act = model.up[i], model.d_act
        model.rows(gelu_back_kernel, len(up), up, p[f"{i}.up.bias"], d_act)
        linear_back(model, d_act, model.normed[2 * i + 1], f"{i}.up", model.d_normed)
        norm_back(model, 2 * i + 1, f"{i}.norm_2")
        linear_back(model, d_x, model.mixed[i], f"{i}.out", model.d_mixed)
        attention_back(model, i)
        linear_back(model, model.d_qkv, model.normed[2 * i], f"{i}.qkv", model.d_normed)
        norm_back(model, 2 * i, f"{i}.norm_1")
    places = d["places"]
    model.each(embed_back_kernel, places.size, model.tokens, d_x, d["words"], places)


# --8<-- [end:backward]


# --8<-- [start:update]
BETA_1, BETA_2 = np.float32(0.9), np.float32(0.99)


def rates(step, size):
    """Return what AdamW needs to know of a step, the first being 1: its size, two corrections."""
    corrections = [1 / (1 - float(beta) ** step) for beta in (BETA_1, BETA_2)]
    return np.array([size, *corrections], np.float32)


def update(model):
    """One step of AdamW, by the rates in model.rates."""
    state = model.flat, model.d_flat, model.first, model.second, model.decays
    model.each(adamw_kernel, model.flat.size, *state, model.rates, BETA_1, BETA_2)


def train_step(model):
    forward(model)
    loss(model)
    backward(model)
    update(model)


# --8<-- [end:update]


# --8<-- [start:check]
def slopes(model, step=0.01):
    """Return how fast the loss grows along its gradient: by the gradient, and by two losses."""
    forward(model)
    loss(model)
    backward(model)
    size = float(np.sqrt((model.d_flat * model.d_flat).sum()))
    away, start, losses = model.d_flat / size, model.flat.copy(), []
    for side in (step, -step):
        model.flat[:] = start + side * away
        forward(model)
        loss(model)
        losses.append(float(model.losses.mean()))
    model.flat[:] = start
    return size, (losses[0] - losses[1]) / (2 * step)


# --8<-- [end:check]


def examples():
    """A tiny model, on a CPU.

    --8<-- [start:example]
    >>> random = np.random.default_rng(seed=1)
    >>> config = Config(layers=1, heads=2, width=8, length=5, symbols=11, batch=1)
    >>> tiny = GPT(config, np, Plain.gemm)
    >>> tiny.flat += random.normal(0, 0.3, tiny.flat.size).astype(np.float32)
    >>> tiny.tokens[:], tiny.targets[:] = random.integers(0, 11, (2, 5))
    >>> by_gradient, by_losses = slopes(tiny)
    >>> abs(by_gradient / by_losses - 1) < 1e-3
    True

    --8<-- [end:example]

    --8<-- [start:train_example]
    >>> losses = []
    >>> for step in range(1, 4):
    ...     tiny.rates[:] = rates(step, size=0.05)
    ...     train_step(tiny)
    ...     losses.append(float(tiny.losses.mean()))
    >>> losses == sorted(losses, reverse=True), losses[-1] < 0.8 * losses[0]
    (True, True)

    --8<-- [end:train_example]
    """
