"""The clock while tensor cores multiply: how fast it runs beside the product's rate, and the power.

The GPU is kept busy with one product as the benchmarks time it (L2 is emptied before each), until
its clock has settled. Then each sample ends with a kernel that counts a multiprocessor's cycles
over the nanoseconds of the global timer, and NVML is asked for the power all the while.
"""

import ctypes
import statistics
import threading
import time
from functools import partial

import cupy as cp
import numpy as np
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from benchmarks.fp8 import ours as fp8_call
from benchmarks.harness import REPEATS, BenchmarkError, rounded, summarize
from benchmarks.micro.common import SNIPPETS, functions
from benchmarks.tensor_cores import STAGE, Bfloat16, as_torch, hopper, narrow, text, to_tf32
from kernels.in_triton.attention import flash_triton
from kernels.tensor_cores import fp8, mma_tf32, wgmma
from kernels.tensor_cores.tma import tensor_map
from kernels.tensor_cores.wgmma_ceiling import wgmma_ceiling_kernel

KERNELS = "kernels/tensor_cores/"
HERE = "benchmarks/micro/one_change_clock.py"
BFLOAT16 = 4096  # operations of a multiprocessor's tensor cores in a cycle; twice as many in FP8
SETTLE, SECONDS = 0.4, 0.8
SM = 1  # NVML_CLOCK_SM


def run(bench):
    small = bench.quick
    clocked = Clocked(bench)
    with bench.part("wgmma alone"):
        ceiling(clocked, 25 if small else 5000)
    with bench.part("FP8"):
        in_fp8(clocked, 512 if small else 8192)
    with bench.part("bfloat16"):
        in_bfloat16(clocked, 512 if small else 8192)
    with bench.part("attention"):
        attention(clocked, 1024 if small else 16384)
    with bench.part("cuBLAS TF32 beside two kernels"):
        beside(clocked, 512 if small else 8192)


class Power:
    """The watts of the GPU while a block runs, and the clock that NVML says, by its own log."""

    def __init__(self):
        self.nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self.gpu = ctypes.c_void_p()
        bus = cp.cuda.runtime.deviceGetPCIBusId(0).encode()
        self._ask("nvmlInit_v2")
        self._ask("nvmlDeviceGetHandleByPciBusId_v2", bus, ctypes.byref(self.gpu))
        self.limit = self._number("nvmlDeviceGetEnforcedPowerLimit") / 1000

    def _ask(self, name, *arguments):
        wrong = getattr(self.nvml, name)(*arguments)
        if wrong:
            raise BenchmarkError(f"{name} returned {wrong}")

    def _number(self, name, *arguments):
        found = ctypes.c_uint()
        self._ask(name, self.gpu, *arguments, ctypes.byref(found))
        return found.value

    def __enter__(self):
        self.watts, self.mhz, self.over = [], [], threading.Event()
        self.log = threading.Thread(target=self._write)
        self.log.start()
        return self

    def _write(self):
        while True:  # at least once
            self.watts.append(self._number("nvmlDeviceGetPowerUsage") / 1000)
            self.mhz.append(self._number("nvmlDeviceGetClockInfo", SM))
            if self.over.wait(0.01):
                return

    def __exit__(self, *error):
        self.over.set()
        self.log.join()


class Clocked:
    """Times calls as the benchmarks do, with the clock and the power beside each."""

    def __init__(self, bench):
        self.bench, self.power = bench, Power()
        self.seconds = 0.1 if bench.quick else SECONDS
        (self.kernel,) = functions(SNIPPETS + "arithmetic.cu", "clock_rate")
        self.blocks = bench.device.multiprocessors
        self.cycles, self.ns = (cp.zeros(self.blocks, cp.int64) for _ in range(2))
        self.out = cp.zeros(self.blocks * 256, cp.float32)

    def sample(self, call, partner=None):
        """Return the seconds of a call and the clock right behind it, in MHz."""
        if partner:
            self.bench.device.timer(partner)
        seconds = self.bench.device.timer(call)
        # about 0.1 ms: too short to change the clock
        self.kernel((self.blocks,), (256,), (np.int32(1200), self.cycles, self.ns, self.out))
        return seconds, float(np.median(1e3 * self.cycles.get() / self.ns.get()))

    def row(self, id, title, call, flops, kernel, *, peak=BFLOAT16, partner=None):
        """Add a row: the clock, and beside it the rate, the cycles that were used, the power."""
        settled = time.perf_counter() + (SETTLE if not self.bench.quick else 0)
        self.sample(call, partner)
        while time.perf_counter() < settled:
            self.sample(call, partner)
        found, end = [], time.perf_counter() + self.seconds
        with self.power as log:
            while time.perf_counter() < end or len(found) < REPEATS:
                found.append(self.sample(call, partner))
        seconds, clocks = map(summarize, zip(*found, strict=True))
        rate = flops / seconds.median
        self.bench.micro(
            id, f"The clock during {title}", clocks, unit="MHz", kernel=kernel,
            method="cycles of a multiprocessor over nanoseconds of the global timer, right behind"
            f" each call; L2 emptied before each, {self.seconds:g} s of them after {SETTLE:g} s",
            terms=["throttling"],
            extra={
                "tflops": rounded(rate / 1e12),
                "rate_spread": rounded(seconds.spread),
                # of the cycles of the tensor cores, at the clock that was measured
                "cycle_share": rounded(rate / (self.blocks * peak * clocks.median * 1e6)),
                "watts": rounded(statistics.median(log.watts)),
                "limit_watts": rounded(log.limit),
                "nvml_mhz": rounded(statistics.median(log.mhz)),
            },
        )  # fmt: skip
        self.bench.say(f"[{self.bench.name}]   {id}: {self.bench.rows['microbenchmarks'][-1]}")


def ceiling(clocked, steps):
    bench = clocked.bench
    blocks = bench.device.multiprocessors
    out = bench.device.numba(cp.empty(blocks * 256, cp.float32))
    launch = wgmma_ceiling_kernel[blocks, 256]
    for data in ("random", "zeros"):
        numbers = narrow(bench.random(3 * 8192)) if data == "random" else cp.zeros(24576, cp.uint16)
        clocked.row(
            f"one-change-clock-wgmma-{data}",
            f"a loop of wgmma alone, bfloat16, on {data}",
            partial(launch, bench.device.numba(numbers), out, steps),
            4_194_304 * blocks * steps,
            KERNELS + "wgmma_ceiling.py",
        )


def in_fp8(clocked, n):
    bench, one = clocked.bench, torch.ones((), device="cuda")
    output = Bfloat16(bench.xp, (n, n))
    out = as_torch(output.array)
    for data in ("random", "zeros"):
        make = torch.randn if data == "random" else torch.zeros
        a, bt = (make(n, n, device="cuda").to(torch.float8_e4m3fn) for _ in range(2))
        call = fp8_call(bench, fp8.FAST, a, bt, output)
        by_torch = partial(
            torch._scaled_mm, a, bt.T, one, one,
            out_dtype=torch.bfloat16, use_fast_accum=True, out=out,
        )  # fmt: skip
        by_torch()
        right = out.float()
        output.poison()
        call()
        near(f"FP8 on {data}", out.float(), right)
        title = f"an FP8 product of {n} x {n} x {n}, fast sums, on {data}"
        clocked.row(f"one-change-clock-fp8-{data}", f"{title}, in Numba", call, 2 * n**3,
                    KERNELS + "fp8.py", peak=2 * BFLOAT16)  # fmt: skip
        clocked.row(f"one-change-clock-fp8-{data}-torch", f"{title}, torch._scaled_mm", by_torch,
                    2 * n**3, HERE, peak=2 * BFLOAT16)  # fmt: skip


def near(what, got, right):
    """Raise ``BenchmarkError`` where two results differ by more than their roundings."""
    error = float((got - right).norm() / right.norm().clamp(min=1e-9))
    if not error < 2e-2:
        raise BenchmarkError(f"{what}: error {error:.1e}")


def in_bfloat16(clocked, n):
    bench = clocked.bench
    a, b = narrow(bench.random((n, n))), narrow(bench.random((n, n)))
    output = Bfloat16(bench.xp, (n, n))
    maps = [tensor_map(bench.device.numba(x), rows)
            for x, rows in ((a, 128), (b, 64), (output.array, 64))]  # fmt: skip
    maps = bench.device.numba(cp.asarray(np.concatenate(maps)))
    sizes, blocks = (np.int32(n),) * 3, bench.device.multiprocessors
    wgmma.launch(wgmma.wgmma_kernel, blocks, 384, wgmma.SHARED, maps, *sizes)
    call = partial(wgmma.wgmma_kernel[blocks, 384, 0, wgmma.SHARED], maps, *sizes)
    t_a, t_b, t_c = map(as_torch, (a, b, output.array))
    output.poison()
    call()
    near("bfloat16", t_c.float(), (t_a @ t_b).float())
    title = f"a bfloat16 product of {n} x {n} x {n}"
    clocked.row("one-change-clock-bf16", f"{title}, Numba", call, 2 * n**3, KERNELS + "wgmma.py")
    clocked.row("one-change-clock-bf16-cublas", f"{title}, cuBLAS",
                partial(torch.matmul, t_a, t_b, out=t_c), 2 * n**3, HERE)  # fmt: skip


def attention(clocked, length):
    for depth, heads in ((128, 16), (64, 32)):
        q, k, v = (torch.randn(1, heads, length, depth, device="cuda").to(torch.bfloat16)
                   for _ in range(3))  # fmt: skip
        out, flops = torch.empty_like(q), 4 * heads * length**2 * depth

        def by_torch(q=q, k=k, v=v):
            with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
                return scaled_dot_product_attention(q, k, v)

        call = partial(flash_triton, q, k, v, False, out=out)
        call()
        near(f"attention, {depth}", out.float(), by_torch().float())
        title = f"attention, {heads} heads x {length} x {depth}, bfloat16"
        clocked.row(f"one-change-clock-attention-{depth}", f"{title}, Triton", call, flops,
                    "kernels/in_triton/attention.py")  # fmt: skip
        clocked.row(f"one-change-clock-attention-{depth}-cudnn", f"{title}, cuDNN", by_torch,
                    flops, HERE)  # fmt: skip


def beside(clocked, n):
    """cuBLAS in TF32 with b as it is, in turns with each of our kernels, and with itself."""
    bench = clocked.bench
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = True
    a, b, out = to_tf32(bench.random((n, n))), to_tf32(bench.random((n, n))), cp.empty((n, n), "f4")
    t_a, t_b, t_c = (torch.as_tensor(x, device="cuda") for x in (a, b, cp.empty_like(out)))
    d_a, d_b, d_c = map(bench.device.numba, (a, b, out))
    tiles = -(-n // mma_tf32.BM_TF32) * -(-n // mma_tf32.BN_TF32)
    shared = mma_tf32.STAGES_TF32 * mma_tf32.STAGE_TF32
    mma_tf32.launch(mma_tf32.mma_tf32_kernel, tiles, 128, shared, d_a, d_b, d_c)
    by_mma = partial(mma_tf32.mma_tf32_kernel[tiles, 128, 0, shared], d_a, d_b, d_c)
    ring = hopper(text("wgmma_tf32.cu"), "wgmma_tf32")
    ring.max_dynamic_shared_size_bytes = ring_shared = 4 * STAGE + 64
    transposed = cp.ascontiguousarray(b.T)
    maps = [tensor_map(x.view(cp.uint16), rows).view("V128")
            for x, rows in ((a, 128), (transposed, 256))]  # fmt: skip
    by_ring = partial(ring, (bench.device.multiprocessors,), (384,),
                      (*maps, out, *(np.int32(n),) * 3), shared_mem=ring_shared)  # fmt: skip
    cublas = partial(torch.matmul, t_a, t_b, out=t_c)
    cublas()
    for name, call in (("mma.sync", by_mma), ("wgmma", by_ring)):
        out.fill(cp.nan)
        call()
        near(f"TF32, {name}", torch.as_tensor(out, device="cuda"), t_c)
    # Half of the rate of bfloat16
    for id, partner, who in (("mma-sync", by_mma, "mma.sync in Numba"),
                             ("wgmma", by_ring, "wgmma in CUDA C++"),
                             ("itself", cublas, "itself")):  # fmt: skip
        title = f"a TF32 product of cuBLAS, {n} x {n} x {n}, in turns with {who}"
        clocked.row(f"one-change-clock-tf32-beside-{id}", title, cublas, 2 * n**3, HERE,
                    peak=BFLOAT16 // 2, partner=partner)  # fmt: skip
    torch.backends.cuda.matmul.allow_tf32 = before
