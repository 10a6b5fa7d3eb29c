"""Which blocks of a page its reader can run in the browser, and the program each of them opens.

A program is the page's own code, as much of it as the block needs: its imports, the functions that
it calls, and the example that launches its kernel. ``snippets/run_here/offers.yml`` adds what a
page has no room for: launches of kernels that it shows and does not launch, other inputs, and edits
that break the kernel; ``snippets/run_here/sizes.yml`` has launches with enough work for a reader's
GPU. Nothing is run to find this out; the suite runs every program.
"""

import ast
import doctest
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from lockstep import languages
from lockstep.mistakes import parse
from lockstep.page import LOADER, Block, Page
from lockstep.parts import Part
from lockstep_site import exercise
from lockstep_site.gpu.needs import gpu_only

OFFERS = "snippets/run_here/offers.yml"
SIZES = "snippets/run_here/sizes.yml"
EXERCISES = "snippets/run_here/exercises.yml"


@dataclass(frozen=True)
class Program:
    """What the editor holds when a block's button is pressed.

    ``blocks`` are the indices of the page's blocks that it is made of, ``wants`` what the page says
    that its examples show, in their order, ``sizes`` launches of its kernels that are large enough
    for a reader's GPU to be measured by, as ``simulator/larger.py`` takes them.
    """

    block: Block
    code: str
    blocks: tuple[int, ...]
    wants: tuple[str, ...]
    breaks: tuple[dict, ...]
    presets: tuple[dict, ...]
    sizes: dict[str, dict]

    @property
    def key(self) -> str:
        """Its name on the page, as in ``data-run``."""
        return str(self.block.index)


def programs(page: Page) -> list[Program]:
    """Return the programs of a page, in the order of the blocks that open them."""
    offers = read_offers(page.root) | {"sizes": read_sizes(page.root)}
    needs_gpu = gpu_only(page)
    every = [
        block
        for block in page.blocks
        if block.runs and block.language in {"python", "pycon"} and "file" not in block.options
    ]
    blocks = [block for block in every if block.index not in needs_gpu]
    found = []
    lacking = {b.index for b in blocks if _lacking(b)}
    for at, block in enumerate(blocks):
        kernels = _kernels(block)
        if script := offers["launches"].get(block.source):
            chosen = [*_needed(blocks[: at + 1], _names_read(ast.parse(script))), block]
            found.append(_program(block, chosen, script, offers))
        elif _launches(blocks[: at + 1]):
            chosen = [*_needed(blocks[:at], _reads(block)), block]
            found.append(_program(block, chosen, "", offers))
        elif kernels:
            for later in range(at + 1, len(blocks)):
                chosen = [*_needed(blocks[:later], _reads(blocks[later])), blocks[later]]
                if block in chosen and _launches(chosen, kernels):
                    found.append(_program(block, chosen, "", offers))
                    break
    for at, block in enumerate(every):  # a kernel of 16-byte loads, with stand-ins for them
        script = offers["launches"].get(block.source)
        if block.index in needs_gpu and script:
            chosen = [*_needed(every[: at + 1], _names_read(ast.parse(script))), block]
            found.append(_program(block, chosen, script, offers))
    for block in page.blocks:  # a file of its own: no other block has its names
        if "file" in block.options and (script := offers["launches"].get(block.source)):
            found.append(_program(block, [block], script, offers))
    found.sort(key=lambda p: p.block.index)
    return [
        p
        for p in found
        if p.block.source not in offers["withheld"] and not lacking.intersection(p.blocks)
    ]


def _program(block: Block, chosen: list[Block], script: str, offers: dict) -> Program:
    chosen = sorted(set(chosen), key=lambda b: b.index)
    stand_ins = offers["stand_ins"]
    texts = (stand_ins.get(b.source, _source(b)).strip("\n") for b in chosen)
    parts = [*texts, *([script.strip("\n")] if script else [])]
    # What is offered is about the kernel of this block, not about others that the program contains.
    sources = [b.source for b in chosen if b.path == block.path]
    said = [e.want for b in chosen if b.language == "pycon" for e in _examples(b) if e.want]
    wants = [want.replace(doctest.BLANKLINE_MARKER, "") for want in said]  # a session has a line
    return Program(
        block=block,
        code="\n\n".join(parts) + "\n",
        blocks=tuple(b.index for b in chosen),
        wants=tuple(wants),
        breaks=tuple(x for s in sources for x in offers["breaks"].get(s, ())),
        presets=tuple(x for s in sources for x in offers["presets"].get(s, ())),
        sizes={k: v for b in (*chosen, block) for k, v in offers["sizes"].get(b.path, {}).items()},
    )


def data(page: Page) -> dict | None:
    """Return what the panel asks for when a button of the page is pressed, or None."""
    found = programs(page)
    named = exercise.named(page.written or "")
    if not found and not named:
        return None
    cases = read_sizes(page.root, EXERCISES)
    graded = {
        f"x-{name}": exercise.program(name, page.root)
        | ({"sizes": _launch(cases[name])} if name in cases else {})
        for name in named
    }
    return {
        "page": page.title,
        "programs": graded
        | {
            program.key: {
                "source": program.block.source,
                "code": program.code,
                "breaks": [_edit(x) for x in program.breaks],
                "presets": [_edit(x) for x in program.presets],
                **({"sizes": program.sizes} if program.sizes else {}),
            }
            for program in found
        },
    }


def _launch(case: dict) -> dict:
    """An exercise's large launch as simulator/larger.py takes it: for one ``n``."""
    return {key: case[key] for key in ("grid", "block", "arrays", "numbers")} | {"n": [1]}


def _edit(offer: dict) -> dict:
    """An offer as the panel takes it: a label, and pairs of what is found and what replaces it."""
    return {"label": offer["label"], "edits": offer["edits"]}


def apply(code: str, edits: list[list[str]]) -> str:
    """Return a program with edits made, each where its text occurs last, as the panel makes them.

    Raises ``ValueError`` where one finds nothing to change.
    """
    for find, replace in edits:
        before, found, after = code.rpartition(find)
        if not found:
            raise ValueError(f"there is no {find!r} to change")
        code = before + replace + after
    return code


def read_offers(root: Path) -> dict[str, dict]:
    """Return the offers: ``launches``, ``breaks``, ``presets``, each by source of a block.

    And ``withheld``: blocks without a button, each with the reason; and ``stand_ins``: what stands
    in the editor in place of blocks that are instructions of a GPU.
    """
    file = root / OFFERS
    return _offers(file.read_text(encoding="utf-8") if file.is_file() else "")


def read_sizes(root: Path, name: str = SIZES) -> dict[str, dict]:
    """Return the launches that are large enough for a GPU: file -> kernel -> launch.

    Those of exercises, in ``EXERCISES``, by the exercise's name.
    """
    file = root / name
    return _sizes(file.read_text(encoding="utf-8") if file.is_file() else "")


@cache
def _sizes(text: str) -> dict[str, dict[str, dict]]:
    return yaml.load(text, LOADER) or {}


@cache
def _offers(text: str) -> dict[str, dict]:
    """Every page asks for the offers, and they take longer to read than the page."""
    none: dict[str, dict] = {
        kind: {} for kind in ("launches", "breaks", "presets", "withheld", "stand_ins")
    }
    return none | (yaml.load(text, LOADER) or {})


# ---------------------------------------------------------------- what the browser lacks


@cache
def _lacking(block: Block) -> frozenset[str]:
    """Return the names in a block for which the browser's stand-ins have nothing.

    Names of NumPy, and what numba-cuda-mlir has beside ``cuda``.
    """
    import numpy as np  # with the stepper, half of what this package takes to import

    from simulator.stepper import lite

    drawn = {n for n in dir(np.random.Generator) if not n.startswith("_")} - set(
        dir(lite.Generator)
    )
    found = set()
    for node in ast.walk(_tree(block)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("numba_cuda_mlir"):
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= names - {"numba_cuda_mlir.cuda"}
        elif isinstance(node, ast.Attribute):
            if isinstance(node.value, ast.Name) and node.value.id == "np":
                if not hasattr(lite, node.attr) and node.attr not in {"random", "testing"}:
                    found.add(f"np.{node.attr}")
            elif node.attr in drawn:
                found.add(node.attr)
    return frozenset(found)


# ---------------------------------------------------------------- names


def _examples(block: Block) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(block.text)


def _source(block: Block) -> str:
    """Return the statements of a block."""
    return block.copied


@cache
def _tree(block: Block) -> ast.Module:
    try:
        return parse(_source(block))
    except SyntaxError:  # running the page reports it
        return ast.Module([], [])


@cache
def _reads(block: Block) -> frozenset[str]:
    return _names_read(_tree(block))


def _names_read(tree: ast.Module) -> frozenset[str]:
    """Return the names that come from other blocks."""
    bound: set[str] = set()
    read: set[str] = set()
    for statement in tree.body:
        read |= languages.names_read(statement) - bound
        bound |= languages.names_bound(statement)
    return frozenset(read)


@cache
def _binds(block: Block) -> frozenset[str]:
    return frozenset(n for s in _tree(block).body for n in languages.names_bound(s))


def _needed(blocks: list[Block], names: frozenset[str]) -> list[Block]:
    """Return those of the blocks that these names come from, and what those need in turn.

    A function may call one of a later block, so what is still wanted is looked for once more.
    """
    wanted, chosen, known = set(names), [], -1
    while known != len(chosen):
        known = len(chosen)
        wanted -= {name for block in chosen for name in _binds(block)}
        for block in reversed(blocks):
            if block not in chosen and (made := _binds(block) & wanted):
                chosen.append(block)
                wanted = (wanted - made) | _reads(block)
    return sorted(chosen, key=lambda block: block.index)


@cache
def _kernels(block: Block) -> frozenset[str]:
    """Return the functions of a block that ``@cuda.jit`` makes kernels of, or that make kernels."""
    return frozenset(
        node.name
        for node in _tree(block).body
        if isinstance(node, ast.FunctionDef)
        and any(
            _is_jit(decorator)
            for inner in ast.walk(node)
            if isinstance(inner, ast.FunctionDef)
            for decorator in inner.decorator_list
        )
    )


def _is_jit(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        if any(k.arg == "device" for k in node.keywords):
            return False
        node = node.func
    return isinstance(node, ast.Attribute) and node.attr == "jit"


def _launches(blocks: list[Block], kernels: frozenset[str] | None = None) -> bool:
    """Whether the last block launches a kernel, by itself or through functions of the others.

    ``kernels``: only these count.
    """
    functions: dict[str, set[str]] = {}
    every: set[str] = set()
    for block in blocks:
        every |= _kernels(block)
        for node in _tree(block).body:
            if isinstance(node, ast.FunctionDef):
                functions[node.name] = languages.names_read(node)
    reached: set[str] = set()
    names = [
        name
        for node in _tree(blocks[-1]).body
        if not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Import | ast.ImportFrom)
        for name in languages.names_read(node)
    ]
    while names:
        name = names.pop()
        if name not in reached:
            reached.add(name)
            names += functions.get(name, ())
    return bool(reached & (every if kernels is None else kernels))


class RunHerePart(Part):
    """The button below a block that its reader can run, and the programs that it opens."""

    name = "run here"

    def attributes(self, page: Page) -> dict[int, str]:
        found = {program.block.index for program in programs(page)}
        return {index: f'data-run="{index}"' for index in found}

    def files(self, page: Page) -> dict[str, dict]:
        found = data(page)
        return {"run.json": found} if found else {}
