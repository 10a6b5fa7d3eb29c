"""Attention of one token over a paged cache, against the rate of memory and PyTorch's attention."""

import math

import cupy as cp
import numpy as np
import torch

from benchmarks.harness import ROOT, Case, Reference
from kernels.paging.cupy_decode import load_paged_decode
from kernels.paging.decode import make_paged_decode, warps_for

FILE, CUDA = "kernels/paging/decode.py", "snippets/paging/paged_decode.cu"
SHAPE = dict(sequences=32, length=4096, kv_heads=8, group=4, dim=128, page=16)
SPAN = 4096  # a whole sequence: 256 blocks, two for each multiprocessor


def run(bench):
    with bench.part("paged decode"):
        decode(bench, **SHAPE | ({"sequences": 2, "length": 300} if bench.quick else {}))


def decode(bench, sequences, length, kv_heads, group, dim, page):
    heads, most = kv_heads * group, -(-length // page)
    pages = sequences * most
    q = torch.as_tensor(bench.random((sequences, heads, dim)), device="cuda").bfloat16()
    keys, values = (
        torch.as_tensor(bench.random((pages, kv_heads, page, dim)), device="cuda").bfloat16()
        for _ in range(2)
    )
    tables = cp.random.permutation(pages).astype(cp.int32).reshape(sequences, most)
    lengths = cp.full(sequences, length, cp.int32)
    rows, splits = sequences * heads, -(-length // SPAN)
    output, output_cuda = bench.output((rows, dim)), bench.output((rows, dim))
    partial = cp.empty((rows, splits, dim), cp.float32)
    tops, sums = (cp.empty((rows, splits), cp.float32) for _ in range(2))
    numba = bench.device.numba
    words = [numba(cp.asarray(a.view(torch.int32)).view(cp.uint32).reshape(-1))
             for a in (q, keys, values)]  # fmt: skip
    between = [numba(a) for a in (partial, tops, sums)]
    d_tables, d_lengths, d_out = numba(tables), numba(lengths), numba(output.array)
    done = cp.zeros(sequences * kv_heads, cp.int32)
    d_done = numba(done)
    scale = np.float32(math.log2(math.e) / math.sqrt(dim))
    grid, block = (splits, kv_heads, sequences), (32, warps_for(dim, group))
    kernel = make_paged_decode(dim, group, page, block[1])[grid, block]
    in_cuda, _ = load_paged_decode((ROOT / CUDA).read_text("utf-8"), dim, group, page)
    cuda_inputs = [cp.asarray(a.view(torch.int32)) for a in (q, keys, values)]
    arguments = *cuda_inputs, tables, np.int32(most), lengths, np.int32(SPAN), scale
    arguments = *arguments, partial, tops, sums, done, output_cuda.array

    def ours():
        kernel(*words, d_tables, d_lengths, SPAN, scale, *between, d_done, d_out)

    # The reference reads the same tokens where they lie in order, which spares it the tables.
    order = torch.as_tensor(tables, device="cuda").long()
    in_order = [a[order].transpose(1, 2).reshape(sequences, kv_heads, -1, dim)[:, :, :length]
                .contiguous() for a in (keys, values)]  # fmt: skip
    one = q[:, :, None]
    room = torch.as_tensor(output.array, device="cuda")

    def theirs():
        attend = torch.nn.functional.scaled_dot_product_attention
        room.copy_(attend(one, *in_order, enable_gqa=True).reshape(rows, dim))

    wide = [cp.asarray(a.float()).astype(cp.float64) for a in (q, *in_order)]
    grouped = wide[0].reshape(sequences, kv_heads, group, dim)
    expected = cp.empty(grouped.shape)
    for s in range(sequences):
        scores = grouped[s] @ wide[1][s].transpose(0, 2, 1) / math.sqrt(dim)
        weights = cp.exp(scores - scores.max(axis=-1, keepdims=True))
        expected[s] = weights / weights.sum(axis=-1, keepdims=True) @ wide[2][s]
    bench.compare(
        [
            Case(
                "paged-decode",
                f"Attention of a token of {sequences} sequences of {length}, {heads} heads,"
                f" {kv_heads} KV heads of {dim}, pages of {page}, bfloat16, Numba",
                FILE,
                ours,
                output,
            ),
            Case(
                "paged-decode-cuda",
                f"Attention of a token of {sequences} sequences of {length}, {heads} heads,"
                f" {kv_heads} KV heads of {dim}, pages of {page}, bfloat16, CUDA C++",
                CUDA,
                lambda: in_cuda(grid, block, arguments),
                output_cuda,
            ),
        ],
        Reference("torch SDPA, cache in one piece", theirs, output),
        expected.reshape(rows, dim),
        size=length,
        dtype="bfloat16",
        unit="us",
        tolerance=6e-3,  # the reference rounds its results to bfloat16
        bytes=4 * sequences * length * kv_heads * dim + 4 * rows * dim + 2 * rows * dim,
        flops=4 * rows * length * dim,
    )
