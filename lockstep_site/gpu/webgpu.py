"""The kernels' WGSL, on this machine's GPU through wgpu or in a browser without one, compared with
the stepper: a record, and the level of proof that it gives to blocks that show those kernels.

A record holds the hash of each kernel's file with what it imports, and of the text that ran: the
WGSL with its constants and workgroups. After a change of either, the kernels that it touches are
proved no longer, and ``problems`` names them. Which text today's compiler makes for a GPU, the
browser's record says, which any machine renews: it is bound to the compiler itself.
"""

import hashlib
import re
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from lockstep import evidence, imports
from lockstep.block import Page
from lockstep.evidence import Evidence, Problem
from lockstep_site.gpu import machine

LEVEL = "webgpu"
# As the page compiles: integers of 64 bits as pairs of 32 where a kernel needs them. For an adapter
# whose subgroups are warps, and for one without.
BROWSER = {"unroll": 64, "fallback": ("pairs",)}
OPTIONS = BROWSER | {"subgroups": 32}
# What an H200 has, for the texts that a machine without it makes: features, and room of a block.
GPU, ROOM = OPTIONS | {"f16": True}, (1024, 49152)
CASES = "tests.wgsl_cases"
RUNNER = "simulator/hardware/webgpu.py"
GENERATED = "generated"  # the name of their texts' common hash
# Records by their names: how such a run is told, and how it is made again.
RUNS = {
    "webgpu": ("through wgpu and Vulkan", "python -m lockstep gpu --steps webgpu, on a GPU"),
    "chromium": ("in headless Chromium, by its software adapter", "python -m lockstep webgpu"),
}
KERNEL = re.compile(r"^ *@cuda\.jit\b[^\n]*\n *def (\w+)\(", re.MULTILINE)


def sources(root: Path) -> list[str]:
    """Return what decides which WGSL is made, and of what."""
    files = [*(root / "simulator/wgsl").glob("*.py"), root / RUNNER]
    files += [root / f"tests/wgsl_{name}.py" for name in ("cases", "generated")]
    return sorted(file.relative_to(root).as_posix() for file in files)


def text_digest(shader) -> str:
    """Return the hash of what a GPU gets of a kernel: its text, constants and workgroups."""
    text = f"{shader.wgsl}\n{shader.params.hex()}\n{shader.groups}"
    return hashlib.sha256(text.encode()).hexdigest()


def texts(found, generated) -> dict[str, str]:
    """Return the hashes of the kernels' texts, and of those of the generated kernels together."""
    said = {n: text_digest(r.shader) for n, rows in found.items() for r in rows
            if r.shader and n.startswith("kernels/")}  # fmt: skip
    every = "".join(text_digest(r.shader) for r in generated if r.shader)
    return dict(sorted(said.items())) | {GENERATED: hashlib.sha256(every.encode()).hexdigest()}


def for_gpu(cases: Any) -> dict[str, str]:
    """Return the hashes of the texts that the compiler makes for an H200."""
    kept = cases.THREADS, cases.SHARED
    cases.THREADS, cases.SHARED = ROOM
    made = texts(cases.gather(**GPU), cases.generated(**GPU))
    cases.THREADS, cases.SHARED = kept
    return made


def digest(root: Path, path: str) -> str:
    """Return the hash of a kernel's file and of what it imports of the kernels."""
    files = sorted(imports.closure(root, [path], ["kernels"]))
    text = "".join(f"{name} {evidence.file_digest(root / name)}\n" for name in files)
    return hashlib.sha256(text.encode()).hexdigest()


# ---------------------------------------------------------------- records


def run(root: Path) -> int:
    """Run every kernel that compiles on the GPU here; return 1 if one is wrong."""
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

    def each(launches):
        for launch in launches:
            try:
                yield card.run(launch.shader, launch.before)
            except Exception as error:  # the driver's or wgpu's own: the next kernel may run
                yield str(error)

    adapter = f"{card.info['device']}, {card.info['backend_type']}"
    from simulator.hardware import webgpu_numba

    return record(
        root, "webgpu", "wgpu", wgpu.__version__, adapter, options, each, webgpu_numba.asked
    )


def browse(root: Path) -> int:
    """Run every kernel in headless Chromium; return 1 if one is wrong."""
    from playwright.sync_api import sync_playwright

    browser = import_module("tests.webgpu")
    with sync_playwright() as playwright, browser.page(playwright) as tab:
        version = tab.context.browser.version
        name = tab.evaluate(browser.NAME)
        return record(root, "chromium", "Chromium", version, name, BROWSER,
                      lambda launches: browser.run(tab, launches))  # fmt: skip


def beside(cases, rows, came, theirs) -> dict[str, str]:
    """Return how WGSL's results stand to Numba's: name -> "equal", or what differs, or why not."""
    said = {}
    for (n, r), got, numba in zip(rows, came, theirs, strict=True):
        if isinstance(numba, str) or isinstance(got, str):
            said[n] = f"not compared: {numba if isinstance(numba, str) else got[:200]}"
            continue
        after = {b.name: numba[b.name].tolist() for b in r.shader.bindings if b.name in numba}
        same = [b for b in r.shader.bindings if b.name in after or not b.written]
        r = replace(r, after=after, shader=replace(r.shader, bindings=same))
        differs = cases.wrong(r, got, n)
        said[n] = f"differs: {differs[:300]}" if differs else "equal"
    return said


def record(root, name, tool, version, adapter, options, each, numba=None) -> int:
    """Run every kernel by ``each``, which takes launches, and write what came out.

    ``numba``: of launches, what Numba's own kernels leave here.
    """
    cases = import_module(CASES)
    found = cases.gather(**options)
    known = cases.known()
    names = [*known, *sorted(n for n in found if n not in known and n.startswith("kernels/"))]
    rows = [(n, r) for n in names for r in found.get(n, ()) if n not in cases.NOT_COMPARED]
    todo = [(n, r) for n, r in rows if cases.runs(r) and r.after]
    said = {n: why for n in names if "on purpose" in (why := cases.NOT_COMPARED.get(n, ""))}
    said |= {n: f"refused: {r.refused.what}" for n, r in rows if r.refused}
    came = list(each([r for _, r in todo]))
    for (n, r), got in zip(todo, came, strict=True):
        differs = got[:400] if isinstance(got, str) else cases.wrong(r, got, n)
        kind = "failed" if isinstance(got, str) else "wrong"
        said[n] = f"{kind}: {differs}" if differs else "right"
    generated = cases.generated(**options)
    compiled = [r for r in generated if r.shader]
    made = list(each(compiled))
    wrong = {
        r.kernel: what
        for r, got in zip(compiled, made, strict=True)
        if (what := got[:400] if isinstance(got, str) else str(cases.unlike(r, got)[:3] or ""))
    }
    bad = {k: v for k, v in said.items() if v.startswith(("wrong:", "failed:"))}
    for n, what in (bad | wrong).items():
        print(f"{n}: {what}")
    right = sum(said.get(n) == "right" for n in known)
    inner = sum(v == "right" for v in said.values()) - right
    print(f"{right} of {len(known)} kernels are right, and {inner} that functions make; {len(bad)} "
          f"wrong; of {len(compiled)} generated {len(wrong)} are wrong")  # fmt: skip
    if bad or wrong:
        return 1
    against = {}
    if numba:
        program = cases.program()
        pairs = [(r.kernel, r) for r in compiled]
        of = {"kernels": beside(cases, todo, came, numba([r for _, r in todo]))}
        of["generated"] = beside(cases, pairs, made, numba(compiled, program))
        for kind, seen in of.items():
            equal = sum(what == "equal" for what in seen.values())
            others = {n: what for n, what in seen.items() if what != "equal"}
            print(f"{equal} of {len(seen)} {kind} leave what Numba's own leave; others: {others}")
            against[kind] = {"equal": sorted(seen.keys() - others.keys()), "others": others}
    hashes = {path: evidence.file_digest(root / path) for path in sources(root)}
    browser = name == "chromium"
    written = {
        "schema": evidence.SCHEMA,
        "tool": tool,
        "version": version,
        "target": tool.lower(),
        "adapter": adapter,
        "kernels": {n: said[n] for n in known if n in said},
        "made": {n: what for n, what in said.items() if n not in known},
        "files": {p: digest(root, p) for p in sorted({n.split(":")[0] for n in said})},
        "generated": len(compiled),
        "texts": texts(found, generated),
        **({"numba": against} if numba else {}),
        **({"texts_for_gpu": for_gpu(cases)} if browser else {"compiler": hashes}),
        **machine.describe(),
        "sources": hashes if browser else {RUNNER: hashes[RUNNER]},
    }
    file = root / "evidence" / machine.machine() / "counters" / f"{name}.json"
    evidence.write(file, written)
    return 0


# ---------------------------------------------------------------- the level of proof


def runs(records: Evidence):
    """Yield (how it is told, record, today's texts) of the runs that count, GPUs first."""
    known = sorted(records.others["counters"].items(), reverse=True)
    known = [(name.rpartition("/")[2], found) for name, found in known if found["fresh"]]
    made: dict[str, str] = next(
        (found["texts_for_gpu"] for kind, found in known if kind == "chromium"), {}
    )
    for kind, found in known:
        if kind in RUNS:
            yield kind, found, made if kind == "webgpu" else found["texts"]


def where(kind: str, found: dict, names: list[str]) -> str:
    """Return where a run of these kernels was made, in words."""
    place = found["device"]["name"] if kind == "webgpu" else found["adapter"]
    equal = found.get("numba", {}).get("kernels", {}).get("equal", [])
    numba = ", where Numba's own kernel leaves the same" if set(names) <= set(equal) else ""
    return f"{place} {RUNS[kind][0]}, {found['date']}{numba}"


def proved(page: Page, records: Evidence) -> dict[int, tuple[str, str]]:
    """Return for blocks whose kernels all ran as WGSL, and were right: where. By their indices."""
    said: dict[int, tuple[str, str]] = {}
    known = list(runs(records))
    for block in page.blocks if known else ():
        names = [f"{block.path}:{name}" for name in KERNEL.findall(block.text)]
        if block.language != "python" or not names:
            continue
        there = [
            where(kind, found, names)
            for kind, found, made in known
            if all((found["kernels"] | found["made"]).get(name) == "right" for name in names)
            and all(made.get(name) == found["texts"].get(name) for name in names)
            and found["files"].get(block.path) == digest(page.root, block.path)
        ]
        if there:
            said[block.index] = LEVEL, f"as WGSL, with the stepper's result: {'; '.join(there)}"
    return said


def problems(records: Evidence) -> list[Problem]:
    """Return the kernels whose WGSL a run had, and that have changed since, or their text has."""
    found = []
    for kind, run, made in runs(records):
        there = {p: sha for p, sha in run["files"].items() if (records.root / p).is_file()}
        old = {path for path, sha in there.items() if digest(records.root, path) != sha}
        old |= {name.split(":")[0] for name, sha in run["texts"].items() if made.get(name) != sha
                and (name == GENERATED or name.split(":")[0] in there)}  # fmt: skip
        if names := sorted(old):
            what = f"WGSL of {', '.join(names[:3])}{' and others' * (len(names) > 3)}, {kind}"
            found.append(Problem("stale", what, RUNS[kind][1]))
    return found
