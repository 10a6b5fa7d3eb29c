"""GPT-2's kernels in CuPy: a line of C++ where a thread needs no other, whole kernels for rows."""
# ruff: noqa: I001

import math

import cupy as cp
import numpy as np

from kernels.gpt.backward import (
    adamw_kernel,
    column_sums_kernel,
    embed_back_kernel,
    gelu_back_kernel,
    norm_back_kernel,
    norm_weights_kernel,
    softmax_back_kernel,
)
from kernels.gpt.forward import (
    add_norm_kernel,
    bias_kernel,
    causal_softmax_kernel,
    embed_kernel,
    gelu_kernel,
    loss_kernel,
    norm_kernel,
)
from kernels.gpt.model import GPT


# --8<-- [start:elements]
TANH = """
__device__ float share(float v) {
    return 1.0f / (1.0f + __expf(-1.5957691f * (v + 0.044715f * v * v * v)));
}
"""  # twice the root of 2 / pi, as in the kernels in Numba
embed = cp.ElementwiseKernel(
    "raw int32 tokens, raw float32 words, raw float32 places, int32 length, int32 columns",
    "float32 out",
    """
    int row = i / columns, c = i % columns;
    out = words[tokens[row] * columns + c] + places[row % length * columns + c];
    """,
    "gpt_embed",
)
embed_back = cp.ElementwiseKernel(
    "raw int32 tokens, raw float32 d_x, int32 rows, int32 length, int32 columns",
    "float32 d_places, raw float32 d_words",
    """
    float total = 0;
    for (int row = i / columns; row < rows; row += length) {
        float d = d_x[row * columns + i % columns];
        total += d;
        atomicAdd(&d_words[tokens[row] * columns + i % columns], d);
    }
    d_places += total;
    """,
    "gpt_embed_back",
)
add_bias = cp.ElementwiseKernel("float32 bias", "float32 x", "x += bias", "gpt_bias")
gelu = cp.ElementwiseKernel(
    "float32 x, float32 bias",
    "float32 out",
    "float v = x + bias; out = v * share(v)",
    "gpt_gelu",
    preamble=TANH,
)
gelu_back = cp.ElementwiseKernel(
    "float32 x, float32 bias",
    "float32 d_out",
    """
    float v = x + bias, s = share(v);
    d_out *= s * (1.0f + v * (1.0f - s) * 1.5957691f * (1.0f + 3 * 0.044715f * v * v));
    """,
    "gpt_gelu_back",
    preamble=TANH,
)
adamw = cp.ElementwiseKernel(
    "float32 g, float32 decay, raw float32 rates, float32 beta_1, float32 beta_2",
    "float32 weight, float32 m, float32 v",
    """
    m = beta_1 * m + (1.0f - beta_1) * g;
    v = beta_2 * v + (1.0f - beta_2) * g * g;
    float step = (m * rates[1]) / (sqrtf(v * rates[2]) + 1e-8f);
    weight -= rates[0] * (step + decay * weight);
    """,
    "gpt_adamw",
)
# --8<-- [end:elements]

# --8<-- [start:sums]
sums = cp.ReductionKernel("float32 x", "float32 y", "x", "a + b", "y = a", "0", "gpt_sums")
tilted_sums = cp.ReductionKernel(
    "float32 d, float32 x, float32 mean, float32 scale",
    "float32 y",
    "d * (x - mean) * scale",
    "a + b",
    "y = a",
    "0",
    "gpt_tilted_sums",
)
SLABS = 256  # of rows, summed apart and then together: else a reduction has few blocks
between = {}  # the sums of slabs, kept: a graph must not allocate


def column_sums(reduce, out, *arrays):
    """Sum over rows what ``reduce`` makes of arrays, which have rows x columns, or rows."""
    slabs = math.gcd(len(arrays[0]), SLABS)
    if (slabs, len(out)) not in between:
        between[slabs, len(out)] = cp.empty((slabs, len(out)), np.float32)
    part = between[slabs, len(out)]
    reduce(*(x.reshape(slabs, len(x) // slabs, -1) for x in arrays), out=part, axis=1)
    sums(part, out=out, axis=0)


# --8<-- [end:sums]

# --8<-- [start:rows]
ROWS = r"""
#define ROW int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x; \
            if (row >= rows) return;
#define EACH(c, count) for (int c = lane; c < (count); c += 32)

__device__ float warp_sum(float value) {
    for (int step = 16; step; step /= 2) value += __shfl_xor_sync(~0u, value, step);
    return value;
}

__device__ float warp_max(float value) {
    for (int step = 16; step; step /= 2) value = fmaxf(value, __shfl_xor_sync(~0u, value, step));
    return value;
}

__device__ void normalize(const float* x, int row, int lane, int columns, float total,
                          const float* weight, const float* bias, float* out,
                          float* means, float* scales) {
    float mean = warp_sum(total) / columns;
    total = 0;
    EACH(c, columns) total += (x[c] - mean) * (x[c] - mean);
    float scale = 1.0f / sqrtf(warp_sum(total) / columns + 1e-5f);
    EACH(c, columns) out[c] = (x[c] - mean) * scale * weight[c] + bias[c];
    if (lane == 0) means[row] = mean, scales[row] = scale;
}

extern "C" __global__ void layernorm(const float* x, const float* weight, const float* bias,
                                     float* out, float* means, float* scales,
                                     int rows, int columns) {
    ROW
    x += (size_t)row * columns, out += (size_t)row * columns;
    float total = 0;
    EACH(c, columns) total += x[c];
    normalize(x, row, lane, columns, total, weight, bias, out, means, scales);
}

extern "C" __global__ void add_layernorm(const float* x, const float* delta,
                                         const float* delta_bias, const float* weight,
                                         const float* bias, float* after, float* out,
                                         float* means, float* scales, int rows, int columns) {
    ROW
    size_t at = (size_t)row * columns;
    x += at, delta += at, after += at, out += at;
    float total = 0;
    EACH(c, columns) {
        float value = x[c] + delta[c] + delta_bias[c];
        after[c] = value;
        total += value;
    }
    normalize(after, row, lane, columns, total, weight, bias, out, means, scales);
}

extern "C" __global__ void layernorm_back(const float* d_out, const float* x, const float* weight,
                                          const float* means, const float* scales, float* d_x,
                                          int rows, int columns) {
    ROW
    size_t at = (size_t)row * columns;
    d_out += at, x += at, d_x += at;
    float mean = means[row], scale = scales[row], plain = 0, tilted = 0;
    EACH(c, columns) {
        float d = d_out[c] * weight[c];
        plain += d;
        tilted += d * (x[c] - mean) * scale;
    }
    plain = warp_sum(plain) / columns;
    tilted = warp_sum(tilted) / columns;
    EACH(c, columns)
        d_x[c] += scale * (d_out[c] * weight[c] - plain - (x[c] - mean) * scale * tilted);
}

extern "C" __global__ void causal_softmax(float* scores, int rows, int columns) {
    ROW
    scores += (size_t)row * columns;
    int seen = row % columns + 1;
    float largest = -3.4028235e38f, total = 0;
    EACH(c, seen) largest = fmaxf(largest, scores[c]);
    largest = warp_max(largest);
    EACH(c, seen) total += __expf(scores[c] - largest);
    float part = 1.0f / warp_sum(total);
    EACH(c, columns) scores[c] = c < seen ? __expf(scores[c] - largest) * part : 0.0f;
}

extern "C" __global__ void softmax_back(const float* weights, float* d_weights,
                                        int rows, int columns) {
    ROW
    weights += (size_t)row * columns, d_weights += (size_t)row * columns;
    int seen = row % columns + 1;
    float total = 0;
    EACH(c, seen) total += weights[c] * d_weights[c];
    total = warp_sum(total);
    EACH(c, columns) d_weights[c] = c < seen ? weights[c] * (d_weights[c] - total) : 0.0f;
}

extern "C" __global__ void loss(float* logits, const int* targets, int symbols, float* losses,
                                int rows, int columns) {
    ROW
    logits += (size_t)row * columns;
    int target = targets[row];
    float largest = -3.4028235e38f, total = 0;
    EACH(c, symbols) largest = fmaxf(largest, logits[c]);
    largest = warp_max(largest);
    EACH(c, symbols) total += expf(logits[c] - largest);
    total = warp_sum(total);
    if (lane == 0) losses[row] = logf(total) + largest - logits[target];
    __syncwarp();  // the target's logit has been read; now all are overwritten
    EACH(c, columns) {
        float gradient = c < symbols ? expf(logits[c] - largest) / total - (c == target) : 0.0f;
        logits[c] = gradient / rows;
    }
}
"""
module = cp.RawModule(code=ROWS)


def row_kernel(name, shaped):
    """Return a launch of a warp for each row of the argument number ``shaped``."""

    def launch(*arguments):
        rows, columns = arguments[shaped].shape
        sizes = np.int32(rows), np.int32(columns)
        module.get_function(name)((-(-rows // 4),), (32, 4), (*arguments, *sizes))

    return launch


# --8<-- [end:rows]


# --8<-- [start:model]
LAUNCHES = {
    embed_kernel: lambda tokens, words, places, out: embed(
        tokens, words, places, *places.shape, out
    ),
    norm_kernel: row_kernel("layernorm", 0),
    add_norm_kernel: row_kernel("add_layernorm", 0),
    bias_kernel: lambda x, bias: add_bias(bias, x),
    causal_softmax_kernel: row_kernel("causal_softmax", 0),
    gelu_kernel: gelu,
    loss_kernel: row_kernel("loss", 0),
    norm_back_kernel: row_kernel("layernorm_back", 1),
    norm_weights_kernel: lambda d_out, x, means, scales, d_weight, d_bias: (
        column_sums(tilted_sums, d_weight, d_out, x, means, scales),
        column_sums(sums, d_bias, d_out),
    ),
    column_sums_kernel: lambda d_out, d_bias: column_sums(sums, d_bias, d_out),
    gelu_back_kernel: gelu_back,
    softmax_back_kernel: row_kernel("softmax_back", 0),
    embed_back_kernel: lambda tokens, d_x, d_words, d_places: embed_back(
        tokens, d_x, len(d_x), *d_places.shape, d_places, d_words
    ),
    adamw_kernel: lambda weights, gradients, first, second, decays, rates, *betas: adamw(
        gradients, decays, rates, *betas, weights, first, second
    ),
}


class CupyGPT(GPT):
    """The model, with CuPy's kernel wherever it launches one of Numba's."""

    def launch(self, kernel, blocks, threads, *arguments):
        LAUNCHES[kernel](*arguments)  # on CuPy's current stream, in blocks of their own choice


# --8<-- [end:model]
