"""Attention of one token over a paged cache, against the rate of memory and PyTorch's attention."""

import math

import cupy as cp
import numpy as np
import torch

from benchmarks.harness import ROOT, Case, Reference
from kernels.paging.cupy_decode import load_paged_decode
from kernels.paging.decode import make_paged_decode, warps_for

FILE, CUDA = "kernels/paging/decode.py", "snippets/paging/paged_decode.cu"
HEADS = dict(kv_heads=8, group=4, dim=128, page=16)
SPAN = 4096  # a whole sequence: 256 blocks, two for each multiprocessor


def run(bench):
    quick = bench.quick
    with bench.part("paged decode"):
        lengths = [300] * 2 if quick else [4096] * 32
        decode(bench, lengths, {"paged-decode": SPAN}, in_cuda="paged-decode-cuda", **HEADS)
    with bench.part("one long sequence"):  # as many tokens: in stretches, and in one piece
        lengths = [3000] if quick else [32 * 4096]
        spans = {"paged-decode-long": lengths[0] // 32, "paged-decode-long-whole": lengths[0]}
        decode(bench, lengths, spans, **HEADS)
    with bench.part("sequences of different lengths"):  # 128 to 8,064, as many tokens in all
        lengths = [100, 900] if quick else np.linspace(128, 8064, 32).astype(int).tolist()
        spans = {"paged-decode-mixed": 1024, "paged-decode-mixed-whole": max(lengths)}
        decode(bench, lengths, spans, **HEADS)


def decode(bench, lengths, spans, kv_heads, group, dim, page, in_cuda=None):
    """Compare kernels that cut sequences into stretches of so many tokens, by the ids of rows."""
    sequences, longest = len(lengths), max(lengths)
    heads, most = kv_heads * group, -(-longest // page)
    pages, rows = sequences * most, sequences * heads
    q = torch.as_tensor(bench.random((sequences, heads, dim)), device="cuda").bfloat16()
    keys, values = (
        torch.as_tensor(bench.random((pages, kv_heads, page, dim)), device="cuda").bfloat16()
        for _ in range(2)
    )
    tables = cp.random.permutation(pages).astype(cp.int32).reshape(sequences, most)
    counts = cp.asarray(lengths, cp.int32)
    numba = bench.device.numba
    words = [numba(cp.asarray(a.view(torch.int32)).view(cp.uint32).reshape(-1))
             for a in (q, keys, values)]  # fmt: skip
    d_tables, d_counts = numba(tables), numba(counts)
    scale = np.float32(math.log2(math.e) / math.sqrt(dim))
    done = cp.zeros(sequences * kv_heads, cp.int32)
    d_done, block = numba(done), (32, warps_for(dim, group))
    of = f"{sequences} sequences of {longest}"
    if sequences == 1:
        of = f"1 sequence of {longest}"
    elif min(lengths) < longest:
        of = f"{sequences} sequences of {min(lengths)} to {longest}"
    what = f"Attention of a token of {of}, {heads} heads, {kv_heads} KV heads of {dim}"
    cases = []

    def room_for(span):
        splits = -(-longest // span)
        partial = cp.empty((rows, splits, dim), cp.float32)
        tops, sums = (cp.empty((rows, splits), cp.float32) for _ in range(2))
        return (splits, kv_heads, sequences), (partial, tops, sums), bench.output((rows, dim))

    for id, span in spans.items():
        grid, arrays, output = room_for(span)
        kernel = make_paged_decode(dim, group, page, block[1])[grid, block]
        between, d_out = [numba(a) for a in arrays], numba(output.array)

        def ours(kernel=kernel, span=span, between=between, d_out=d_out):
            kernel(*words, d_tables, d_counts, span, scale, *between, d_done, d_out)

        cut = "" if grid[0] == 1 else f", in stretches of {span}"
        says = f"{what}, pages of {page}, bfloat16, Numba{cut}"
        cases.append(Case(id, says, FILE, ours, output))
    if in_cuda:
        grid, arrays, output = room_for(SPAN)
        launch, _ = load_paged_decode((ROOT / CUDA).read_text("utf-8"), dim, group, page)
        inputs = [cp.asarray(a.view(torch.int32)) for a in (q, keys, values)]
        arguments = *inputs, tables, np.int32(most), counts, np.int32(SPAN), scale
        arguments = *arguments, *arrays, done, output.array
        says = f"{what}, pages of {page}, bfloat16, CUDA C++"
        cases.append(Case(in_cuda, says, CUDA, lambda: launch(grid, block, arguments), output))

    # The reference reads the same tokens where they lie in order, which spares it the tables.
    # Shorter sequences are padded, and a mask hides the padding.
    order = torch.as_tensor(tables, device="cuda").long()
    in_order = [a[order].transpose(1, 2).reshape(sequences, kv_heads, -1, dim)[:, :, :longest]
                .contiguous() for a in (keys, values)]  # fmt: skip
    one, mask = q[:, :, None], None
    if min(lengths) < longest:
        ends = torch.tensor(lengths, device="cuda")[:, None, None, None]
        mask = torch.arange(longest, device="cuda") < ends
    reference = bench.output((rows, dim))
    room = torch.as_tensor(reference.array, device="cuda")

    def theirs():
        attend = torch.nn.functional.scaled_dot_product_attention
        room.copy_(attend(one, *in_order, mask, enable_gqa=True).reshape(rows, dim))

    expected = cp.empty((sequences, kv_heads, group, dim))
    for s, length in enumerate(lengths):
        wide = [cp.asarray(a[s].float()).astype(cp.float64) for a in (q, *in_order)]
        scores = wide[0].reshape(kv_heads, group, dim) @ wide[1][:, :length].transpose(0, 2, 1)
        scores /= math.sqrt(dim)
        weights = cp.exp(scores - scores.max(axis=-1, keepdims=True))
        expected[s] = weights / weights.sum(axis=-1, keepdims=True) @ wide[2][:, :length]
    tokens = sum(lengths)
    bench.compare(
        cases,
        Reference("torch SDPA, cache in one piece", theirs, reference),
        expected.reshape(rows, dim),
        size=longest,
        dtype="bfloat16",
        unit="us",
        tolerance=6e-3,  # the reference rounds its results to bfloat16
        bytes=4 * tokens * kv_heads * dim + 4 * rows * dim + 2 * rows * dim,
        flops=4 * heads * tokens * dim,
    )
