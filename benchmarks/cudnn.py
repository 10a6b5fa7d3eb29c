"""cuDNN through torch: convolution against Numba and Triton, its modes, and batch normalization."""

import time
from functools import partial

import cupy as cp
import torch
from torch.nn.functional import batch_norm, conv2d

from benchmarks.harness import Case, Output, Reference, rounded, summarize
from kernels.convolution.direct import conv_direct_kernel
from kernels.convolution.image import filter_launch
from kernels.convolution.tiled import conv_tiled_launch
from kernels.in_triton.convolution import conv_triton

DIRECT, TILED = "kernels/convolution/direct.py", "kernels/convolution/tiled.py"
IMAGE = "kernels/convolution/image.py"
TRITON = "kernels/in_triton/convolution.py"
TORCH = "kernels/cudnn/from_torch.py"
# Channels in and out of a 3 x 3 convolution of eight images of 512 x 512, float32.
CHANNELS = {
    1: ("cudnn-conv-1-tiled", "cudnn-conv-1-direct"),
    2: ("cudnn-conv-2-tiled", "cudnn-conv-2-direct"),
    4: ("cudnn-conv-4-tiled", "cudnn-conv-4-direct"),
    8: ("cudnn-conv-8-tiled", "cudnn-conv-8-direct"),
    16: ("cudnn-conv-16-tiled", "cudnn-conv-16-direct"),
    32: ("cudnn-conv-32-tiled", "cudnn-conv-32-direct"),
    64: ("cudnn-conv-64-tiled", "cudnn-conv-64-direct"),
}
# One channel: images, height, width, taps on a side. The first is the first of CHANNELS.
FILTERS = {
    "cudnn-filter-1": (8, 512, 512, 3),
    "cudnn-filter-photo": (1, 3000, 4000, 5),
}
# The 3 x 3 layers of a ResNet-50, 64 images: channels -> height and width. bfloat16.
RESNET = {
    64: ("cudnn-conv-triton-64", 56),
    128: ("cudnn-conv-triton-128", 28),
    256: ("cudnn-conv-triton-256", 14),
    512: ("cudnn-conv-triton-512", 7),
}


def run(bench):
    torch.backends.cudnn.benchmark = True
    torch.backends.cudnn.conv.fp32_precision = "ieee"
    for id, (images, height, width, taps) in FILTERS.items():
        with bench.part(f"{id}, one channel"):
            small = 4 if bench.quick else 1
            one_channel(bench, id, images, height // small, width // small, taps)
    for channels, ids in CHANNELS.items():
        with bench.part(f"{channels} channels, float32"):
            crossover(bench, ids, channels, 8, 64 if bench.quick else 512)
    for channels, (id, side) in RESNET.items():
        with bench.part(f"{channels} channels, bfloat16, Triton"):
            layers(bench, id, channels, 4 if bench.quick else 64, side)
    with bench.part("modes"):
        modes(bench)
    with bench.part("the search of benchmark mode"):
        search(bench)
    with bench.part("batch normalization"):
        normalization(bench)
    torch.cuda.empty_cache()


class Returned(Output):
    """The output of a function that returns a new tensor, which ``held`` keeps for the check."""

    held = None

    def poison(self):
        super().poison()
        self.held = None

    def error(self, expected):
        if self.held is not None:
            self.array[...] = cp.asarray(self.held.float().contiguous())
        return super().error(expected)


def tensor(array):
    return torch.as_tensor(array, device="cuda")


def in_float64(x, w):
    return cp.asarray(conv2d(tensor(x).double(), tensor(w).double(), padding=1))


def library(x, w, output):
    def call():
        output.held = conv2d(x, w, padding=1)

    return Reference("cuDNN, through torch", call, output)


def one_channel(bench, id, images, height, width, taps):
    x, w = bench.random((images, height, width)), bench.random((taps, taps))
    output = bench.output(x.shape)
    arrays = [bench.device.numba(a) for a in (x, w, output.array)]
    t_x, t_w = tensor(x)[:, None], tensor(w)[None, None]
    theirs = Returned(bench.xp, x.shape, "float32")

    def by_torch():
        theirs.held = conv2d(t_x, t_w, padding=taps // 2)[:, 0]

    what = f"{taps} x {taps} filter of {images} images {height} x {width}, one channel, float32"
    bench.compare(
        [Case(id, f"{what}: Numba", IMAGE, lambda: filter_launch(*arrays), output)],
        Reference("cuDNN, through torch", by_torch, theirs),
        cp.asarray(conv2d(t_x.double(), t_w.double(), padding=taps // 2)[:, 0]),
        size=x.size,
        dtype="float32",
        unit="us",
        tolerance=1e-5,
        bytes=4 * 2 * x.size,
        flops=2 * taps * taps * x.size,
    )


def crossover(bench, ids, channels, images, side):
    x = bench.random((images, channels, side, side))
    w = bench.random((channels, channels, 3, 3))
    outputs = [bench.output(x.shape) for _ in range(2)]
    d_x, d_w, *d_out = map(bench.device.numba, (x, w, *(o.array for o in outputs)))
    blocks = -(-side // 32), -(-side // 4), images * channels
    title = f"3 x 3 convolution of {images} images {side} x {side}, {channels} channels, float32"
    calls = {
        ids[0]: (
            TILED,
            f"{title}: tiled, Numba",
            partial(conv_tiled_launch, d_x, d_w, 1, d_out[0]),
        ),
        ids[1]: (
            DIRECT,
            f"{title}: a thread an output, Numba",
            partial(conv_direct_kernel[blocks, (32, 4, 1)], d_x, d_w, 1, d_out[1]),
        ),
    }
    cases = [
        Case(id, what, file, call, output)
        for (id, (file, what, call)), output in zip(calls.items(), outputs, strict=True)
    ]
    bench.compare(
        cases,
        library(tensor(x), tensor(w), Returned(bench.xp, x.shape, "float32")),
        in_float64(x, w),
        size=channels,
        dtype="float32",
        unit="us",
        tolerance=1e-5,
        bytes=4 * (2 * x.size + w.size),
        flops=2 * 9 * channels * x.size,
    )
    torch.cuda.empty_cache()


def layers(bench, id, channels, images, side):
    x, w = bench.random((images, channels, side, side)), bench.random((channels, channels, 3, 3))
    t_x, t_w = (tensor(a).bfloat16().contiguous(memory_format=torch.channels_last) for a in (x, w))
    right = conv2d(t_x.double(), t_w.double(), padding=1).contiguous()
    ours = Returned(bench.xp, x.shape, "float32")

    def call():
        ours.held = conv_triton(t_x, t_w)

    what = f"3 x 3 convolution of {images} images {side} x {side}, {channels} channels, bfloat16"
    bench.compare(
        [Case(id, f"{what}, channels last, Triton", TRITON, call, ours)],
        library(t_x, t_w, Returned(bench.xp, x.shape, "float32")),
        cp.asarray(right),
        size=channels,
        dtype="bfloat16",
        unit="TFLOP/s",
        tolerance=4e-3,  # results are rounded to 8 bits
        bytes=2 * (2 * x.size + w.size),
        flops=2 * 9 * channels * x.size,
    )


def modes(bench):
    """One layer in float32, TF32 and bfloat16, by rows of pixels and with channels last."""
    channels, side, images = 256, 56, 4 if bench.quick else 32
    x, w = (
        torch.randn(shape, device="cuda")
        for shape in ((images, channels, side, side), (channels, channels, 3, 3))
    )
    right = conv2d(x[:2].double(), w.double(), padding=1)
    calls, errors = {}, {}
    for name, dtype, precision, format in (
        ("float32", torch.float32, "ieee", torch.contiguous_format),
        ("tf32", torch.float32, "tf32", torch.contiguous_format),
        ("tf32-last", torch.float32, "tf32", torch.channels_last),
        ("bfloat16", torch.bfloat16, "ieee", torch.contiguous_format),
        ("bfloat16-last", torch.bfloat16, "ieee", torch.channels_last),
    ):
        a, b = (t.to(dtype).contiguous(memory_format=format) for t in (x, w))

        def call(a=a, b=b, precision=precision):
            torch.backends.cudnn.conv.fp32_precision = precision
            return conv2d(a, b, padding=1)

        got = call()[:2].double()
        errors[name] = ((got - right).norm() / right.norm()).item()
        calls[name] = call
    times = bench.samples(calls)
    torch.backends.cudnn.conv.fp32_precision = "ieee"
    flops = 2 * 9 * channels * channels * images * side * side
    ids = {
        "float32": "cudnn-mode-float32",
        "tf32": "cudnn-mode-tf32",
        "tf32-last": "cudnn-mode-tf32-last",
        "bfloat16": "cudnn-mode-bfloat16",
        "bfloat16-last": "cudnn-mode-bfloat16-last",
    }
    for name, id in ids.items():
        bench.micro(
            id,
            f"cuDNN, 3 x 3, {images} images {side} x {side}, {channels} channels: {name}",
            times[name],
            unit="TFLOP/s",
            amount=flops,
            method="CUDA events around one call through torch, cold L2, benchmark mode on",
            kernel=TORCH,
            extra={"error": rounded(errors[name]), "us": rounded(times[name].median * 1e6)},
        )


def search(bench):
    """The first call of a shape, and a later one, with benchmark mode off and on."""
    first = {"off": [], "on": []}
    calls = {}
    for mode in first:
        on = mode == "on"
        torch.backends.cudnn.benchmark = on
        for turn in range(21):
            x = torch.randn(8, 64 + 8 * turn, 40 + on, 40, device="cuda")  # a shape never seen
            w = torch.randn(64, 64 + 8 * turn, 3, 3, device="cuda")
            torch.cuda.synchronize()
            began = time.perf_counter()
            conv2d(x, w, padding=1)
            torch.cuda.synchronize()
            first[mode].append(time.perf_counter() - began)
        x, w = torch.randn(32, 96, 56, 56, device="cuda"), torch.randn(96, 96, 3, 3, device="cuda")

        def call(on=on, x=x, w=w):
            torch.backends.cudnn.benchmark = on
            return conv2d(x, w, padding=1)

        calls[mode] = call
    times = bench.samples(calls)
    torch.backends.cudnn.benchmark = True
    for mode, id, later in (
        ("off", "cudnn-first-heuristic", "cudnn-later-heuristic"),
        ("on", "cudnn-first-search", "cudnn-later-search"),
    ):
        bench.micro(
            id,
            f"cuDNN: the first convolution of a shape, benchmark mode {mode}",
            summarize(first[mode][1:]),
            unit="ms",
            method="wall clock to the end of the call; 20 shapes",
            kernel=TORCH,
        )
        bench.micro(
            later,
            f"cuDNN: 3 x 3, 32 images 56 x 56, 96 channels, float32, benchmark mode {mode}",
            times[mode],
            unit="us",
            method="CUDA events around one call through torch, cold L2",
            kernel=TORCH,
        )


def normalization(bench):
    images = 8 if bench.quick else 64
    x = torch.randn(images, 256, 56, 56, device="cuda")
    scale, shift = torch.randn(2, 256, device="cuda")
    wide = x.double()
    right = (wide - wide.mean((0, 2, 3), keepdim=True)) / torch.sqrt(
        wide.var((0, 2, 3), correction=0, keepdim=True) + 1e-5
    ) * scale[:, None, None] + shift[:, None, None]
    calls, errors = {}, {}
    for name in ("cuDNN", "torch"):

        def call(name=name):
            torch.backends.cudnn.enabled = name == "cuDNN"
            try:
                return batch_norm(x, None, None, scale, shift, training=True)
            finally:
                torch.backends.cudnn.enabled = True

        errors[name] = ((call() - right).norm() / right.norm()).item()
        calls[name] = call
    times = bench.samples(calls)
    for name, id, title in (
        ("cuDNN", "cudnn-batch-norm", "cuDNN"),
        ("torch", "cudnn-batch-norm-native", "torch's own kernels"),
    ):
        bench.micro(
            id,
            f"Batch normalization in training, {images} images 56 x 56, 256 channels: {title}",
            times[name],
            unit="GB/s",
            amount=2 * 4 * x.numel(),
            method="CUDA events, cold L2; each number counted as read and written once",
            kernel=TORCH,
            extra={"error": rounded(errors[name]), "us": rounded(times[name].median * 1e6)},
        )
