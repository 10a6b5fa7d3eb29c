"""A language model small enough to train in this page: two layers, the names of characters."""

# --8<-- [start:imports]
import unicodedata

import numpy as np

# --8<-- [end:imports]


# --8<-- [start:text]
def names():
    """Return the names of Unicode 3.2's characters, which never change, in a shuffled order."""
    found = (unicodedata.ucd_3_2_0.name(chr(code), "") for code in range(0x3300))
    return list(np.random.default_rng(1).permutation([name for name in found if name]))


LETTERS = "\n -0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ()"


def encode(text):
    return np.array([LETTERS.index(letter) for letter in text])


def as_text(lines):
    return encode("\n".join(lines) + "\n")


def decode(tokens):
    return "".join(LETTERS[token] for token in tokens)


# --8<-- [end:text]


# --8<-- [start:forward]
LAYERS, WIDTH, HEADS, CONTEXT = 2, 64, 4, 32


def new_weights(random):
    """Return random weights by name; a linear layer's are (outputs, inputs)."""

    def linear(outputs, inputs):
        return random.normal(0, inputs**-0.5, (outputs, inputs))

    weights = {
        name: random.normal(0, 0.1, (count, WIDTH))
        for name, count in (("letters", len(LETTERS)), ("places", CONTEXT))
    }
    for layer in range(LAYERS):
        for name, outputs, inputs in (
            ("qkv", 3 * WIDTH, WIDTH),
            ("out", WIDTH, WIDTH),
            ("up", 4 * WIDTH, WIDTH),
            ("down", WIDTH, 4 * WIDTH),
        ):
            weights[f"{name}{layer}"] = linear(outputs, inputs)
    return weights | {"head": linear(len(LETTERS), WIDTH)}


def norm(x):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5)


def softmax(x):
    x = np.exp(x - x.max(axis=-1, keepdims=True))
    return x / x.sum(axis=-1, keepdims=True)


def heads_of(x):
    """Split the last axis: (batch, tokens, width) to (batch, heads, tokens, width / heads)."""
    return x.reshape(*x.shape[:2], HEADS, -1).swapaxes(1, 2)


def together(x):
    return x.swapaxes(1, 2).reshape(x.shape[0], x.shape[2], -1)


def forward(weights, tokens, kept=None, linear=None):
    """Return logits of (batch, tokens). ``kept`` collects the input of each linear layer.

    ``linear(name, x)`` computes a layer instead of ``x @ weights[name].T``.
    """
    linear = linear or (lambda name, x: x @ weights[name].T)
    kept = {} if kept is None else kept

    def apply(name, x):
        kept[name] = x
        return linear(name, x)

    length = tokens.shape[1]
    x = weights["letters"][tokens] + weights["places"][:length]
    mask = np.where(np.tri(length, dtype=bool), 0, -np.inf)
    for layer in range(LAYERS):
        kept[f"x{layer}"] = x
        qkv = apply(f"qkv{layer}", norm(x))
        q, k, v = (heads_of(part) for part in np.split(qkv, 3, axis=-1))
        attention = softmax(q @ k.swapaxes(2, 3) * (WIDTH // HEADS) ** -0.5 + mask)
        kept[f"attention{layer}"] = q, k, v, attention
        x = x + apply(f"out{layer}", together(attention @ v))
        kept[f"y{layer}"] = x
        up = kept[f"u{layer}"] = apply(f"up{layer}", norm(x))
        x = x + apply(f"down{layer}", np.maximum(up, 0) ** 2)
    kept["last"] = x
    return apply("head", norm(x))


def loss_of(logits, targets):
    """Return the mean of -log2 of the probability of each target: bits a letter."""
    top = logits.max(axis=-1, keepdims=True)
    spread = np.log(np.exp(logits - top).sum(axis=-1)) + top[..., 0]
    right = np.take_along_axis(logits, targets[..., None], -1)[..., 0]
    return float((spread - right).mean() / np.log(2))


# --8<-- [end:forward]


# --8<-- [start:train]
def gradients(weights, tokens, targets):
    """Return the gradient of the loss by each weight: the forward pass, backward."""
    kept, grads = {}, {}
    logits = forward(weights, tokens, kept)

    def back(name, d):
        """Add a linear layer's gradient, and return that of its input."""
        flat = d.reshape(-1, d.shape[-1])
        grads[name] = flat.T @ kept[name].reshape(len(flat), -1)
        return d @ weights[name]

    def back_norm(x, d):
        scale = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5)
        return scale * (d - x * scale**2 * (d * x).mean(axis=-1, keepdims=True))

    d = softmax(logits)
    np.put_along_axis(d, targets[..., None], np.take_along_axis(d, targets[..., None], -1) - 1, -1)
    d = back_norm(kept["last"], back("head", d / targets.size))
    for layer in reversed(range(LAYERS)):
        up = back(f"down{layer}", d) * 2 * np.maximum(kept[f"u{layer}"], 0)
        d = d + back_norm(kept[f"y{layer}"], back(f"up{layer}", up))
        q, k, v, attention = kept[f"attention{layer}"]
        mixed = heads_of(back(f"out{layer}", d))
        inner = mixed @ v.swapaxes(2, 3)
        inner = attention * (inner - (inner * attention).sum(axis=-1, keepdims=True))
        inner *= (WIDTH // HEADS) ** -0.5
        parts = inner @ k, inner.swapaxes(2, 3) @ q, attention.swapaxes(2, 3) @ mixed
        qkv = back(f"qkv{layer}", np.concatenate([together(part) for part in parts], axis=-1))
        d = d + back_norm(kept[f"x{layer}"], qkv)
    grads["letters"] = np.zeros_like(weights["letters"])
    np.add.at(grads["letters"], tokens, d)
    grads["places"] = np.zeros_like(weights["places"])
    grads["places"][: tokens.shape[1]] = d.sum(axis=0)
    return grads


def windows(text, count, random, length=CONTEXT):
    """Return ``count`` stretches of a text, and the same one letter further on."""
    starts = random.integers(0, len(text) - length - 1, count)[:, None] + np.arange(length)
    return text[starts], text[starts + 1]


def train(text, steps=400, batch=16, rate=0.01, seed=1):
    """Return weights after some steps of Adam."""
    random = np.random.default_rng(seed)
    weights = new_weights(random)
    first = {name: np.zeros_like(w) for name, w in weights.items()}
    second = {name: np.zeros_like(w) for name, w in weights.items()}
    for step in range(1, steps + 1):
        now = rate * min(1, step / 40) * (1 - step / (steps + 1))
        for name, g in gradients(weights, *windows(text, batch, random)).items():
            first[name] += 0.1 * (g - first[name])
            second[name] += 0.02 * (g * g - second[name])
            fair = np.sqrt(second[name] / (1 - 0.98**step)) + 1e-8
            weights[name] -= now * first[name] / (1 - 0.9**step) / fair
    return weights


# --8<-- [end:train]


# --8<-- [start:write]
def write(weights, prompt, length=28):
    """Return a prompt and the letters that the model finds most likely after it."""
    tokens = list(encode(prompt))
    while len(tokens) < length and tokens[-1] != 0:
        tokens.append(int(forward(weights, np.array([tokens[-CONTEXT:]]))[0, -1].argmax()))
    return decode(tokens).strip()


# --8<-- [end:write]


def examples():
    """The examples.

    --8<-- [start:text_example]
    >>> lines = names()
    >>> len(lines), str(lines[1])
    (8627, 'TIBETAN DIGIT NINE')
    >>> cut = len(lines) * 9 // 10
    >>> text, unseen = as_text(lines[:cut]), as_text(lines[cut:])

    --8<-- [end:text_example]

    --8<-- [start:train_example]
    >>> weights = train(text)
    >>> sum(w.size for w in weights.values())
    105600
    >>> random = np.random.default_rng(5)
    >>> tokens, targets = windows(unseen, 512, random)
    >>> round(loss_of(forward(weights, tokens), targets), 2), round(float(np.log2(len(LETTERS))), 2)
    (1.98, 5.36)
    >>> write(weights, "GREEK SMALL ")
    'GREEK SMALL LETTER DOT A'

    --8<-- [end:train_example]

    --8<-- [start:table_example]
    >>> calibration, _ = windows(text, 64, np.random.default_rng(6))
    >>> table(weights, calibration, tokens, targets)
    int8, a scale for each matrix     0.007  +0.001
    int8, a scale for each row        0.004  +0.000
    MXFP8: e4m3, blocks of 32         0.021  +0.004
    int4, a scale for each row        0.078  +0.053
    int4, groups of 32                0.068  +0.043
    MXFP4: e2m1, blocks of 32         0.083  +0.048
    NF4, blocks of 64                 0.066  +0.034
    int4, groups of 32, only scaled   0.067  +0.041
    int4, groups of 32, only clipped  0.058  +0.028
    int4, groups of 32, AWQ: both     0.057  +0.025
    int4, groups of 32, GPTQ          0.040  +0.013
    int3, groups of 32                0.157  +0.254
    int3, groups of 32, only scaled   0.155  +0.225
    int3, groups of 32, only clipped  0.120  +0.159
    int3, groups of 32, AWQ: both     0.120  +0.160
    int3, groups of 32, GPTQ          0.094  +0.100

    --8<-- [end:table_example]
    """
