"""Numba kernels as their own repositories launch them, drawn by a rule and kept for the GPU.

The rule, written down before any of them was compiled:

1. REPOSITORIES are public courses, tutorials and examples, by name. Of each, its Python files and
   notebooks that have ``cuda.jit`` in them, by path, run as they are in the stepper. What fails (no
   data, no package, an exercise that is not filled in) ends its cell, or its file.
2. A kernel, which is a function under ``cuda.jit``, counts by its first launch there, with the
   arguments that the file gives it.
3. It belongs to the set if no argument is a float64 or a complex number or holds some. A Python
   float is a float64.
4. A kernel whose text is that of an earlier one, whatever its name, counts once.
5. At most EACH of a repository, and the first WANTED of all. Nothing is left out for what becomes
   of it.

``python -m simulator.foreign.launched FOLDER`` draws them and writes launched.json; FOLDER holds
the repositories, each checked out as OWNER/NAME. It looks at the launches, makes none of them, and
compiles nothing. ``simulator.foreign.wgsl`` runs what is listed there.
"""

import argparse
import ast
import contextlib
import copy
import hashlib
import io
import json
import math
import os
import pickle
import resource
import signal
import sys
import tempfile
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType

from simulator import larger
from simulator.foreign.scripts import IPYTHON
from simulator.foreign.webgpu import slim
from simulator.stepper import Stepper, host
from simulator.stepper.types import Array, Record, RecordRef, Scalar, Tuple, float64
from simulator.wgsl.launch import capture

LIST = Path(__file__).with_name("launched.json")
EACH, WANTED = 10, 55
SECONDS, STEPS = 60, 100_000_000
# How each is compiled: as it is, then with int64 as pairs, then with float64 emulated.
OPTIONS = {"unroll": 64, "threads": 256, "fallback": ("pairs", "emulate_float64")}
REPOSITORIES = {
    "abyssnlp/numba-gpu": "a8606359b09b9b1c4b92059448b0454ebde3e5ce",
    "ADACS-Australia/2026-Python-GPU-training": "0b96cb5fec782aa1ed887742b516b21258f0b1fa",
    "callmetandat/Applied-Parallel-Programming": "1545b6ba40f4687a27f8a36f3c20d4cb68bc94a9",
    "ContinuumIO/gtc2018-numba": "99e73d72b5c05e0d469b1e08574ea97d8ceb0800",
    "ContinuumIO/gtc2020-numba": "c1510d731f39bd48cd9b326721b97dd1b80880a6",
    "ContinuumIO/numbapro-examples": "43d09b24775af8707bd620803166f8ff133a86a1",
    "daniel-vera-g/numba-cuda-intro": "92a888f5bb066992df943562eef9425c98bb1825",
    "diogoap00/Hidden-Markov-Model-Numba-CUDA": "d729b0dbc83cb3cd06279a3081740a29654bfae8",
    "elatrech-idriss/Optimisation-GPU-de-calculs-de-forces-entre-particules-avec-Numba-CUDA":
        "079123cedc666cd447efa6110376a571e52d17d3",
    "ENCCS/gpu-programming": "87fab1cb29329f6fcf5bf592b96b22ca1c61cec6",
    "erolrecep/numba-tutorial": "221a088741ba0f50667c0389b89fdf10519cfaef",
    "gcapes/intro-cuda-python": "959b3a893984dd9c243fff98495e9735d8c72c33",
    "gmarkall/extending-numba-cuda": "2cb8bcb8a45da4db5254332e926499b5ed26fdae",
    "gmarkall/pyhep-2021": "de5406d046b74f549ee383c4c8f4b20c27654c9f",
    "gpu-mode/lectures": "7cb40f67ad68f59a7c13e9a8c4d8a816a3c68e7a",
    "harrism/numba_examples": "a62beb76fdb92459ea87feb955a943c270de6e4c",
    "jacobtomlinson/gpu-python-tutorial": "80265c00678d8ff601bbb5efb04fede6dc75a86a",
    "jhih-ching-yeh/Fundamentals-of-Accelerated-Computing-with-CUDA-Python":
        "b98d464ab4be33b8ba0f311005f6936dd08a67ca",
    "jpivarski-talks/2023-11-02-atlas-gpu-python-tutorial":
        "003a840d913bcd7d95925c1add4b6b1c08e770d9",
    "karimshahi/cuda-python-examples": "a94f32827330267bdb1084bea72013c5b01d59ec",
    "manyfeatures/Numba-Cuda": "1c86f4350355b1991e2118db997967f38dadfe05",
    "nicoleyu0623/CUDA-Python-with-Numba": "50cd649c6e57f2eddc1043792e9908092030f63f",
    "numba/numba-examples": "c423f5419a459f5ab8874fda6d39bb5ea05d04b2",
    "numba/nvidia-cuda-tutorial": "d2ef2bc1e73eb0781313869b2e9d7e2ebc757aba",
    "NVIDIA/accelerated-computing-hub": "a776efdfc2fba159a0aecced3e7c0dfafaf81b8b",
    "nyu-cds/python-numba": "e1783ed7cd7e3444de0b2bd41d1c6d1fa2caf9dc",
    "SkaAnn/PPDS-2020": "126f63dc29cfa6ee2fce29aa374ce12074f49e6b",
    "tairaskar/CuPy-Numba-CUDA-C": "9fe2b4ed8972f92c2419de7c173c248281b72143",
    "vargalg/CUDA-Python-tutorial": "2a1a98a2805960e6bd9cc6203ccfca23b710d63d",
    "WHDY/mnist_cnn_numba_cuda": "b7ee58d072aa253ad248d134d53ce2b4cfb155e6",
    "wpjunior/cuda-numba-playground": "303b936e306a1e7c80c175e64db1a35b533f98a3",
    "Z841973620/nvidia-dli": "68a2ad72ee5f39edf48048294b68bd659f041b3a",
    "zhaoxuhui/CUDA-Python-Example2": "34d092c7411be808fb84439d2eaa5409b5ce209d",
    "zyzhang1992/python-gpu-tutorial": "6f9dc260c9cfe40ca32c19fe18a84c92a1a2d069",
}  # fmt: skip


# ---------------------------------------------------------------- files as they are


def files(folder):
    """Paths of the Python files and notebooks with kernels, in order."""
    found = []
    for file in folder.rglob("*"):
        path = file.relative_to(folder).as_posix()
        if file.suffix in (".py", ".ipynb") and ".ipynb_checkpoints" not in path:
            if file.is_file() and b"cuda.jit" in file.read_bytes():
                found.append(path)
    return sorted(found)


def cells(file):
    """The parts of a file that end by themselves: a script's whole, or a notebook's cells."""
    text = file.read_text(encoding="utf-8")
    if file.suffix != ".ipynb":
        return [text]
    book = json.loads(text)
    found = book.get("cells") or [c for s in book["worksheets"] for c in s["cells"]]
    code = [c for c in found if c["cell_type"] == "code"]
    texts = ["".join(c.get("source", c.get("input", ""))) for c in code]
    return ["\n".join(x for x in text.splitlines() if not IPYTHON.search(x))
            for text in texts if not text.startswith("%%")]  # fmt: skip


def execute(file, place):
    """Run a file, cell by cell."""
    parts = cells(file)
    made = file if file.suffix == ".py" else place / f"{file.stem}.py"
    if made is not file:
        made.write_text("\n".join(parts), encoding="utf-8")
    os.chdir(file.parent)
    sys.argv = [str(made)]
    sys.path.insert(0, str(file.parent))
    main = sys.modules["__main__"] = ModuleType("__main__")
    space, line = main.__dict__ | {"__file__": str(made)}, 0
    for part in parts:
        with contextlib.suppress(Exception, SystemExit):
            tree = ast.parse(part)
            ast.increment_lineno(tree, line)
            exec(compile(tree, str(made), "exec"), space)
        line += part.count("\n") + 1


def apart(file, work):
    """What ``work(keep, file)`` keeps while it runs a file, in a process of its own."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place) / "out"
        child = get_context("fork").Process(target=inside, args=(out, file, work))
        child.start()
        child.join()
        return pickle.loads(out.read_bytes()) if out.is_file() else []


def inside(out, file, work):
    """The process: its rows are written when the file has run, or ``done`` is called."""
    rows = []

    def done(*_):
        out.write_bytes(pickle.dumps(rows))
        os._exit(0)

    def over(*_):
        raise KeyboardInterrupt  # no cell suppresses that

    os.environ["MPLBACKEND"] = "agg"
    sys.stdin = open(os.devnull)  # noqa: SIM115
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 30))
    signal.signal(signal.SIGXCPU, over)
    quiet = io.StringIO()
    with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
        with contextlib.suppress(BaseException):
            work(rows, done, file, out.parent)
    done()


def digest(source):
    """The hash of a kernel's text, without its name, its decorators and its comments."""
    node = copy.deepcopy(source.node)
    node.name, node.decorator_list = "kernel", []
    return hashlib.sha256(ast.unparse(node).encode()).hexdigest()[:16]


def own(kernel, file, place):
    """Whether a kernel stands in the file or beside it, and not in what makes kernels of ufuncs."""
    made = Path(kernel.source.filename)
    return made.is_absolute() and (made.is_relative_to(file.parent) or made.parent == place)


# ---------------------------------------------------------------- drawn


def told(kind):
    """A type as a word; of a tuple, the words."""
    if isinstance(kind, Array):
        return f"{told(kind.dtype)}[{kind.ndim}]"
    if isinstance(kind, Tuple):
        return f"({', '.join(map(told, kind.items))})"
    return str(getattr(kind, "name", kind))


def wide(kind):
    """Whether a type is float64 or complex, or holds such numbers."""
    if isinstance(kind, Array):
        return wide(kind.dtype)
    if isinstance(kind, Tuple):
        return any(map(wide, kind.items))
    if isinstance(kind, RecordRef | Record):
        return "float64" in str(kind) or "complex" in str(kind)
    return isinstance(kind, Scalar) and (kind is float64 or kind.kind == "c")


def looked_at(rows, done, file, place):
    """Rows of the kernels that a file launches, and no launch."""
    known = set()

    def launch(kernel, grid, block, dynamic, args):
        key = digest(kernel.source)
        if key in known or not own(kernel, file, place):
            return
        known.add(key)
        _, kinds, _ = kernel.arguments(args)
        rows.append({"kernel": kernel.__name__, "text": key, "arguments": [*map(told, kinds)],
                     "wide": any(map(wide, kinds))})  # fmt: skip

    host.Kernel.launch = launch
    with Stepper(mode="run").installed():
        execute(file, place)


def drawn(folder):
    """The rows of the set, by the rule."""
    found, known = [], set()
    for repository, commit in REPOSITORIES.items():
        taken = 0
        for path in files(folder / repository):
            if taken == EACH or len(found) >= WANTED:
                break
            for row in apart(folder / repository / path, looked_at):
                if row["text"] in known:
                    continue
                known.add(row["text"])
                print(f"{repository[:30]:32}{row['kernel'][:34]:36}"
                      f"{'wide  ' if row['wide'] else '      '}{' '.join(row['arguments'])[:90]}",
                      flush=True)  # fmt: skip
                if not row.pop("wide") and taken < EACH:
                    taken += 1
                    found.append({"repository": repository, "commit": commit, "path": path} | row)
    return found[:WANTED]


# ---------------------------------------------------------------- run


def launches(folder, rows):
    """The launches of the listed kernels of one file, as {text: (launch, findings, arguments)}."""
    wanted = {row["text"] for row in rows}

    def work(found, done, file, place):
        stepper = Stepper(mode="check", raise_findings=False, max_steps=STEPS)
        plain, known = host.Kernel.launch, set()

        def launch(kernel, grid, block, dynamic, args):
            key = digest(kernel.source)
            if key not in wanted or key in known:
                return plain(kernel, grid, block, dynamic, args)
            known.add(key)
            records, before = [], len(stepper.launches)
            _, kinds, _ = kernel.arguments(args)

            def unless_refused(*given):
                return None if records[0].refused else plain(*given)

            def some(*given):
                """Of a launch of more threads than the stepper runs whole, as the page does it."""
                shader = records[0].shader
                if records[0].refused or not shader.launch:
                    return None
                records[0].some = larger.sampled(kernel, shader, shader, records[0].before)
                return None

            shape = [host.three(x, "launch", kernel, 1) for x in (grid, block)]
            many = math.prod(shape[0]) * math.prod(shape[1]) > larger.THREADS
            try:
                way = some if many else unless_refused
                capture(way, records, OPTIONS, kernel, grid, block, dynamic, args)
            finally:
                seen = [(f.kind, f.line) for x in stepper.launches[before:] for f in x.findings]
                found.extend((key, slim(r), seen, [*map(told, kinds)]) for r in records)
                if known == wanted:
                    done()

        host.Kernel.launch = launch
        with stepper.installed():
            execute(file, place)

    file = folder / rows[0]["repository"] / rows[0]["path"]
    return {key: rest for key, *rest in apart(file, work)}


def main() -> int:
    parser = argparse.ArgumentParser(description="Draw the kernels of launched.json.")
    parser.add_argument("folder", type=Path, help="holds the repositories as OWNER/NAME")
    found = drawn(parser.parse_args().folder.resolve())
    LIST.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    print(f"{len(found)} kernels of {len({r['repository'] for r in found})} repositories")
    return 0 if len(found) == WANTED else 1


if __name__ == "__main__":
    sys.exit(main())
