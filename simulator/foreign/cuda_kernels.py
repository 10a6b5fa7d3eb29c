"""25 CUDA C++ kernels of public repositories, with their launches and references of ours.

Chosen for what they use before any of them was tried: cooperative groups, dynamic shared memory,
shuffles with partial masks, templates, constant memory, atomics, bfloat16 and half, wide loads,
structs as arguments, a grid that waits for itself.
"""

import numpy as np

from simulator.foreign.cases import Case, Launch

F, N, U = np.float32, np.int32, np.uint32

SAMPLES = ("NVIDIA/cuda-samples", "c94ff366aed18c797b8a85dfaac7817b0228b420")
LLMC = ("karpathy/llm.c", "f1e2ace651495b74ae22d45d1723443fd00ecd3a")
GGML = ("ggml-org/ggml", "d99724f2b141fed9e1a9f402213506c081433465")
SGEMM = ("siboehm/SGEMM_CUDA", "60cba6f9b20a198116c76f18de8047f44df8c8b8")
LEET = ("lzyrapx/LeetGPU", "6f17c2ab85ab933e6e2faf038b6188ebf052843a")


def floats(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape, dtype=F)


def to_bfloat(values):
    """The 16 bits of bfloat16, rounded to the nearest."""
    bits = np.ascontiguousarray(values, F).view(U)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bfloat(bits):
    return (np.asarray(bits).astype(U) << 16).view(F)


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(-1, keepdims=True))
    return (e / e.sum(-1, keepdims=True)).astype(F)


def matrix_mul():
    a, b = floats(32, 48), floats(48, 64, seed=1)
    return Launch((4, 2), (16, 16), [np.zeros((32, 64), F), a, b, N(48), N(64)], {0: a @ b}, 1e-5)


def reduce6():
    x, blocks, threads = floats(1000), 3, 128
    own = np.arange(x.size) // threads % blocks
    wanted = np.array([x[own == b].sum() for b in range(blocks)], F)
    return Launch(blocks, threads, [x, np.zeros(blocks, F), U(x.size)], {1: wanted}, 1e-5,
                  {"shared": threads * 4})  # fmt: skip


def scan_exclusive():
    x = np.random.default_rng(0).integers(0, 100, (2, 1024)).astype(U)
    wanted = (np.cumsum(x, 1) - x).astype(U)
    return Launch(2, 256, [np.zeros_like(x), x, U(1024)], {0: wanted})


def histogram256():
    data = np.random.default_rng(0).integers(0, 2**32, 3000, dtype=np.uint64).astype(U)
    blocks, threads = 4, 192
    own = np.arange(data.size) // threads % blocks
    wanted = np.stack([np.bincount(data[own == b].view(np.uint8), minlength=256)
                       for b in range(blocks)])  # fmt: skip
    return Launch(blocks, threads, [np.zeros((blocks, 256), U), data, U(data.size)],
                  {0: wanted.astype(U)})  # fmt: skip


def transpose():
    x = floats(96, 64)
    return Launch((2, 3), (32, 16), [np.zeros((64, 96), F), x, N(64), N(96)], {0: x.T.copy()})


def bitonic():
    r = np.random.default_rng(0)
    keys = np.stack([r.permutation(1024) for _ in range(2)]).astype(U)
    values = r.integers(0, 1 << 30, keys.shape).astype(U)
    order = np.argsort(keys, 1)
    return Launch(2, 512, [np.zeros_like(keys), np.zeros_like(keys), keys, values, U(1024), U(1)],
                  {0: np.sort(keys, 1), 1: np.take_along_axis(values, order, 1)})  # fmt: skip


def convolution_rows():
    x, k, radius = floats(8, 256), floats(17, seed=1), 8
    wide = np.pad(x, ((0, 0), (radius, radius)))
    wanted = sum(k[radius - j] * wide[:, radius + j : radius + j + 256]
                 for j in range(-radius, radius + 1))  # fmt: skip
    return Launch((2, 2), (16, 4), [np.zeros_like(x), x, N(256), N(8), N(256)], {0: wanted}, 1e-5,
                  {"symbols": {"c_Kernel": k}})  # fmt: skip


def walsh():
    x = floats(3, 512)
    wanted = x.astype(np.float64)
    h = 1
    while h < 512:
        v = wanted.reshape(3, -1, 2, h)
        wanted = np.stack([v[:, :, 0] + v[:, :, 1], v[:, :, 0] - v[:, :, 1]], 2).reshape(3, 512)
        h *= 2
    return Launch(3, 128, [np.zeros_like(x), x, N(9)], {0: wanted.astype(F)}, 1e-5,
                  {"shared": 512 * 4})  # fmt: skip


def shuffle_scan():
    x = np.random.default_rng(0).integers(0, 50, (2, 256)).astype(N)
    wanted = np.cumsum(x, 1).astype(N)
    return Launch(2, 256, [x.copy(), N(32), np.zeros(2, N)], {0: wanted, 2: wanted[:, -1].copy()},
                  options={"shared": 8 * 4})  # fmt: skip


def black_scholes():
    from math import erf

    r, n = np.random.default_rng(0), 500
    s, x, t = (r.uniform(low, high, n).astype(F) for low, high in ((5, 30), (1, 100), (0.25, 10)))
    rate, v = 0.02, 0.3
    s8, x8, t8 = (a.astype(np.float64) for a in (s, x, t))
    d1 = (np.log(s8 / x8) + (rate + v * v / 2) * t8) / (v * np.sqrt(t8))
    normal = np.vectorize(lambda d: (1 + erf(d / 2**0.5)) / 2)
    n1, n2, down = normal(d1), normal(d1 - v * np.sqrt(t8)), np.exp(-rate * t8)
    call, put = s8 * n1 - x8 * down * n2, x8 * down * (1 - n2) - s8 * (1 - n1)
    out = [np.zeros(n, F), np.zeros(n, F)]
    return Launch(2, 128, [*out, s, x, t, F(rate), F(v), N(n)],
                  {0: call.astype(F), 1: put.astype(F)}, 1e-4)  # fmt: skip


def reduce_whole_grid():
    x, blocks, threads = floats(1000), 4, 32
    own = np.arange(x.size) // threads % blocks
    parts = np.array([x[own == b].sum(dtype=np.float64) for b in range(blocks)], F)
    wanted = parts.copy()
    wanted[0] = parts.sum()
    return Launch(blocks, threads, [x, np.zeros(blocks, F), U(x.size)], {1: wanted}, 1e-5,
                  {"shared": threads * 8})  # fmt: skip


def online_softmax():
    x = floats(6, 200)
    return Launch(2, 128, [np.zeros_like(x), x, N(6), N(200)], {0: softmax(x)}, 1e-5)


def layer_norm():
    x, w, b = floats(6, 200), floats(200, seed=1), floats(200, seed=2)
    mean, var = x.mean(1), x.astype(np.float64).var(1)
    s = 1 / np.sqrt(var + 1e-5)
    wanted = (x - mean[:, None]) * s[:, None] * w + b
    return Launch(6, 128, [np.zeros_like(x), np.zeros(6, F), np.zeros(6, F), x, w, b, N(6), N(200)],
                  {0: wanted.astype(F), 1: mean, 2: s.astype(F)}, 1e-4)  # fmt: skip


def flash_attention():
    n, d, size = 64, 16, 32
    q, k, v = (floats(2, 3, n, d, seed=i) for i in range(3))
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(d)
    scores[..., ~np.tri(n, dtype=bool)] = -np.inf
    low, high = np.zeros((2, 3, n), F), np.full((2, 3, n), -np.inf, F)
    return Launch((2, 3), size,
                  [q, k, v, N(n), N(d), N(2), N(2), N(size), N(size), F(1 / np.sqrt(d)), low, high,
                   np.zeros_like(q)],
                  {12: softmax(scores) @ v}, 1e-5,
                  {"shared": (3 * size * d + size * size) * 4})  # fmt: skip


def noise(x, y, seed):
    """The random numbers by which llm.c rounds: SquirrelNoise5 of two coordinates."""
    with np.errstate(over="ignore"):
        m = (x.astype(U) + U(198491317) * U(y)) * U(0xD2A80A3F) + U(seed)
        m ^= m >> U(9)
        m = (m + U(0xA884F197)) ^ ((m + U(0xA884F197)) >> U(11))
        m *= U(0x6C736F4B)
        m ^= m >> U(13)
        m += U(0xB79F3ABB)
        m ^= m >> U(15)
        m *= U(0x1B56C4F5)
        return m ^ (m >> U(17))


def adamw():
    n, threads, seed = 300, 128, 1234
    p, g = to_bfloat(floats(n)), to_bfloat(floats(n, seed=1))
    master, m, v = from_bfloat(p).copy(), floats(n, seed=2) * F(0.1), floats(n, seed=3) ** 2
    lr, b1, b2, c1, c2 = map(F, (1e-2, 0.9, 0.95, 0.1, 0.05))
    eps, decay, scale = map(F, (1e-8, 0.1, 0.5))
    grad = scale * from_bfloat(g)
    m2, v2 = grad + b1 * (m - grad), grad**2 + b2 * (v - grad**2)
    new = master - lr * (m2 / c1 / (np.sqrt(v2 / c2) + eps) + decay * master)
    return Launch(3, threads,
                  [p.copy(), master.copy(), g, m.copy(), v.copy(), np.uint64(n), np.int64(0),
                   np.int64(0), np.int64(0), lr, b1, b2, c1, c2, eps, decay, scale, U(seed)],
                  {1: new, 3: m2, 4: v2}, 1e-5)  # fmt: skip


def encoder():
    b, t, c, vocabulary = 2, 8, 64, 20
    tokens = np.random.default_rng(0).integers(0, vocabulary, (b, t)).astype(N)
    wte, wpe = to_bfloat(floats(vocabulary, c)), to_bfloat(floats(t, c, seed=1))
    wanted = to_bfloat(from_bfloat(wte)[tokens] + from_bfloat(wpe)[None])
    return Launch(2, 64, [np.zeros((b, t, c), np.uint16), tokens, wte, wpe, N(b), N(t), N(c)],
                  {0: wanted})  # fmt: skip


def fused_classifier():
    rows, vocabulary, padded, scale = 4, 1003, 1008, 0.25
    logits = to_bfloat(floats(rows, padded))
    targets = np.random.default_rng(0).integers(0, vocabulary, rows).astype(N)
    p = softmax(from_bfloat(logits)[:, :vocabulary])
    wanted = from_bfloat(logits).copy()
    grad = p.copy()
    grad[np.arange(rows), targets] -= 1
    wanted[:, :vocabulary] = grad * F(scale)
    # What lies behind the vocabulary is not touched: left out of the comparison of gradients.
    return Launch(rows, 64,  # of fewer than V / 8: with more, its first loop never ends
                  [logits.copy(), np.zeros(rows, F), None, F(scale), targets, N(2), N(2),
                   N(vocabulary), N(padded), np.zeros((), np.dtype("V1"))[()]],
                  {0: to_bfloat(wanted), 1: -np.log(p[np.arange(rows), targets])}, 5e-3,
                  read=lambda a: a if a.dtype == F else from_bfloat(a)[:, :vocabulary])  # fmt: skip


def gelu():
    x = to_bfloat(floats(1024))
    y = from_bfloat(x).astype(np.float64)
    wanted = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
    return Launch(1, 128, [np.zeros_like(x), x, N(1024)], {0: to_bfloat(wanted)}, 4e-3,
                  read=from_bfloat)  # fmt: skip


def fastdiv(d):
    """What ggml divides by d with: a factor, a shift, and d."""
    length = max(int(d - 1).bit_length(), 0)
    return np.array([(2**32 * (2**length - d)) // d + 1, length, d], U)


def ggml_rms_norm():
    x, w, eps = floats(6, 300), floats(300, seed=1), 1e-5
    y = x.astype(np.float64)
    wanted = y / np.sqrt((y**2).mean(1, keepdims=True) + eps) * w
    one, many, none = fastdiv(1), fastdiv(300), np.zeros(3, U)
    stride, zero = np.int64(300), np.int64(0)
    arguments = [x, np.zeros_like(x), N(300), stride, zero, zero, F(eps),
                 w, zero, zero, zero, many, one, one, one,
                 None, zero, zero, zero, none, none, none, none]  # fmt: skip
    return Launch(6, 256, arguments, {1: wanted.astype(F)}, 1e-5, {"shared": 32 * 4})


def ggml_softmax():
    rows, columns, scale = 5, 130, 0.5
    x, mask = floats(rows, columns), floats(rows, columns, seed=1)
    kind = np.dtype(
        [(n, t) for n, t in (
            ("nheads", "i8"), ("n_head_log2", "u4"), ("ncols", "i8"), ("nrows_x", "i8"),
            ("nrows_y", "i8"), ("ne00", "i8"), ("ne01", "i8"), ("ne02", "i8"), ("ne03", "i8"),
            ("nb11", "i8"), ("nb12", "i8"), ("nb13", "i8"), ("ne12", "i8"), ("ne13", "i8"),
            ("scale", "f4"), ("max_bias", "f4"), ("m0", "f4"), ("m1", "f4"))], align=True
    )  # fmt: skip
    p = np.zeros((), kind)
    p["nheads"] = p["n_head_log2"] = p["ne02"] = p["ne03"] = p["ne12"] = p["ne13"] = 1
    p["ncols"] = p["ne00"] = columns
    p["nrows_x"] = p["nrows_y"] = p["ne01"] = rows
    p["nb11"], p["scale"] = columns * 4, scale
    return Launch(rows, 64, [x, mask, None, np.zeros_like(x), p[()]],
                  {3: softmax(x * F(scale) + mask)}, 1e-5,
                  {"shared": (32 + columns + 30) * 4})  # fmt: skip


def ggml_rope():
    heads, tokens, d, base = 3, 5, 32, 10000.0
    x, pos = floats(tokens, heads, d), np.array([0, 3, 7, 11, 40], N)
    angle = pos[:, None] * base ** (-2.0 * np.arange(d // 2) / d)
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    a, b = x[..., : d // 2], x[..., d // 2 :]
    wanted = np.concatenate([a * c - b * s, a * s + b * c], -1).astype(F)
    dims = np.zeros((), np.dtype([("v", "f4", 2)]))[()]
    sizes = [N(d), N(heads), N(tokens), N(d), N(d * heads), N(d * heads * tokens)]
    return Launch((heads * tokens, 1), (1, 256),
                  [x, np.zeros_like(x), *sizes, *sizes[3:], N(d), N(0), pos, F(1), F(0), F(1), dims,
                   F(base ** (-2.0 / d)), None, None, N(0), np.bool_(False)],
                  {1: wanted}, 1e-5)  # fmt: skip


def ggml_argsort():
    x = floats(4, 100)
    return Launch(4, 128, [x, np.zeros((4, 100), N), N(100), N(128)],
                  {1: np.argsort(x, 1).astype(N)}, options={"shared": 128 * 4})  # fmt: skip


def warptiling():
    a, b, c = floats(64, 32), floats(32, 128, seed=1), floats(64, 128, seed=2)
    wanted = 0.5 * (a @ b) + 2 * c
    return Launch((2, 1), 128, [N(64), N(128), N(32), F(0.5), a, b, F(2), c.copy()], {7: wanted},
                  1e-5)  # fmt: skip


def butterfly():
    n, step = 256, 16
    x = floats(n, 2).view(np.complex64)[:, 0]
    v = x.reshape(-1, 2, step)
    w = np.exp(-2j * np.pi * np.arange(step) / (2 * step))
    wanted = np.stack([v[:, 0] + w * v[:, 1], v[:, 0] - w * v[:, 1]], 1).reshape(n)
    return Launch(1, 128, [x.view(F).copy(), np.zeros(2 * n, F), N(step), N(2 * step), N(n),
                           np.bool_(False)],
                  {1: wanted.astype(np.complex64).view(F)}, 1e-5)  # fmt: skip


def k_means():
    n, k = 300, 5
    x, y = floats(n), floats(n, seed=1)
    cx, cy = floats(k, seed=2), floats(k, seed=3)
    label = np.argmin((x[:, None] - cx) ** 2 + (y[:, None] - cy) ** 2, 1).astype(N)
    sums = [np.bincount(label, v, k).astype(F) for v in (x, y)]
    counts = np.bincount(label, minlength=k).astype(N)
    return Launch(3, 128,
                  [x, y, np.zeros(n, N), cx, cy, np.zeros(k, F), np.zeros(k, F), np.zeros(k, N),
                   N(n), N(k)],
                  {2: label, 5: sums[0], 6: sums[1], 7: counts}, 1e-5)  # fmt: skip


IDEAS = "Samples/2_Concepts_and_Techniques"
GGML_OPTIONS = {"include": ("src/ggml-cuda", "src", "include"), "defines": {}}
CASES = [
    Case(*SAMPLES, "Samples/0_Introduction/matrixMul/matrixMul.cu", "MatrixMulCUDA<16>",
         matrix_mul),
    Case(*SAMPLES, f"{IDEAS}/reduction/reduction_kernel.cu", "reduce6<float, 128, false>", reduce6),
    Case(*SAMPLES, f"{IDEAS}/scan/scan.cu", "scanExclusiveShared", scan_exclusive),
    Case(*SAMPLES, f"{IDEAS}/histogram/histogram256.cu", "histogram256Kernel", histogram256),
    Case(*SAMPLES, "Samples/6_Performance/transpose/transpose.cu", "transposeNoBankConflicts",
         transpose),
    Case(*SAMPLES, f"{IDEAS}/sortingNetworks/bitonicSort.cu", "bitonicSortShared", bitonic),
    Case(*SAMPLES, f"{IDEAS}/convolutionSeparable/convolutionSeparable.cu",
         "convolutionRowsKernel", convolution_rows),
    Case(*SAMPLES, "Samples/5_Domain_Specific/fastWalshTransform/fastWalshTransform_kernel.cuh",
         "fwtBatch1Kernel", walsh),
    Case(*SAMPLES, f"{IDEAS}/shfl_scan/shfl_scan.cu", "shfl_scan_test", shuffle_scan),
    Case(*SAMPLES, "Samples/5_Domain_Specific/BlackScholes/BlackScholes_kernel.cuh",
         "BlackScholesGPU", black_scholes),
    Case(*SAMPLES, f"{IDEAS}/reductionMultiBlockCG/reductionMultiBlockCG.cu",
         "reduceSinglePassMultiBlockCG", reduce_whole_grid),
    Case(*LLMC, "dev/cuda/softmax_forward.cu", "softmax_forward_online_kernel8", online_softmax),
    Case(*LLMC, "dev/cuda/layernorm_forward.cu", "layernorm_forward_kernel5", layer_norm),
    Case(*LLMC, "dev/cuda/attention_forward.cu", "attention_forward_kernel2", flash_attention),
    Case(*LLMC, "llmc/adamw.cuh", "adamw_kernel3<__nv_bfloat16, __nv_bfloat16>", adamw),
    Case(*LLMC, "llmc/encoder.cuh", "encoder_forward_kernel3", encoder),
    Case(*LLMC, "llmc/fused_classifier.cuh", "fused_classifier_kernel5<true, false>",
         fused_classifier,
         race=("its last loop counts up by one, not by blockDim.x: threads overwrite what others "
               "have still to read", "fused_classifier.cuh:123", "fused_classifier.cuh:127")),
    Case(*LLMC, "dev/cuda/gelu_forward.cu", "gelu_forward_kernel2", gelu),
    Case(*GGML, "src/ggml-cuda/norm.cu", "rms_norm_f32<256, true, false>", ggml_rms_norm,
         **GGML_OPTIONS),
    Case(*GGML, "src/ggml-cuda/softmax.cu", "soft_max_f32<true, 0, 0, float>", ggml_softmax,
         **GGML_OPTIONS),
    Case(*GGML, "src/ggml-cuda/rope.cu", "rope_neox<true, false, float, float>", ggml_rope,
         **GGML_OPTIONS),
    Case(*GGML, "src/ggml-cuda/argsort.cu", "k_argsort_f32_i32<GGML_SORT_ORDER_ASC>", ggml_argsort,
         **GGML_OPTIONS),
    Case(*SGEMM, "src/kernels/10_kernel_warptiling.cuh",
         "sgemmWarptiling<64, 64, 16, 32, 32, 1, 4, 4, 128>", warptiling),
    Case(*LEET, "cuda/Fast Fourier Transform/Fast Fourier Transform.cu", "kernel_butterfly",
         butterfly),
    Case(*LEET, "cuda/K-Means Clustering/K-Means Clustering (naive).cu", "assign_clusters",
         k_means),
]  # fmt: skip
