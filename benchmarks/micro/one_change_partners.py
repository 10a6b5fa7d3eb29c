"""The clock beside a partner, and the power when it has settled: FP8, attention and its backward.

NVML's watts are a mean of about a second, so each row waits longer than one_change_clock does.
"""

import time
from functools import partial

import cupy as cp
import torch

from benchmarks.attention import Returned, flat, operands
from benchmarks.attention import by_torch as forward_by_torch
from benchmarks.attention_backward import FILES, Gradients, by_numba, by_triton
from benchmarks.attention_backward import by_torch as backward_by_torch
from benchmarks.fp8 import ours as fp8_call
from benchmarks.micro.one_change_clock import BFLOAT16, KERNELS, SETTLE, Clocked, ceiling, near
from benchmarks.tensor_cores import Bfloat16, as_torch, narrow
from kernels.attention import overlap
from kernels.tensor_cores import fp8
from kernels.tensor_cores.wgmma import launch

HERE = "benchmarks/micro/one_change_partners.py"
CUDNN, FLASH = "CUDNN_ATTENTION", "FLASH_ATTENTION"
LONGER = 1.5


class Settled(Clocked):
    """``Clocked`` that keeps the GPU busy for longer before it asks; its ids are its own."""

    def row(self, id, title, call, flops, kernel, **options):
        partner = options.get("partner")
        end = time.perf_counter() + (0 if self.bench.quick else LONGER)
        while time.perf_counter() < end:
            self.sample(call, partner)
        id = id.replace("one-change-clock", "one-change-settled")
        super().row(id, title, call, flops, kernel, **options)
        row = self.bench.rows["microbenchmarks"][-1]
        row["method"] = row["method"].replace(f"after {SETTLE:g} s", f"after {SETTLE + LONGER:g} s")


def run(bench):
    small, clocked = bench.quick, Settled(bench)
    with bench.part("wgmma alone"):
        ceiling(clocked, 25 if small else 5000)
    with bench.part("FP8 beside torch"):
        in_fp8(clocked, 512 if small else 8192)
    with bench.part("attention beside cuDNN"):
        attention(clocked, 1024 if small else 16384)
    with bench.part("attention backward beside cuDNN and flash"):
        backward(clocked, 1024 if small else 16384)


def each_beside(clocked, name, title, ours, theirs, flops, file, who, **options):
    """Add a row for either of two calls, timed in turns with the other one."""
    clocked.row(f"one-change-settled-{name}", f"{title}, in turns with {who}", ours, flops, file,
                partner=theirs, **options)  # fmt: skip
    clocked.row(f"one-change-settled-{name}-partner", f"{title}: {who}, in turns with ours", theirs,
                flops, HERE, partner=ours, **options)  # fmt: skip


def in_fp8(clocked, n):
    bench, one = clocked.bench, torch.ones((), device="cuda")
    output = Bfloat16(bench.xp, (n, n))
    out = as_torch(output.array)
    a, bt = (torch.randn(n, n, device="cuda").to(torch.float8_e4m3fn) for _ in range(2))
    call = fp8_call(bench, fp8.FAST, a, bt, output)
    theirs = partial(torch._scaled_mm, a, bt.T, one, one, out_dtype=torch.bfloat16,
                     use_fast_accum=True, out=out)  # fmt: skip
    theirs()
    right = out.float()
    output.poison()
    call()
    near("FP8", out.float(), right)
    each_beside(clocked, "fp8", f"an FP8 product of {n} x {n} x {n}, fast sums, Numba", call,
                theirs, 2 * n**3, KERNELS + "fp8.py", "torch._scaled_mm",
                peak=2 * BFLOAT16)  # fmt: skip


def attention(clocked, length):
    bench, heads, depth = clocked.bench, 16, 128
    bits, tensors, _ = operands(bench, 1, heads, heads, length, depth)
    output, held = Bfloat16(bench.xp, bits[0].shape), Returned(bench.xp, bits[0].shape)
    kernel, blocks, threads, memory, arguments = overlap.flash_arguments(
        *(flat(bench, x) for x in (*bits, output.array)), False
    )
    launch(kernel, blocks, threads, memory, *arguments)
    call = partial(kernel[blocks, threads, 0, memory], *arguments)
    theirs = forward_by_torch(CUDNN, *tensors, False, held).call
    output.poison()
    call(), theirs()
    near("attention", as_torch(output.array).float(), held.held.float())
    each_beside(clocked, "attention-numba", f"attention, {heads} heads x {length} x {depth}, Numba",
                call, theirs, 4 * heads * length**2 * depth, "kernels/attention/overlap.py",
                "cuDNN")  # fmt: skip


def backward(clocked, length):
    bench, heads, depth = clocked.bench, 16, 128
    shape = (1, heads, length, depth)
    bits = [narrow(bench.random(shape)) for _ in range(4)]
    flops = 10 * heads * length**2 * depth
    held = {way: Gradients(bench.xp, [shape] * 3) for way in ("Numba", "Triton", CUDNN, FLASH)}
    calls = {
        "Numba": by_numba(bench, bits, False, held["Numba"]),
        "Triton": by_triton(bench, bits, False, held["Triton"]),
    }
    for who in (CUDNN, FLASH):
        calls[who] = backward_by_torch(who, *map(as_torch, bits), False, held[who]).call
    found = {}
    for way, call in calls.items():
        held[way].poison()
        call()
        torch.cuda.synchronize()
        parts = [as_torch(part) for part in held[way].parts]
        found[way] = (held[way].held or parts)[0].float().reshape(shape)  # dq
        near(f"backward, {way}", found[way], found["Numba"])
    title = f"attention backward, {heads} heads x {length} x {depth}"
    for way, who, name in (("Numba", CUDNN, "cuDNN"), ("Numba", FLASH, "flash"),
                           ("Triton", FLASH, "flash")):  # fmt: skip
        each_beside(clocked, f"backward-{way.lower()}-{name.lower()}", f"{title}, {way}",
                    calls[way], calls[who], flops, FILES[way], name)  # fmt: skip
    del found
    cp.get_default_memory_pool().free_all_blocks()
    torch.cuda.empty_cache()
