"""25 Metal kernels of public repositories, with their launches and references of ours.

Chosen for what they use before any of them was tried: templates under names of the host, macros
that make kernels, function constants, SIMD-group functions and matrices, half and bfloat, structs
as arguments, 4-bit weights, atomics, a barrier without memory, no barrier where one is needed,
textures.
"""

import numpy as np

from simulator.foreign.cases import Case, Launch
from simulator.foreign.cuda_kernels import F, N, U, floats, from_bfloat, softmax, to_bfloat

H = np.float16
MLX = ("ml-explore/mlx", "846d176227a0ac13d2667e58d2bb68b322109ab0")
GGML = ("ggml-org/ggml", "d99724f2b141fed9e1a9f402213506c081433465")
CANDLE = ("huggingface/candle", "2a13b0f3ff62f7e67013597f2996f764c5735e21")
BUDA = ("mateuszbuda/GPUExample", "e3a591f62743a09ffcf97ba3ec2f5f1e1fe7886e")
APPLE = ("DevNulPavel/MetalExamples", "1e6028e0f33621f72dd8cf829461fd0d46e0b40c")


def size(*values):
    return np.array(values, np.uint64)


def struct(fields, **values):
    """An argument of a C struct: ``fields`` as ``"i4 ne00 ne01; u8 nb1"``."""
    kinds = []
    for part in fields.split(";"):
        kind, *names = part.split()
        for name in names:
            name, _, count = name.partition(":")
            kinds.append((name, kind, int(count)) if count else (name, kind))
    made = np.zeros(1, np.dtype(kinds, align=True))
    for name, value in values.items():
        made[name] = value
    return made


def raw(array):
    return np.ascontiguousarray(array).view(np.int8)


def as_floats(array):
    return array.view(F)


def rms_bfloat():
    x, w, eps = to_bfloat(floats(3, 200)), to_bfloat(floats(200, seed=1)), 1e-5
    y = from_bfloat(x).astype(np.float64)
    wanted = y / np.sqrt((y**2).mean(1, keepdims=True) + eps) * from_bfloat(w)
    return Launch(3, 64, [x, w, np.zeros_like(x), F(eps), U(200), U(1)], {2: to_bfloat(wanted)},
                  8e-3, read=from_bfloat)  # fmt: skip


def softmax_half():
    x = floats(3, 200).astype(H)
    return Launch(3, 64, [x, np.zeros_like(x), N(200)], {1: softmax(x.astype(F)).astype(H)}, 1e-2)


def scan():
    x = floats(3, 700)
    return Launch((1, 3), 64, [x, np.zeros_like(x), np.uint64(700)],
                  {1: np.cumsum(x.astype(np.float64), 1).astype(F)}, 1e-5)  # fmt: skip


def block_sort():
    x = floats(3, 100)
    return Launch((1, 3), 32, [x, np.zeros((3, 100), U), N(100), N(1), N(1), N(100), N(100)],
                  {1: np.argsort(x, 1).astype(U)})  # fmt: skip


def gemv():
    m, k = 37, 150
    a, v, none = floats(m, k), floats(k, seed=1), np.zeros(1, np.int64)
    return Launch(3, (32, 1, 4),
                  [a, v, np.zeros(m, F), np.zeros(m, F), N(k), N(m), N(k), F(1), F(0), N(1),
                   np.ones(1, N), none, none, none, N(1)],
                  {3: a @ v}, 1e-5)  # fmt: skip


def argmax():
    x = floats(5, 300)
    return Launch((64, 5), (64, 1),
                  [x, np.zeros(5, U), np.array([5], N), np.array([300], np.int64),
                   np.ones(1, np.int64), np.uint64(1), np.int64(1), np.uint64(300)],
                  {1: x.argmax(1).astype(U)}, options={"threads": True})  # fmt: skip


def threefry(key, count):
    """Threefry-2x32 with 20 rounds, as JAX and MLX use it."""
    turns = ((13, 15, 26, 6), (17, 29, 16, 24))
    ks = (key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA)
    low = 0xFFFFFFFF
    x, y = (count[0] + ks[0]) & low, (count[1] + ks[1]) & low
    for i in range(5):
        for r in turns[i % 2]:
            x = (x + y) & low
            y = ((y << r) | (y >> (32 - r))) & low
            y ^= x
        x = (x + ks[(i + 1) % 3]) & low
        y = (y + ks[(i + 2) % 3] + i + 1) & low
    return x, y


def random_bits():
    keys, each = np.random.default_rng(0).integers(0, 2**32, (3, 2), dtype=np.uint64).astype(U), 20
    wanted = np.zeros((3, 5), U)
    for k in range(3):
        for row in range(3):  # words row and row + 3: the last row has one word
            both = threefry((int(keys[k, 0]), int(keys[k, 1])), (row, row + 3 if row < 2 else 0))
            wanted[k, row] = both[0]
            if row < 2:
                wanted[k, row + 3] = both[1]
    return Launch((3, 3), (1, 1),
                  [keys, np.zeros((3, each), np.int8), np.bool_(True), np.uint64(each)],
                  {1: wanted.view(np.int8)}, options={"threads": True})  # fmt: skip


def sdpa():
    heads, queries, keys, d = 2, 3, 40, 64
    q = floats(heads, queries, d)
    k, v = floats(heads, keys, d, seed=1), floats(heads, keys, d, seed=2)
    scores = q @ k.transpose(0, 2, 1) / 8
    scores[..., np.arange(keys) > keys - queries + np.arange(queries)[:, None]] = -np.inf
    constants = {n: np.bool_(n == 22) for n in range(20, 26)}  # 22: causal
    arguments = [q, k, v, np.zeros_like(q), N(1), N(keys), np.uint64(keys * d), np.uint64(d),
                 np.uint64(keys * d), np.uint64(d), F(1 / 8)]  # fmt: skip
    return Launch((heads, queries), 1024, arguments, {3: softmax(scores) @ v}, 1e-5,
                  {"constants": constants})  # fmt: skip


def four_bits():
    m, k, group = 16, 512, 64
    r = np.random.default_rng(0)
    q = r.integers(0, 16, (m, k)).astype(U)
    packed = sum(q[:, i::8] << U(4 * i) for i in range(8)).astype(U)
    scales, biases = floats(m, k // group), floats(m, k // group, seed=1)
    w = q * np.repeat(scales, group, 1) + np.repeat(biases, group, 1)
    x, n = floats(k, seed=2), np.zeros(1, np.int64)
    return Launch((1, 2), (32, 2),
                  [packed, scales, biases, x, np.zeros(m, F), N(k), N(m), N(0), np.zeros(1, N), n,
                   N(0), np.zeros(1, N), n, n, n],
                  {4: (w.astype(np.float64) @ x).astype(F)}, 1e-5)  # fmt: skip


def layer_norm():
    x, w, b, eps = floats(3, 200), floats(200, seed=1), floats(200, seed=2), 1e-5
    y = x.astype(np.float64)
    wanted = (y - y.mean(1, keepdims=True)) / np.sqrt(y.var(1, keepdims=True) + eps) * w + b
    return Launch(3, 32, [x, w, b, np.zeros_like(x), F(eps), U(200), U(1), U(1)],
                  {3: wanted.astype(F)}, 1e-5)  # fmt: skip


def ggml_rms_norm():
    rows, n, eps = 3, 200, 1e-5
    x, w = floats(rows, n), floats(n, seed=1)
    args = struct("i4 ne00 ne00_t; u8 nb1 nb2 nb3; f4 eps; i4 nef1:3 nef2:3 nef3:3;"
                  "u8 nbf1:3 nbf2:3 nbf3:3", ne00=n, ne00_t=n // 4, nb1=n * 4, eps=eps,
                  nef1=[[rows, 1, 1]], nef2=1, nef3=1, nbf1=[[n * 4, n * 4, n * 4]])  # fmt: skip
    y = x.astype(np.float64)
    wanted = (y / np.sqrt((y**2).mean(1, keepdims=True) + eps) * w).astype(F)
    return Launch(rows, 64, [args, raw(x), raw(w), raw(w), raw(np.zeros_like(x))], {4: raw(wanted)},
                  1e-5, {"threadgroup_memory": {0: 128}}, as_floats)  # fmt: skip


def ggml_softmax():
    rows, n, scale, sink = 5, 130, 0.5, F(0.75)
    x, mask = floats(rows, n), floats(rows, n, seed=1).astype(H)
    args = struct("i4 ne00 ne01 ne02; u8 nb01 nb02 nb03; i4 ne11 ne12 ne13; u8 nb11 nb12 nb13;"
                  "u8 nb1 nb2 nb3; f4 scale max_bias m0 m1; i4 n_head_log2", ne00=n, ne01=rows,
                  ne02=1, nb01=n * 4, ne11=rows, ne12=1, ne13=1, nb11=n * 2, nb1=n * 4,
                  scale=scale)  # fmt: skip
    scores = x * F(scale) + mask.astype(F)
    wide = np.concatenate([scores, np.full((rows, 1), sink)], 1)  # the sink takes its share
    wanted = softmax(wide)[:, :n].copy()
    return Launch(rows, 64,
                  [args, raw(x), raw(mask), raw(np.array([sink])), raw(np.zeros_like(x))],
                  {4: raw(wanted)}, 1e-5, {"threadgroup_memory": {0: 128}}, as_floats)  # fmt: skip


def ggml_rope():
    heads, tokens, d, base = 3, 5, 32, 10000.0
    x, pos = floats(tokens, heads, d), np.array([0, 3, 7, 11, 40], N)
    row = {f"nb{p}{i}": 4 * s for p in ("0", "") for i, s in enumerate((1, d, d * heads))}
    args = struct("i4 ne00 ne01 ne02 ne03; u8 nb00 nb01 nb02 nb03; i4 ne0 ne1 ne2 ne3;"
                  "u8 nb0 nb1 nb2 nb3; i4 n_past n_dims n_offs n_ctx_orig; f4 freq_base freq_scale"
                  " ext_factor attn_factor beta_fast beta_slow; i4 sect_0 sect_1 sect_2 sect_3;"
                  "? src2 inplace", ne00=d, ne01=heads, ne02=tokens, ne0=d, ne1=heads, ne2=tokens,
                  n_dims=d, n_ctx_orig=4096, freq_base=base, freq_scale=1, attn_factor=1,
                  beta_fast=32, beta_slow=1, **row)  # fmt: skip
    angle = pos[:, None] * base ** (-2.0 * np.arange(d // 2) / d)
    c, s = np.cos(angle)[:, None], np.sin(angle)[:, None]
    a, b = x[..., : d // 2], x[..., d // 2 :]
    wanted = np.concatenate([a * c - b * s, a * s + b * c], -1).astype(F)
    return Launch((heads, tokens), 16, [args, raw(x), raw(pos), raw(pos), raw(np.zeros_like(x))],
                  {4: raw(wanted)}, 1e-5,
                  {"constants": {801: np.bool_(False)}},
                  as_floats)  # fmt: skip


def ggml_argsort():
    rows, n = 4, 100
    x = floats(rows, n)
    args = struct("i4 ne00 ne01 ne02 ne03; u8 nb00 nb01 nb02 nb03; i4 ne0 ne1 ne2 ne3 top_k",
                  ne00=n, ne01=rows, ne02=1, ne03=1, nb00=4, nb01=n * 4, ne0=n, ne1=rows, ne2=1,
                  ne3=1, top_k=n)  # fmt: skip
    return Launch(rows, 128, [args, raw(x), np.zeros((rows, n), N)],
                  {2: np.argsort(-x, 1).astype(N)},
                  options={"threadgroup_memory": {0: 128 * 4}})  # fmt: skip


def ggml_four_bits():
    m, k = 16, 512
    r = np.random.default_rng(0)
    q, d = r.integers(0, 16, (m, k // 32, 32)).astype(np.uint8), floats(m, k // 32).astype(H)
    blocks = np.zeros((m, k // 32), np.dtype([("d", H), ("qs", "u1", 16)]))
    blocks["d"], blocks["qs"] = d, q[..., :16] | q[..., 16:] << 4
    w = ((q.astype(F) - 8) * d[..., None].astype(F)).reshape(m, k)
    x = floats(k, seed=1)
    args = struct("i4 ne00 ne01 ne02; u8 nb00 nb01 nb02 nb03; i4 ne10 ne11 ne12;"
                  "u8 nb10 nb11 nb12 nb13; i4 ne0 ne1 nr0; i2 r2 r3", ne00=k, ne01=m, ne02=1,
                  nb00=18, nb01=18 * k // 32, ne10=k, ne11=1, ne12=1, nb10=4, nb11=4 * k, ne0=m,
                  ne1=1, nr0=4, r2=1, r3=1)  # fmt: skip
    constants = {600: np.int16(2), 602: np.int16(1), 603: np.int16(1), 604: np.int16(1)}
    return Launch((2, 1), (32, 2), [args, raw(blocks), raw(x), raw(np.zeros(m, F))],
                  {3: raw((w @ x).astype(F))}, 1e-5,
                  {"constants": constants, "threadgroup_memory": {0: 256}}, as_floats)  # fmt: skip


def ggml_matrix_product():
    m, n, k = 72, 33, 64  # of rows of four floats, which it stores at once
    a, b = floats(m, k).astype(H), floats(n, k, seed=1)
    args = struct("i4 ne00 ne02; u8 nb01 nb02 nb03; i4 ne12; u8 nb10 nb11 nb12 nb13; i4 ne0 ne1;"
                  "i2 r2 r3", ne00=k, ne02=1, nb01=2 * k, ne12=1, nb10=4, nb11=4 * k, ne0=m, ne1=n,
                  r2=1, r3=1)  # fmt: skip
    constants = {
        700: np.bool_(False),
        701: np.bool_(True),
        **{i: np.int16(1) for i in (702, 704, 705)},
    }
    wanted = b.astype(H).astype(F) @ a.astype(F).T
    return Launch((2, 2), 128, [args, raw(a), raw(b), raw(np.zeros((n, m), F))], {3: raw(wanted)},
                  2e-3, {"constants": constants, "threadgroup_memory": {0: 8192}},
                  as_floats)  # fmt: skip


def ggml_cumsum():
    rows, n = 3, 100
    x = floats(rows, n)
    names = [f"{p}{i}" for p in ("ne0", "nb0", "net", "nbt") for i in range(4)]
    fields = ";".join(f"{'i8' if name[:2] == 'ne' else 'u8'} {name}" for name in names)
    args = struct(f"{fields};? outb", ne00=n, ne01=rows, ne02=1, ne03=1, nb00=4, nb01=4 * n)
    return Launch(rows, 128, [args, raw(x), raw(np.zeros(rows, F)), raw(np.zeros_like(x))],
                  {3: raw(np.cumsum(x.astype(np.float64), 1).astype(F))}, 1e-5,
                  {"threadgroup_memory": {0: 128}}, as_floats)  # fmt: skip


def candle_softmax():
    x = floats(3, 200)
    return Launch(3, 64, [U(x.size), U(200), x, np.zeros_like(x)], {3: softmax(x)}, 1e-5)


def candle_gelu():
    x = to_bfloat(floats(300))
    y = from_bfloat(x).astype(np.float64)
    wanted = 0.5 * y * (1 + np.tanh(np.sqrt(2 / np.pi) * (y + 0.044715 * y**3)))
    return Launch(75, 32, [np.uint64(300), x, np.zeros_like(x)], {2: to_bfloat(wanted)}, 1e-2,
                  {"threads": True}, from_bfloat)  # fmt: skip


def candle_where():
    rows, columns = 6, 40
    which = (np.random.default_rng(0).random((rows, columns)) < 0.5).astype(np.uint8)
    t, f = floats(rows, columns), floats(columns, seed=1)  # f is spread over the rows
    dims, plain = size(rows, columns), size(columns, 1)
    constants = {0: np.bool_(True), 1: np.bool_(True), 2: np.bool_(False)}
    return Launch(120, 32,
                  [np.uint64(which.size), np.uint64(2), dims, plain, plain, size(0, 1), which, t, f,
                   np.zeros_like(t)],
                  {9: np.where(which, t, f)},
                  options={"threads": True, "constants": constants})  # fmt: skip


def candle_im2col():
    b, c, h, w, k, stride, padding = 2, 3, 7, 6, 3, 2, 1
    x = floats(b, c, h, w)
    wide = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    oh, ow = (h + 2 * padding - k) // stride + 1, (w + 2 * padding - k) // stride + 1
    wanted = np.zeros((b, oh, ow, c, k, k), F)
    for i in range(oh):
        for j in range(ow):
            wanted[:, i, j] = wide[:, :, i * stride : i * stride + k, j * stride : j * stride + k]
    sizes = [np.uint64(v) for v in (wanted.size, oh, ow, k, k, stride, padding, 1)]
    return Launch(wanted.size, 64,
                  [*sizes, size(b, c, h, w), size(c * h * w, h * w, w, 1), x,
                   np.zeros_like(wanted)],
                  {11: wanted}, options={"threads": True})  # fmt: skip


def reduce_atomic():
    x = np.random.default_rng(0).integers(-50, 50, 1024).astype(N)
    return Launch(4, 256, [x, np.zeros(1, N)], {1: np.array([x.sum()], N)})


def n_body():
    n, dt, damping, soft = 64, F(0.01), F(0.9), F(0.1)
    pos, vel = np.abs(floats(n, 4)), floats(n, 4, seed=1)
    args = struct("f4 timestep damping softeningSqr; u4 particles", timestep=dt, damping=damping,
                  softeningSqr=soft, particles=n)  # fmt: skip
    r = pos[None, :, :3] - pos[:, None, :3]
    acc = (r * (pos[None, :, 3] * ((r**2).sum(-1) + soft) ** F(-1.5))[..., None]).sum(1)
    new_vel, new_pos = vel.copy(), pos.copy()
    new_vel[:, :3] += acc * dt
    new_vel[:, :3] += new_vel[:, :3] * damping * dt
    new_pos[:, :3] += new_vel[:, :3] * dt
    return Launch(2, 32, [np.zeros_like(pos), np.zeros_like(vel), pos, vel, args],
                  {0: new_pos, 1: new_vel}, 1e-4, {"threadgroup_memory": {0: 32 * 16}})  # fmt: skip


def blur():
    x, weights = np.abs(floats(9, 12, 4)).astype(H), (0.06136, 0.24477, 0.38774, 0.24477, 0.06136)
    out, wanted = np.zeros_like(x), np.zeros(x.shape, F)
    wide = np.concatenate([x, np.zeros((9, 1, 4), H)], 1)  # what lies outside reads as zero
    for i, weight in enumerate(weights):
        # A place left of the picture is a large number in uint: it becomes the one behind the last.
        at = np.arange(12) + i - 2
        wanted += wide[:, np.where(at < 0, 12, np.minimum(at, 12))].astype(F) * F(weight)
    wanted[..., 3] = 1
    made = Launch((12, 9), (4, 4), [U(0), U(0)], {2: wanted.astype(H)}, 4e-3,
                  {"threads": True, "textures": {0: x, 1: out}})  # fmt: skip
    return made


def tessellation():
    kind = np.dtype([("edge", H, 3), ("inside", H)])
    wanted = np.zeros(10, kind)
    wanted["edge"], wanted["inside"] = 3, 5
    return Launch(10, 32, [F(3), F(5), np.zeros(10, kind)], {2: wanted}, options={"threads": True})


KERNELS = "mlx/backend/metal/kernels"
GGML_FILE = "src/ggml-metal/ggml-metal.metal"
CANDLE_FOLDER = "candle-metal-kernels/src/metal_src"


def mlx(file, kernel, launch):
    return Case(*MLX, f"{KERNELS}/{file}", kernel, launch, include=(".",))


def ggml(kernel, launch, **more):
    return Case(*GGML, GGML_FILE, kernel, launch, include=("src",), **more)


CASES = [
    mlx("rms_norm.metal", "rmsbfloat16", rms_bfloat),
    mlx("softmax.metal", "block_softmax_float16", softmax_half),
    mlx("scan.metal", "contig_scan_inclusive_sum_float32_float32", scan),
    mlx("sort.metal", "carg_block_sort_float32_uint32_bn32_tn4", block_sort),
    mlx("gemv.metal", "gemv_float32_bm4_bn1_sm1_sn32_tm4_tn4_nc0_axpby0", gemv),
    mlx("arg_reduce.metal", "argmax_float32", argmax),
    mlx("random.metal", "rbitsc", random_bits),
    mlx("scaled_dot_product_attention.metal", "sdpa_vector_float_64_64", sdpa),
    mlx("quantized.metal", "affine_qmv_float_gs_64_b_4_batch_0", four_bits),
    mlx("layer_norm.metal", "layer_normfloat32", layer_norm),
    ggml("kernel_rms_norm_mul_f32_4", ggml_rms_norm),
    ggml("kernel_soft_max_f16", ggml_softmax,
         race=("a barrier with mem_none orders no memory", "ggml-metal.metal:2090",
               "ggml-metal.metal:2070")),
    ggml("kernel_rope_neox_f32", ggml_rope),
    ggml("kernel_argsort_f32_i32_desc", ggml_argsort),
    ggml("kernel_mul_mv_q4_0_f32", ggml_four_bits),
    ggml("kernel_mul_mm_f16_f32", ggml_matrix_product),
    ggml("kernel_cumsum_blk_f32", ggml_cumsum),
    Case(*CANDLE, f"{CANDLE_FOLDER}/reduce.metal", "softmax_f32", candle_softmax,
         race=("a barrier with mem_none orders no memory", "reduce.metal:838", "reduce.metal:885")),
    Case(*CANDLE, f"{CANDLE_FOLDER}/unary.metal", "gelu_bf16", candle_gelu),
    Case(*CANDLE, f"{CANDLE_FOLDER}/ternary.metal", "where_u8_f32", candle_where),
    Case(*CANDLE, f"{CANDLE_FOLDER}/conv.metal", "im2col_f32", candle_im2col),
    Case(*BUDA, "GPUExample/kernel.metal", "reduce1", reduce_atomic),
    Case(*APPLE, "iOS/MetalN-BodySimulation/Sources/N-body/MetalNBody.metal",
         "NBodyIntegrateSystem", n_body,
         race=("the loop fills threadgroup memory anew with no barrier", "MetalNBody.metal:122",
               "MetalNBody.metal:125")),
    Case(*APPLE, "OSX/MetalHeapsAndFences/Common/APPLFilter.metal", "gaussianblurHorizontal", blur),
    Case(*APPLE, "OSX/MetalBasicTessellation/Common/TessellationFunctions.metal",
         "tessellation_kernel_triangle", tessellation),
]  # fmt: skip
