"""The serving engine: a pass as a graph, static and continuous batching, speculation."""

import gc
import json
import subprocess
import sys
import time
from functools import partial

import numpy as np

from benchmarks.harness import BenchmarkError, WallTimer, rounded, summarize
from kernels.engine.engine import Engine, Serving
from kernels.engine.graphs import OnGPU
from kernels.engine.load import InBatches, arrivals, report, serve_continuous, serve_static
from kernels.engine.rows import TABLE, rows_of
from kernels.engine.server import Server
from kernels.engine.speculative import Letters, speculate
from kernels.profiling.small_model import launches
from kernels.quantization.model import as_text, encode, names, train

LOAD, GRAPHS = "kernels/engine/load.py", "kernels/engine/graphs.py"
SPECULATIVE, SERVER = "kernels/engine/speculative.py", "kernels/engine/server.py"
BLOCKS, REPEATS = 512, 20
RATES = (1000, 2000, 3000, 4000)  # requests a second
HTTP_RATES = (100, 250, 500, 1000)
BATCHING = {"http-static": "static", "http": "continuous"}
SCHEDULERS = {"http-static": InBatches, "http": Serving}
METHOD = "wall clock, one process, requests of 8 letters that make 2, 2, 4 or 24"


def run(bench):
    lines = names()
    cut = len(lines) * 9 // 10  # the rest is asked for by the speculation
    text, began = as_text(lines[:cut]), time.perf_counter()
    weights = train(text, steps=40 if bench.quick else 150)
    bench.say(f"[serving]   trained in {time.perf_counter() - began:.0f} s")
    model = OnGPU(weights, BLOCKS)
    with bench.part("a pass"):
        passes(bench, model, OnGPU(weights, BLOCKS, graphs=False))
    with bench.part("batching"):
        at_once(bench, model)
    for rate in RATES:
        with bench.part(f"{rate} requests a second"):
            under_load(bench, model, rate)
    over_http(bench, weights)
    with bench.part("speculation"):
        speculation(bench, weights, Letters(text), lines[cut : cut + 40])


def passes(bench, model, launched):
    for size in (1, 32):
        rows = []
        for i in range(size):
            rows += rows_of(range(20), 19, 20, range(8 * i, 8 * i + 5))
        calls = {"graph": partial(model, rows), "launched": partial(launched, rows)}
        timer = WallTimer(bench.device.synchronize, calls=5)
        times = bench.samples(calls, timer, repeats=50)
        for name, words in (("launched", "kernel by kernel"), ("graph", "as one CUDA graph")):
            bench.micro(
                f"serving-pass-{name}-{size}",
                f"A pass over {size} tokens, rows copied to the GPU and back, {words}",
                times[name], unit="us", method="wall clock until the tokens are on the host",
                kernel=GRAPHS, terms=["cuda-graph"],
                extra={
                    "gain": rounded(times["launched"].median / times[name].median),
                    "kernels": launches(calls["launched"])[0],
                },
            )  # fmt: skip


def measured(bench, model, count, rate):
    """Return samples of (tokens a second, p50, p99) for each way, in turns."""
    found = {"static": [], "continuous": []}
    gc.collect()
    for repeat in range(3 if bench.quick else REPEATS):
        for name, serve in (("static", serve_static), ("continuous", serve_continuous)):
            requests = arrivals(count, rate, np.random.default_rng(repeat))
            settings = {} if name == "static" else {"blocks": BLOCKS}
            seconds = serve(model, requests, **settings)
            if any(len(r.output) != r.answer for r in requests):
                raise BenchmarkError(f"{name}: an answer is not whole")
            found[name].append(report(requests, seconds))
    return {name: np.array(rows).T for name, rows in found.items()}


def at_once(bench, model):
    found = measured(bench, model, 512, 0)
    medians = {name: float(np.median(rows[0])) for name, rows in found.items()}
    for name, rows in found.items():
        bench.micro(
            f"serving-{name}",
            f"512 requests at once, {name} batching, 32 at a time: tokens a second",
            summarize(rows[0].tolist()), unit="tokens/s", method=METHOD,
            kernel=LOAD, terms=["continuous-batching"],
            extra={"gain": rounded(medians[name] / medians["static"])},
        )  # fmt: skip


def under_load(bench, model, rate):
    found = measured(bench, model, int(0.15 * rate), rate)
    for name, (tokens, p50, p99) in found.items():
        bench.micro(
            f"serving-{name}-{rate}",
            f"{rate} requests a second, {name} batching: time to the last token, 99th percentile",
            summarize(p99.tolist()), unit="ms", method=METHOD,
            kernel=LOAD, terms=["continuous-batching"],
            extra={
                "p50_ms": rounded(float(np.median(p50)) * 1e3),
                "rate": rate,
                "tokens_per_second": rounded(float(np.median(tokens))),
            },
        )  # fmt: skip


def over_http(bench, weights):
    """The engine behind its server, with clients in a process of their own, both ways in turns."""
    servers = {}
    for name, scheduler in SCHEDULERS.items():
        model = OnGPU(weights, BLOCKS)  # steps as large as those of the loop without HTTP
        steps = {"budget": 64, "most": 32, "scheduler": scheduler}
        servers[name] = Server(Engine(model, blocks=BLOCKS, most_waiting=1000, **steps))
    for rate in HTTP_RATES:
        with bench.part(f"{rate} requests a second over HTTP"):
            found = {name: [] for name in servers}
            for seed in range(3 if bench.quick else 5):
                for name, server in servers.items():
                    words = (server.server_port, rate, rate, seed)  # a second of requests
                    command = [sys.executable, "-m", "kernels.engine.clients", *map(str, words)]
                    done = subprocess.run(command, check=True, capture_output=True, text=True)
                    found[name].append(json.loads(done.stdout))
            for name, runs in found.items():
                of = {field: [run[field] for run in runs] for field in runs[0]}
                bench.micro(
                    f"serving-{name}-{rate}",
                    f"{rate} requests a second over HTTP, {BATCHING[name]} batching: "
                    "time to the last token, 99th percentile",
                    summarize(of["p99"]), unit="ms",
                    method="wall clock of clients in another process, connections kept",
                    kernel=SERVER, terms=["continuous-batching"],
                    extra={
                        "p50_ms": rounded(float(np.median(of["p50"])) * 1e3),
                        "rate": rate,
                        "tokens_per_second": rounded(float(np.median(of["tokens_per_second"]))),
                    },
                )  # fmt: skip
    for server in servers.values():
        server.close()


def speculation(bench, weights, draft, lines):
    model, blocks = OnGPU(weights, TABLE, sizes=(1, 3, 5, 16)), list(range(TABLE))
    prompts = [[int(token) for token in encode(line[:8])] for line in lines]
    found = {}
    for _ in range(3 if bench.quick else REPEATS):
        for guesses in (0, 2, 4):
            began, out = time.perf_counter(), []
            counts = np.zeros(3, int)
            for prompt in prompts:
                tokens, *stats = speculate(model, draft, prompt, 24, blocks, guesses)
                out.append(tokens)
                counts += stats
            rate = 24 * len(prompts) / (time.perf_counter() - began)
            found.setdefault(guesses, []).append((rate, out, counts))
    right = found[0][0][1]
    for guesses, runs in found.items():
        if any(out != right for _, out, _ in runs):
            raise BenchmarkError(f"{guesses} guesses write something else than none")
        passes, made, accepted = (int(count) for count in runs[0][2])
        rate = summarize([rate for rate, *_ in runs])
        base = summarize([rate for rate, *_ in found[0]])
        bench.micro(
            f"serving-speculative-{guesses}",
            f"One request at a time, {guesses} guesses for a pass: tokens a second",
            rate, unit="tokens/s", method="wall clock, 40 names of 24 letters, drafts included",
            kernel=SPECULATIVE, terms=["speculative-decoding"],
            extra={
                "gain": rounded(rate.median / base.median),
                "accepted_share": rounded(accepted / made) if made else 0.0,
                "tokens_per_pass": rounded(24 * len(prompts) / passes),
            },
        )  # fmt: skip
