"""Find the quickest tile for each product of GPT-2: ``python -m benchmarks.gpt_tiles``.

With layouts (``NN NT TN``) it times their products and writes what it found to ``--out``; with
``--write`` it takes such files and writes kernels/gpt/tiles.py. Layouts may run side by side: they
compile at the same time, and take turns on the GPU.
"""

import argparse
import fcntl
import json
import statistics
import tempfile
import time
from pathlib import Path

FILE = Path("kernels/gpt/tiles.py")
LOCK = Path(tempfile.gettempdir()) / "gpt-tiles.lock"


def products(layouts):
    """Return {product: a call's arguments, and how often a step makes it}, on real arrays."""
    import cupy as cp

    from kernels.gpt.matmul import Operand
    from kernels.gpt.model import GPT, Config, backward, forward

    config = Config(layers=6, heads=6, width=384, length=256, symbols=66, batch=64)
    found = {}

    def gemm(a, b, out, scale=1.0, add=False):
        (m, k), n = a.shape[-2:], b.shape[-1]
        layout = "".join("N" if Operand(x).in_rows else "T" for x in (a, b))
        key = layout, m, n, k, out.size // (m * n)
        found.setdefault(key, [a, b, out, scale, 0])[-1] += 1

    model = GPT(config, cp, gemm)
    model.launch = lambda *arguments: None
    forward(model)
    backward(model)
    filled = [model.flat, model.d_x, model.d_act, model.d_qkv, model.d_weights, model.d_mixed]
    filled += [model.logits, *model.normed, *model.qkv, *model.weights, *model.mixed, *model.act]
    for x in filled:  # zeros would be quicker to multiply
        x[...] = cp.random.standard_normal(x.shape, cp.float32)
    return model, {key: call for key, call in found.items() if key[0] in layouts}


def seconds(stream, call, *arguments, calls=8, repeats=9):
    """Return the time of a call: of eight in a graph, since a launch from Python takes longer."""
    import cupy as cp

    from kernels.gpt.train import record

    def several():
        for _ in range(calls):
            call(*arguments)

    with open(LOCK, "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        graph, times = record(stream, several), []
        start, end = cp.cuda.Event(), cp.cuda.Event()
        for turn in range(-2, repeats):
            start.record(stream)
            graph.launch(stream)
            end.record(stream)
            end.synchronize()
            if turn >= 0:
                times.append(cp.cuda.get_elapsed_time(start, end) / 1e3 / calls)
    return statistics.median(times)


def search(layouts):
    """Return a line for each product: its times by cuBLAS and by each tile and split of ours."""
    import cupy as cp
    import numpy as np
    from numba import cuda

    from kernels.gpt.cublas import Cublas
    from kernels.gpt.matmul import SPACE, TILES, Ours

    stream, lines = cp.cuda.Stream(non_blocking=True), []
    with stream:
        ours, cublas = Ours(cuda.external_stream(stream.ptr)), Cublas(stream)
        _, calls = products(layouts)
        for key, (*call, count) in calls.items():
            (_, m, n, k, items), out = key, call[2]
            began, times, errors = time.perf_counter(), {}, []
            splits = [p for p in (4, 6, 8, 12, 24) if p * m * n <= SPACE]
            theirs = seconds(stream, cublas.gemm, *call)
            right = out.copy()
            for name in TILES:
                if "ldmatrix" in name and key[0] == "TN":
                    continue  # nothing lies along k
                for parts in [1, *splits] if items == 1 and k >= 4096 else [1]:
                    ours.choose = lambda *_, pair=(name, parts): pair
                    try:
                        out[...] = np.nan
                        ours.gemm(*call)  # compiles
                        off = float(cp.linalg.norm(out - right) / cp.linalg.norm(right))
                        if not off < 2e-3:
                            errors.append(f"{name} in {parts}: off by {off:.1e}")
                            continue
                        times[f"{name} / {parts}"] = seconds(stream, ours.gemm, *call)
                    except Exception as error:
                        errors.append(f"{name} in {parts}: {type(error).__name__}: {error}")
            out[...] = right
            best = sorted(times, key=times.get)[:4]
            flops = 2e-12 * m * n * k * items
            print(f"{key}, {count} a step, {time.perf_counter() - began:.0f} s to find:")
            print(f"   cuBLAS {theirs * 1e6:.1f} us, {flops / theirs:.0f} TFLOP/s")
            for way in best:
                print(f"   {way:12} {times[way] * 1e6:.1f} us, {theirs / times[way]:.2f} x")
            print(*(f"   WRONG {error}" for error in errors), sep="\n", flush=True)
            found = {"key": key, "a step": count, "cublas": theirs, "ours": times}
            lines.append(found | {"wrong": errors})
    return lines


def write(files):
    """Write kernels/gpt/tiles.py from what was found."""
    text = FILE.read_text(encoding="utf-8")
    lines, ours, theirs = [], 0.0, 0.0
    for file in files:
        for line in json.loads(Path(file).read_text(encoding="utf-8")):
            if not line["ours"]:
                continue
            best = min(line["ours"], key=line["ours"].get)
            ours += line["ours"][best] * line["a step"]
            theirs += line["cublas"] * line["a step"]
            name, _, parts = best.partition(" / ")
            key = ", ".join(f'"{x}"' if isinstance(x, str) else str(x) for x in line["key"])
            lines.append(f'    ({key}): ("{name}", {parts}),\n')
    head, end = text.partition("TUNED = {")[0], "# --8<-- [end:tuned]\n"
    FILE.write_text(f"{head}TUNED = {{\n{''.join(lines)}}}\n{end}", encoding="utf-8")
    print(
        f"products of a step: ours {ours * 1e3:.2f} ms, cuBLAS {theirs * 1e3:.2f} ms, by themselves"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="+", help="layouts, or files to write from")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.write:
        write(options.names)
    else:
        options.out.write_text(json.dumps(search(options.names), indent=1), encoding="utf-8")
