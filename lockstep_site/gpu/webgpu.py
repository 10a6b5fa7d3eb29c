"""The kernels' WGSL on this machine's GPU, through wgpu, compared with the stepper: a record."""

from pathlib import Path

from lockstep import evidence
from lockstep_site.gpu import machine

OPTIONS = {"subgroups": 32, "unroll": 64}  # as benchmarks/webgpu.py compiles
CASES = "tests.wgsl_cases"


def sources(root: Path) -> list[str]:
    """Return what decides which WGSL is made, and of what."""
    files = [*(root / "simulator/wgsl").glob("*.py"), root / "simulator/hardware/webgpu.py"]
    files += [root / f"tests/wgsl_{name}.py" for name in ("cases", "generated")]
    return sorted(file.relative_to(root).as_posix() for file in files)


def run(root: Path) -> int:
    """Run every kernel that compiles and write what came out; return 1 if one is wrong."""
    from importlib import import_module

    try:
        import wgpu

        from simulator.hardware.webgpu import Card

        card = Card()
    except (ImportError, OSError, IndexError) as error:
        print(f"webgpu: no adapter through wgpu ({error}): pip install -e '.[gpu]', and a Vulkan "
              "driver, which VK_DRIVER_FILES names")  # fmt: skip
        return 1
    cases = import_module(CASES)
    cases.THREADS = card.limits["max-compute-invocations-per-workgroup"]
    cases.SHARED = card.limits["max-compute-workgroup-storage-size"]
    options = OPTIONS | {"f16": "shader-f16" in card.features}
    found = cases.gather(**options)
    said = {}
    for name in cases.known():
        if name in cases.NOT_COMPARED and "on purpose" in cases.NOT_COMPARED[name]:
            said[name] = cases.NOT_COMPARED[name]
            continue
        for record in found.get(name, ()):
            said[name] = result(card, cases, record, name)
    generated = [r for r in cases.generated(**options) if r.shader]
    wrong = [r.kernel for r in generated if result(card, cases, r, exact=True) != "right"]
    bad = {k: v for k, v in said.items() if v.startswith(("wrong:", "failed:"))}
    for name, what in bad.items():
        print(f"{name}: {what}")
    right = sum(v == "right" for v in said.values())
    print(f"{right} of {len(said)} kernels are right, {len(bad)} wrong; of {len(generated)} "
          f"generated ones {len(wrong)} are wrong: {wrong[:20]}")  # fmt: skip
    if bad or wrong:
        return 1
    record = {
        "schema": evidence.SCHEMA,
        "tool": "wgpu",
        "version": wgpu.__version__,
        "target": "wgpu",
        "adapter": f"{card.info['device']}, {card.info['backend_type']}",
        "kernels": said,
        "generated": len(generated),
        **machine.describe(),
        "sources": {path: evidence.file_digest(root / path) for path in sources(root)},
    }
    file = root / "evidence" / machine.machine() / "counters" / "webgpu.json"
    evidence.write(file, record)
    return 0


def result(card, cases, record, name="", exact=False):
    """Return what came of a launch, in words."""
    if record.refused:
        return f"refused: {record.refused.what}"
    try:
        got = card.run(record.shader, record.before)
    except Exception as error:  # the driver's or wgpu's own: the next kernel may run
        return f"failed: {error}"[:400]
    if exact:
        differs = cases.unlike(record, got)[:3]
    else:
        differs = cases.wrong(record, got, name)
    return f"wrong: {differs}" if differs else "right"
