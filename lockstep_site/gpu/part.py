"""What GPUs add to pages: front matter, stamps, downloads, and the command that runs them."""

import re
from pathlib import Path

from lockstep import address
from lockstep.block import Page
from lockstep.parts import Guard, Part
from lockstep_site.gpu import sanitizer, unrun, webgpu
from lockstep_site.gpu.languages import NOT_ON_APPLE
from lockstep_site.gpu.needs import SIMULATOR_LACKS, gpu_only, uses_gpu, uses_numba
from lockstep_site.gpu.run import STEPS, gpu
from lockstep_site.gpu.targets import APPLE, COMPILERS

KERNEL = re.compile(r"^@cuda\.jit\b[^\n]*\ndef (\w+)\(", re.MULTILINE)
# In the simulator Numba stands on a CPU, and what needs a GPU would stop a script.
ON_GPU = 'ON_GPU = os.environ.get("NUMBA_ENABLE_CUDASIM", "0") == "0"'


NOTEBOOK = "docs/assets/lockstep-gpu.ipynb"
COLAB = "https://colab.research.google.com/github"


def on_colab(root: Path) -> str:
    """Return the sentence that leads to the notebook of ``make gpu`` on Colab, in Markdown."""
    where = address.setting(root)
    if name := address.on_github(where):
        link = f"[open this notebook in Colab]({COLAB}/{name}/blob/main/{NOTEBOOK})"
        return (
            f"No GPU at hand? One click: {link}, and choose *Runtime, Run all*. It runs the "
            f"repository that it was opened from; if it asks for that, paste `{where}`."
        )
    return (
        "No GPU at hand? Colab lends one. Download "
        "[this notebook](../assets/lockstep-gpu.ipynb), open it in "
        "[Colab](https://colab.research.google.com/) with *File, Upload notebook*, choose a GPU "
        "runtime and run all cells; the first one asks for the address of the repository. "
        "(This copy of the site was built without the address of its repository, so it cannot "
        "offer the notebook in one click: whoever publishes it sets `REPOSITORY`, or "
        "`extra.repository` in `mkdocs.yml`.)"
    )


class GpuPart(Part):
    """A page that needs a GPU says so, and so does what a reader takes away of it."""

    name = "gpu"
    # Where the notebook is that runs `make gpu`.
    marker = re.compile(r"^\[\[gpu:colab\]\][ \t]*$")

    def render(self, marker: re.Match, site, folder: str, plain: bool) -> str:
        return on_colab(site.root)

    def check_front_matter(self, meta: dict, wrong) -> None:
        """``not_on`` may excuse one compiler: something must prove a page."""
        least = meta.get("compute_capability")
        if isinstance(least, str) and not re.fullmatch(r"\d{1,2}\.\d", least):
            wrong("compute_capability", f"compute_capability {least!r} is no number", 'write "9.0"')
        refused = meta.get("not_on") or {}
        if isinstance(refused, dict) and (
            len(refused) > 1
            or not refused.keys() <= set(COMPILERS)
            or not all(isinstance(why, str) and why.strip() for why in refused.values())
        ):
            mend = f"name one of {', '.join(COMPILERS)} and say why"
            wrong("not_on", "not_on cannot be read", mend)

    def stamped(self, page: Page, runs: list[dict]) -> list[str]:
        said = []
        if any(block.language == "metal" and block.runs for block in page.blocks):
            on_apple = [run for run in runs if run["target"] == APPLE]
            said += [
                f"The Metal code ran on {r['device']['name']} on {r['date']}." for r in on_apple
            ]
            if not on_apple:
                said.append(f"Metal: {NOT_ON_APPLE}.")
        for refused, reason in page.meta.get("not_on", {}).items():
            said.append(f"Not with {refused}: {str(reason).rstrip('.')}.")
        return said

    def proved(self, page: Page, records) -> dict[int, tuple[str, str]]:
        return webgpu.proved(page, records)

    def needs(self, page: Page, cells: bool) -> list[str]:
        if not uses_gpu(page):
            return []
        gpus = page.meta.get("gpus", 1)
        lines = ["#", f"# Needs {'an NVIDIA GPU' if gpus == 1 else f'{gpus} NVIDIA GPUs'}."]
        total = sum(block.runs for block in page.blocks)
        without = total - len(gpu_only(page, SIMULATOR_LACKS))
        if not uses_numba(page) or not without:
            return lines
        start = "set NUMBA_ENABLE_CUDASIM=1" + (" before the first cell" if cells else "")
        if without == total:
            return [*lines, f"# Without one it runs in Numba's simulator: {start}."]
        those = (
            "The cells of the others are marked." if cells else "The others say that they did not."
        )
        lines.append(f"# {without} of its {total} blocks also run in Numba's simulator,")
        return [*lines, f"# on any computer: {start}. {those}"]

    def guard(self, page: Page) -> Guard | None:
        """Return the blocks that need a GPU, where the others also run in Numba's simulator."""
        reasons = gpu_only(page, SIMULATOR_LACKS)
        total = sum(block.runs for block in page.blocks)
        if not uses_numba(page) or not 0 < len(reasons) < total:
            return None
        return Guard(reasons, ("import os",), ON_GPU, "ON_GPU", "Not run without a GPU", "GPU only")

    def names(self, page: Page) -> list[str]:
        """Return the kernels of the folder that has the page's name: here they are at home."""
        folder = f"kernels/{Path(page.path).stem.replace('-', '_')}/"
        own = [block.text for block in page.blocks if block.path.startswith(folder)]
        return list(dict.fromkeys(name for text in own for name in KERNEL.findall(text)))

    def problems(self, records, pages: list[Page]) -> list:
        return sanitizer.unseen(records.root, records) + webgpu.problems(records)

    def notes(self, records) -> list[str]:
        return unrun.notes(records.root)

    def commands(self, add) -> None:
        command = add("gpu", "run everything on the GPU here and write evidence/", gpu)
        command.add_argument("--steps", nargs="+", choices=STEPS, default=list(STEPS))
        command.add_argument("--targets", nargs="+", default=list(COMPILERS))
        what = "run every kernel's WGSL in headless Chromium and write evidence/cpu/counters/"
        add("webgpu", what, webgpu.browse)
