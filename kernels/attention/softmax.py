"""The softmax of FlashAttention on a wgmma accumulator, as PTX that Python writes."""

from kernels.tensor_cores.ptx import ptx


# --8<-- [start:registers]
def row(i):
    """Return which of a thread's two rows register i of an accumulator is in: r or r + 8."""
    return i // 2 % 2


def for_each(count, line):
    """Return the PTX that ``line(i)`` gives for each register."""
    return " ".join(line(i) for i in range(count))


def fold(operation):
    """Return PTX that folds the 64 scores of a thread into x0 (row r) and x2 (row r + 8).

    Two chains a row: an operation need not wait for the one before it.
    """
    chains = [[i for i in range(64) if row(i) == r and i // 4 % 2 == h] for r, h in SPLIT]
    text = " ".join(f"mov.f32 x{c}, %1[{chain[0]}];" for c, chain in enumerate(chains))
    for n in range(1, 16):
        text += " ".join(f"{operation} x{c}, x{c}, %1[{chains[c][n]}];" for c in range(4))
    return text + f"{operation} x0, x0, x1; {operation} x2, x2, x3; "


def across_quad(operation, register):
    """Return PTX that folds a register over the four threads that share a row."""
    return " ".join(
        f"shfl.sync.bfly.b32 x1, {register}, {lanes}, 31, 0xffffffff;"
        f" {operation} {register}, {register}, x1;"
        for lanes in (1, 2)
    )


SPLIT = [(0, 0), (0, 1), (1, 0), (1, 1)]
# --8<-- [end:registers]

# --8<-- [start:softmax]
LOW = "0ff149f2ca"  # -1e30: a maximum to start from. With -inf, -inf - -inf would be NaN.

lowest = ptx(f"mov.f32 %0[0], {LOW}; mov.f32 %0[1], {LOW};", "=f2")
no_sums = ptx("mov.f32 %0[0], 0f00000000; mov.f32 %0[1], 0f00000000;", "=f2")
zeros_64 = ptx(for_each(64, lambda i: f"mov.f32 %0[{i}], 0f00000000;"), "=f64")
zeros_32 = ptx(for_each(32, lambda i: f"mov.f32 %0[{i}], 0f00000000;"), "=f32")

# row_maxima(scores, old maximum, scale): of each row, scaled
row_maxima = ptx(
    "{ .reg .f32 x<4>; "
    + fold("max.f32")
    + across_quad("max.f32", "x0")
    + across_quad("max.f32", "x2")
    + "mul.f32 x0, x0, %3; max.f32 %0[0], x0, %2[0];"
    + " mul.f32 x2, x2, %3; max.f32 %0[1], x2, %2[1]; }",
    "=f2 f64 f2 f",
)
# correction(old maximum, new maximum): what the old sums have to be multiplied by
correction = ptx(
    " ".join(
        f"sub.f32 %0[{r}], %1[{r}], %2[{r}]; ex2.approx.ftz.f32 %0[{r}], %0[{r}];" for r in (0, 1)
    ),
    "=f2 f2 f2",
)
# weights(scores, maximum, scale): 2 ** (score * scale - maximum), one fma and one ex2 each
weights = ptx(
    "{ .reg .f32 x<2>; neg.f32 x0, %1[0]; neg.f32 x1, %1[1]; "
    + for_each(
        64,
        lambda i: (
            f"fma.rn.f32 %0[{i}], %0[{i}], %2, x{row(i)}; ex2.approx.ftz.f32 %0[{i}], %0[{i}];"
        ),
    )
    + " }",
    "+f64 f2 f",
)
# row_sums(weights, sums, correction): each thread sums its own columns, until the end
row_sums = ptx(
    "{ .reg .f32 x<4>; "
    + fold("add.f32")
    + "fma.rn.f32 %0[0], %2[0], %3[0], x0; fma.rn.f32 %0[1], %2[1], %3[1], x2; }",
    "=f2 f64 f2 f2",
)
# pack(weights): pairs of bfloat16, which are the next product's first operand as they are
pack = ptx(
    for_each(32, lambda i: f"cvt.rn.bf16x2.f32 %0[{i}], %1[{2 * i + 1}], %1[{2 * i}];"),
    "=r32 f64",
)
rescale_64 = ptx(for_each(64, lambda i: f"mul.f32 %0[{i}], %0[{i}], %1[{row(i)}];"), "+f64 f2")
rescale_32 = ptx(for_each(32, lambda i: f"mul.f32 %0[{i}], %0[{i}], %1[{row(i)}];"), "+f32 f2")
# inverse(sums): 1 / sum of each row, over the four threads that share it
inverse = ptx(
    "{ .reg .f32 x<3>; "
    + " ".join(
        f"mov.f32 x{2 * r}, %1[{r}]; {across_quad('add.f32', f'x{2 * r}')}"
        f" rcp.approx.ftz.f32 %0[{r}], x{2 * r};"
        for r in (0, 1)
    )
    + " }",
    "=f2 f2",
)
# hide(scores, limit of row r, limit of row r + 8): -inf from the limit on, columns counted from 0
hide = ptx(
    "{ .reg .pred p; "
    + for_each(
        64,
        lambda i: (
            f"setp.le.s32 p, %{1 + row(i)}, {i // 4 * 8 + i % 2};"
            f" selp.f32 %0[{i}], 0fff800000, %0[{i}], p;"
        ),
    )
    + " }",
    "+f64 r r",
)
# --8<-- [end:softmax]


# --8<-- [start:write]
def write_text(width):
    """Return PTX that rounds an accumulator to bfloat16 and writes the rows that are wanted.

    Operands: addresses of row r and of row r + 8, whether to write each, and the accumulator.
    """
    text = "{ .reg .b32 two; .reg .pred p<2>; setp.ne.u32 p0, %2, 0; setp.ne.u32 p1, %3, 0; "
    for j in range(width // 8):
        for r in (0, 1):
            i = 4 * j + 2 * r
            text += f"cvt.rn.bf16x2.f32 two, %4[{i + 1}], %4[{i}]; "
            text += f"@p{r} st.global.b32 [%{r}+{16 * j}], two; "
    return text + "}"


write_64 = ptx(write_text(128), "l l r r f64")
write_32 = ptx(write_text(64), "l l r r f32")
# --8<-- [end:write]
