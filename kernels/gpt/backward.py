"""The backward kernels of GPT-2, each the derivative of one in forward.py, and AdamW."""

import math

from numba import cuda, float32

from kernels.gpt.forward import CUBIC, TWICE_ROOT, my_row, warp_sum


# --8<-- [start:norm]
@cuda.jit
def norm_back_kernel(d_out, x, weight, means, scales, d_x):
    """d_x += the gradient that passes through a layernorm, a warp to a row."""
    row, lane = my_row(), cuda.threadIdx.x
    if row < x.shape[0]:
        columns, mean, scale = x.shape[1], means[row], scales[row]
        plain = float32(0)  # sum of the gradients of the normalized values
        tilted = float32(0)  # and the same, times these values
        for c in range(lane, columns, 32):
            d = d_out[row, c] * weight[c]
            plain += d
            tilted += d * (x[row, c] - mean) * scale
        plain = warp_sum(plain) / float32(columns)
        tilted = warp_sum(tilted) / float32(columns)
        for c in range(lane, columns, 32):
            d = d_out[row, c] * weight[c]
            d_x[row, c] += scale * (d - plain - (x[row, c] - mean) * scale * tilted)


# --8<-- [end:norm]


# --8<-- [start:columns]
@cuda.jit
def column_sums_kernel(d_out, d_bias):
    """d_bias += sum over rows, for blocks of (32, 8): 32 columns, and every eighth row."""
    box = cuda.shared.array((8, 32), float32)
    lane, warp = cuda.threadIdx.x, cuda.threadIdx.y
    c = cuda.blockIdx.x * 32 + lane
    total = float32(0)
    if c < d_out.shape[1]:
        for row in range(cuda.blockIdx.y * 8 + warp, d_out.shape[0], 8 * cuda.gridDim.y):
            total += d_out[row, c]
    box[warp, lane] = total
    cuda.syncthreads()
    if warp == 0 and c < d_out.shape[1]:
        for w in range(1, 8):
            total += box[w, lane]
        cuda.atomic.add(d_bias, c, total)


@cuda.jit
def norm_weights_kernel(d_out, x, means, scales, d_weight, d_bias):
    """The same for a layernorm's weight and bias, in one pass over the rows."""
    box = cuda.shared.array((2, 8, 32), float32)
    lane, warp = cuda.threadIdx.x, cuda.threadIdx.y
    c = cuda.blockIdx.x * 32 + lane
    plain = float32(0)
    tilted = float32(0)
    if c < x.shape[1]:
        for row in range(cuda.blockIdx.y * 8 + warp, x.shape[0], 8 * cuda.gridDim.y):
            d = d_out[row, c]
            plain += d
            tilted += d * (x[row, c] - means[row]) * scales[row]
    box[0, warp, lane] = plain
    box[1, warp, lane] = tilted
    cuda.syncthreads()
    if warp == 0 and c < x.shape[1]:
        for w in range(1, 8):
            plain += box[0, w, lane]
            tilted += box[1, w, lane]
        cuda.atomic.add(d_bias, c, plain)
        cuda.atomic.add(d_weight, c, tilted)


# --8<-- [end:columns]


# --8<-- [start:gelu]
@cuda.jit(fastmath=True)
def gelu_back_kernel(x, bias, d_out):
    """d_out becomes d_out * GELU'(x + bias)."""
    row = my_row()
    if row < d_out.shape[0]:
        for c in range(cuda.threadIdx.x, d_out.shape[1], 32):
            v = x[row, c] + bias[c]
            twice_u = TWICE_ROOT * (v + CUBIC * v * v * v)
            share = float32(1) / (float32(1) + math.exp(-twice_u))
            slope = TWICE_ROOT * (float32(1) + float32(3) * CUBIC * v * v)
            d_out[row, c] *= share * (float32(1) + v * (float32(1) - share) * slope)


# --8<-- [end:gelu]


# --8<-- [start:softmax]
@cuda.jit
def softmax_back_kernel(weights, d_weights):
    """d_weights becomes the gradient of the scores, a warp to a row."""
    row, lane = my_row(), cuda.threadIdx.x
    if row < weights.shape[0]:
        columns = weights.shape[1]
        seen = row % columns + 1
        total = float32(0)
        for c in range(lane, seen, 32):
            total += weights[row, c] * d_weights[row, c]
        total = warp_sum(total)
        for c in range(lane, columns, 32):
            value = float32(0)
            if c < seen:
                value = weights[row, c] * (d_weights[row, c] - total)
            d_weights[row, c] = value


# --8<-- [end:softmax]


# --8<-- [start:embed]
@cuda.jit
def embed_back_kernel(tokens, d_x, d_words, d_places):
    """A thread for each place and column: it walks the batch, one row of each sequence."""
    i = cuda.grid(1)
    if i < d_places.size:
        length, columns = d_places.shape
        place, c = i // columns, i % columns
        total = float32(0)
        for row in range(place, d_x.shape[0], length):
            d = d_x[row, c]
            total += d
            cuda.atomic.add(d_words, (tokens[row], c), d)  # rows may share a token
        d_places[place, c] += total


# --8<-- [end:embed]


# --8<-- [start:adamw]
@cuda.jit
def adamw_kernel(weights, gradients, first, second, decays, rates, beta_1, beta_2):
    """AdamW for all parameters at once. rates: the step's size, and what undoes the two starts.

    decays holds the weight decay of each parameter: none for biases and norms.
    """
    i = cuda.grid(1)
    if i < weights.size:
        g = gradients[i]
        m = beta_1 * first[i] + (float32(1) - beta_1) * g
        v = beta_2 * second[i] + (float32(1) - beta_2) * g * g
        first[i], second[i] = m, v
        step = (m * rates[1]) / (math.sqrt(v * rates[2]) + float32(1e-8))
        weights[i] -= rates[0] * (step + decays[i] * weights[i])


# --8<-- [end:adamw]
