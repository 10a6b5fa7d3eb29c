"""The forward kernels of GPT-2: embedding, layernorm with the residual, softmax, GELU, loss."""

# --8<-- [start:imports]
import math

import numpy as np
from numba import cuda, float32

# --8<-- [end:imports]


# --8<-- [start:warp]
@cuda.jit(device=True)
def warp_sum(value):
    """Return the sum over the 32 lanes of a warp, to each of them."""
    for step in (16, 8, 4, 2, 1):
        value += cuda.shfl_xor_sync(0xFFFFFFFF, value, step)
    return value


@cuda.jit(device=True)
def warp_max(value):
    for step in (16, 8, 4, 2, 1):
        value = max(value, cuda.shfl_xor_sync(0xFFFFFFFF, value, step))
    return value


@cuda.jit(device=True)
def my_row():
    """Return the row of this thread's warp: blocks are (32, warps), a warp to a row."""
    return cuda.blockIdx.x * cuda.blockDim.y + cuda.threadIdx.y


# --8<-- [end:warp]


# --8<-- [start:embed]
@cuda.jit
def embed_kernel(tokens, words, places, out):
    """out[row] = words[tokens[row]] + places[position of the row in its sequence]."""
    row = my_row()
    if row < out.shape[0]:
        token, place = tokens[row], row % places.shape[0]
        for c in range(cuda.threadIdx.x, out.shape[1], 32):
            out[row, c] = words[token, c] + places[place, c]


# --8<-- [end:embed]


# --8<-- [start:norm]
@cuda.jit(device=True)
def normalize(x, row, total, weight, bias, out, means, scales):
    """Layernorm of a row by its warp, from each lane's sum. Keeps what the backward pass needs."""
    lane, columns = cuda.threadIdx.x, x.shape[1]
    mean = warp_sum(total) / float32(columns)
    total = float32(0)
    for c in range(lane, columns, 32):
        total += (x[row, c] - mean) * (x[row, c] - mean)
    scale = float32(1) / math.sqrt(warp_sum(total) / float32(columns) + float32(1e-5))
    for c in range(lane, columns, 32):
        out[row, c] = (x[row, c] - mean) * scale * weight[c] + bias[c]
    if lane == 0:
        means[row], scales[row] = mean, scale


@cuda.jit
def norm_kernel(x, weight, bias, out, means, scales):
    """Layernorm of each row, a warp to a row."""
    row = my_row()
    if row < x.shape[0]:
        total = float32(0)
        for c in range(cuda.threadIdx.x, x.shape[1], 32):
            total += x[row, c]
        normalize(x, row, total, weight, bias, out, means, scales)


@cuda.jit
def add_norm_kernel(x, delta, delta_bias, weight, bias, after, out, means, scales):
    """after = x + delta + delta_bias, the residual stream, and its layernorm in the same pass."""
    row = my_row()
    if row < x.shape[0]:
        total = float32(0)
        for c in range(cuda.threadIdx.x, x.shape[1], 32):
            value = x[row, c] + delta[row, c] + delta_bias[c]
            after[row, c] = value
            total += value
        normalize(after, row, total, weight, bias, out, means, scales)


# --8<-- [end:norm]


# --8<-- [start:softmax]
LOWEST = float32(np.finfo(np.float32).min)


@cuda.jit(fastmath=True)
def causal_softmax_kernel(scores):
    """Softmax in place, a warp to a row: row t of each square sees its first t + 1 columns."""
    row, lane = my_row(), cuda.threadIdx.x
    if row < scores.shape[0]:
        columns = scores.shape[1]
        seen = row % columns + 1
        largest = LOWEST
        for c in range(lane, seen, 32):
            largest = max(largest, scores[row, c])
        largest = warp_max(largest)
        total = float32(0)
        for c in range(lane, seen, 32):
            total += math.exp(scores[row, c] - largest)
        share = float32(1) / warp_sum(total)
        for c in range(lane, columns, 32):
            value = float32(0)
            if c < seen:
                value = math.exp(scores[row, c] - largest) * share
            scores[row, c] = value


# --8<-- [end:softmax]


# --8<-- [start:gelu]
TWICE_ROOT = float32(2 * math.sqrt(2 / math.pi))
CUBIC = float32(0.044715)


@cuda.jit(fastmath=True)
def gelu_kernel(x, bias, out):
    """out = GELU(x + bias), GPT-2's: with u by a tanh, 0.5 (1 + tanh(u)) = 1 / (1 + exp(-2 u))."""
    row = my_row()
    if row < out.shape[0]:
        for c in range(cuda.threadIdx.x, out.shape[1], 32):
            v = x[row, c] + bias[c]
            twice_u = TWICE_ROOT * (v + CUBIC * v * v * v)
            out[row, c] = v / (float32(1) + math.exp(-twice_u))


# --8<-- [end:gelu]


# --8<-- [start:bias]
@cuda.jit
def bias_kernel(x, bias):
    """x += bias, in place."""
    row = my_row()
    if row < x.shape[0]:
        for c in range(cuda.threadIdx.x, x.shape[1], 32):
            x[row, c] += bias[c]


# --8<-- [end:bias]


# --8<-- [start:loss]
@cuda.jit
def loss_kernel(logits, targets, symbols, losses):
    """A warp to a row: its cross-entropy, and in place of its logits their gradient.

    Rows may be wider than there are symbols, for the sake of the product that made them.
    """
    row, lane = my_row(), cuda.threadIdx.x
    if row < logits.shape[0]:
        target = targets[row]
        largest = LOWEST
        for c in range(lane, symbols, 32):
            largest = max(largest, logits[row, c])
        largest = warp_max(largest)
        total = float32(0)
        for c in range(lane, symbols, 32):
            total += math.exp(logits[row, c] - largest)
        total = warp_sum(total)
        if lane == 0:
            losses[row] = math.log(total) + largest - logits[row, target]
        cuda.syncwarp()  # the target's logit has been read; now all are overwritten
        share = float32(1) / float32(logits.shape[0])  # the loss is a mean over rows
        for c in range(lane, logits.shape[1], 32):
            gradient = float32(0)
            if c < symbols:
                gradient = math.exp(logits[row, c] - largest) / total
                if c == target:
                    gradient -= float32(1)
            logits[row, c] = gradient * share


# --8<-- [end:loss]
