"""An ONNX graph by ONNX Runtime's CUDA provider, as exported, folded, and fused."""

import onnx
import onnxruntime as ort
import torch

from benchmarks.harness import BenchmarkError, rounded
from benchmarks.micro.common import COLD
from kernels.network_graph.build import kinds, network
from kernels.network_graph.build import run as on_cpu

PATH = "kernels/network_graph/build.py"
LEVELS = {
    "exported": ("ORT_DISABLE_ALL", "as exported"),
    "basic": ("ORT_ENABLE_BASIC", "basic: folded, and fused into ONNX's own operators"),
    "extended": ("ORT_ENABLE_EXTENDED", "extended: fused into operators of ONNX Runtime's own"),
    "all": ("ORT_ENABLE_ALL", "all, with changes of layout"),
}


def run(bench):
    batch, side = (2, 16) if bench.quick else (32, 112)
    with bench.part("levels of optimization"):
        levels(bench, batch, side)


def session(model, level, stream):
    """Return a session of the CUDA provider, in float32 without TF32, and its graph."""
    options = ort.SessionOptions()
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)
    options.optimized_model_filepath = "/tmp/optimized.onnx"
    options.log_severity_level = 3
    given = {"use_tf32": "0", "user_compute_stream": str(stream)}
    providers = [("CUDAExecutionProvider", given), "CPUExecutionProvider"]
    made = ort.InferenceSession(model.SerializeToString(), options, providers)
    if made.get_providers()[0] != "CUDAExecutionProvider":
        raise BenchmarkError(f"the CUDA provider is not there: {made.get_providers()}")
    return made, onnx.load("/tmp/optimized.onnx")


def levels(bench, batch, side):
    model = network(channels=64)
    image = torch.randn(batch, 3, side, side, device="cuda")
    right = torch.as_tensor(on_cpu(model, image.cpu().numpy()), device="cuda").double()
    stream = torch.cuda.Stream()
    torch.cuda.set_stream(stream)
    made, calls, extra = {}, {}, {}
    for name, (level, _) in LEVELS.items():
        runs, graph = session(model, level, stream.cuda_stream)
        out = torch.empty(batch, 10, device="cuda")
        binding = runs.io_binding()
        binding.bind_input("image", "cuda", 0, "float32", image.shape, image.data_ptr())
        binding.bind_output("logits", "cuda", 0, "float32", out.shape, out.data_ptr())
        made[name] = runs, binding, out
        calls[name] = lambda runs=runs, binding=binding: runs.run_with_iobinding(binding)
        out.fill_(float("nan"))
        calls[name]()
        torch.cuda.synchronize()
        error = float((out.double() - right).norm() / right.norm())
        if not error < 1e-4:
            raise BenchmarkError(f"{name}: error {error:.1e}")
        extra[name] = {"operators": len(kinds(graph)), "kernels": kernels_of(calls[name])}
    times = bench.samples(calls, Timer(stream))
    for name, (_, words) in LEVELS.items():
        bench.micro(
            f"onnx-cuda-{name}",
            f"Network of the page, 64 channels, {batch} images of {side} x {side}: {words}",
            times[name], unit="us", kernel=PATH,
            method=f"ONNX Runtime {ort.__version__}, CUDAExecutionProvider, float32 without TF32,"
            f" input and output on the GPU; {COLD}",
            terms=["kernel-fusion"],
            extra=extra[name] | {"gain": rounded(times["exported"].median / times[name].median)},
        )  # fmt: skip


class Timer:
    """Time a call by events on its stream, in seconds, with cold caches."""

    def __init__(self, stream):
        self.stream = stream
        self.buffer = torch.empty(2**28, dtype=torch.uint8, device="cuda")
        self.start, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def __call__(self, call):
        self.buffer.fill_(1)
        self.start.record(self.stream)
        call()
        self.end.record(self.stream)
        self.end.synchronize()
        return self.start.elapsed_time(self.end) / 1e3


def kernels_of(call):
    """Return how many kernels a call starts, by CUPTI."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as seen:
        call()
        torch.cuda.synchronize()
    cuda = torch.autograd.DeviceType.CUDA
    names = [e.name for e in seen.events() if e.device_type == cuda]
    return len([name for name in names if not name.startswith(("Memcpy", "Memset"))])
