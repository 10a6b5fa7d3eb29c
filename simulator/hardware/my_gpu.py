"""The measurements of the page My GPU, on a GPU through wgpu and in no browser.

Three steps, since node need not be where the GPU is:

    python -m simulator.hardware.my_gpu shaders FILE         the page's shaders (node, no GPU)
    python -m simulator.hardware.my_gpu time FILE TIMES      their seconds, on the GPU (no node)
    python -m simulator.hardware.my_gpu record TIMES RECORD  the record, as the page makes it (node)

For NVIDIA's GPUs. A record goes to ``evidence/webgpu/``; its name says that no browser took part.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

from simulator.hardware.webgpu import Card

ROOT = Path(__file__).resolve().parents[2]
ROOFLINE = ROOT / "docs/assets/vendor/run-here/roofline.json"
BURST, MOST = 0.12, 4096  # as web/run-here/gpu.js
LAUNCHES = 200
# As web/run-here/measure.js names them, of an H200; wgpu names them otherwise.
LIMITS = {
    "maxComputeInvocationsPerWorkgroup": "max-compute-invocations-per-workgroup",
    "maxComputeWorkgroupStorageSize": "max-compute-workgroup-storage-size",
    "maxStorageBufferBindingSize": "max-storage-buffer-binding-size",
    "maxBufferSize": "max-buffer-size",
    "maxStorageBuffersPerShaderStage": "max-storage-buffers-per-shader-stage",
}
LARGE = {"maxStorageBufferBindingSize": 1 << 30, "maxBufferSize": 1 << 30}  # more is not used


def probes(*given):
    """What tools/my_gpu.mjs says, of files with these contents."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / f"{k}.json" for k in range(len(given))]
        for file, data in zip(files, given, strict=True):
            file.write_text(json.dumps(data))
        command = ["node", ROOT / "tools/my_gpu.mjs", *files]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def shaders():
    rows = json.loads(ROOFLINE.read_text())["large"]
    return {"probes": probes(LARGE), "kernels": rows}


def ready(card, shader):
    buffers = [card.buffer(b["bytes"]) for b in shader["bindings"]]
    made = SimpleNamespace(**{"params": b""} | shader)
    return buffers, card.ready(made, buffers)


def seconds(card, shader):
    """Seconds of one launch: of bursts as long as the page's, the median of three."""
    buffers, one = ready(card, shader)
    repeat = 1
    while (took := card.seconds([one] * repeat, flush=False)) <= BURST and repeat < MOST:
        repeat = min(MOST, max(repeat * 2, int(repeat * BURST / max(took, 1e-5)) + 1))
    again = [card.seconds([one] * repeat, flush=False) for _ in range(2)]
    for buffer in buffers:
        buffer.destroy()
    return statistics.median([took, *again]) / repeat


def launch(card, shader):
    """Seconds from one small launch to the next, each submitted by itself."""
    buffers, one = ready(card, shader)
    for count in (8, LAUNCHES):
        began = time.perf_counter()
        for _ in range(count):
            card.submit([one])
        card.device.queue.read_buffer(buffers[-1])  # waits for them
        took = (time.perf_counter() - began) / count
    return took


def timed(found):
    card = Card()
    if card.limits["max-storage-buffer-binding-size"] < LARGE["maxBufferSize"]:
        raise SystemExit("this GPU binds less than the shaders of FILE take")
    *bursts, single = found["probes"]
    kernels = [
        {k: row[k] for k in ("id", "title", "flops", "bytes")}
        | {"seconds": seconds(card, row["shader"] | {"params": b""})}
        for row in found["kernels"]
    ]
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "name": card.info["device"],
        "features": sorted({n.replace("subgroup", "subgroups") for n in card.features}),
        "limits": {ours: int(card.limits[n]) for ours, n in LIMITS.items() if n in card.limits},
        "seconds": [seconds(card, shader) for shader in bursts],
        "launch": launch(card, single),
        "kernels": kernels,
    }


def record(times):
    made = probes(LARGE, times)

    def point(row):
        rate, intensity = row["flops"] / row["seconds"] / 1e9, row["flops"] / row["bytes"]
        roof = min(made["copy_gbps"] * intensity, made["tflops"] * 1000)
        return {"id": row["id"], "title": row["title"], "intensity": intensity, "gflops": rate,
                "gbps": row["bytes"] / row["seconds"] / 1e9, "share": rate / roof}  # fmt: skip

    return {
        "schema": 1,
        "date": times["date"],
        "name": f"{times['name']} through wgpu and Vulkan, in no browser",
        "vendor": "nvidia",
        "architecture": "",
        "software": False,
        "clock": "gpu",
        "subgroup": [32, 32],
        "features": times["features"],
        "limits": times["limits"],
        **made,
        "kernels": [point(row) for row in times["kernels"]],
    }


def main():
    what, *files = sys.argv[1:]
    given = [Path(file) for file in files]
    read = lambda: json.loads(given[0].read_text())  # noqa: E731
    made = shaders() if what == "shaders" else {"time": timed, "record": record}[what](read())
    given[-1].write_text(json.dumps(made, indent=1) + "\n")


if __name__ == "__main__":
    main()
