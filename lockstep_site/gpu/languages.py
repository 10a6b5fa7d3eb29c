"""The languages of GPUs: how CUDA C++, Metal and HIP are proved without one."""

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lockstep.block import Block, Page
from lockstep.languages import Header, Language, Setting
from lockstep.languages.base import Complaint, mentions
from lockstep.mistakes import Failed
from lockstep_site.gpu.targets import APPLE

# What a cuda block may be compiled for: sm_90, unless it asks for Hopper's own instructions.
ARCHITECTURES = ("sm_90", "sm_90a")
# A kernel of a file of CUDA C++, by its name.
GLOBAL = re.compile(
    r"__global__\s+(?:__\w+__(?:\([^)]*\))?\s+)*void\s+(?:__\w+__\([^)]*\)\s+)?(\w+)\s*\("
)
NOT_ON_APPLE = "not yet run on Apple hardware"


class Cuda(Language):
    """CUDA C++: always a file of the page's, which a later block loads."""

    name = "cuda"
    suffix = "cu"
    like_c = True
    options = frozenset({"arch"})
    needs_file = True

    def check_header(self, header: Header) -> Iterator[Complaint]:
        yield from super().check_header(header)
        if header.options.get("arch", "sm_90") not in ARCHITECTURES:
            mend = 'write ```cuda file="x.cu" arch="sm_90a", or leave it out for sm_90'
            yield "arch= names what CUDA C++ is compiled for", mend

    def write(self, block: Block, setting: Setting) -> dict:
        compile_cuda(block, block.options.get("arch", "sm_90"))
        return {"outcome": "compiled"}

    def uses(self, block: Block, later: Block) -> bool:
        """A module that is loaded has not run: a kernel of it is named where it is launched."""
        return any(mentions(later, name) for name in GLOBAL.findall(block.text))

    def level(self, outcome: str, target: Any) -> str:
        """Without a GPU it was compiled, whatever a later block did with its file."""
        away = outcome == "passed" and target.level != "gpu"
        return "compiled" if away else super().level(outcome, target)

    def proof_words(self, level: str, block: Block, runs: list[dict]) -> str | None:
        return "for sm_90, not run" if level == "compiled" else None

    def compiled_words(self) -> str:
        return "compiled for sm_90"


class _Alone(Language):
    """A file, too, which the run proves without a later block."""

    like_c = True
    lexer = "cpp"  # Pygments has none for these: C++ with a few more words
    needs_file = True
    alone = True

    def write(self, block: Block, setting: Setting) -> dict:
        from simulator import hosts

        try:
            return self.prove(block)
        except hosts.HostError as error:
            raise Failed(str(error)) from None

    def prove(self, block: Block) -> dict:
        raise NotImplementedError

    def wanted(self, page: Page) -> str:
        return f"python -m lockstep run {page.path}, with g++ for Metal, hipcc for HIP"


class Metal(_Alone):
    """Metal: run in its stand-in on a CPU. Without a compiler, it is only written."""

    name = "metal"

    def prove(self, block: Block) -> dict:
        from simulator import hosts, pairs

        ran = pairs.prove_metal(block.path, block.text) if hosts.compiler() else "written"
        return {"outcome": ran}

    def level(self, outcome: str, target: Any) -> str:
        if target.name == APPLE:
            return "gpu" if outcome == "passed" else "awaiting"
        return "cpu" if outcome == "stand-in" else super().level(outcome, target)

    def proof_words(self, level: str, block: Block, runs: list[dict]) -> str | None:
        return {
            "cpu": f"ran in a CPU stand-in, {NOT_ON_APPLE}",
            "compiled": "as C++ by a CPU stand-in, not by Apple's compiler",
            "awaiting": "a run with its compiler",
        }.get(level)

    def compiled_words(self) -> str:
        return "compiled as C++ by a CPU stand-in"


class Hip(_Alone):
    """HIP: compiled for AMD's GPUs where there is hipcc."""

    name = "hip"

    def prove(self, block: Block) -> dict:
        from simulator import hip

        made_for = list(hip.compile(block.path, block.text))
        return {"outcome": "compiled", "for": made_for} if made_for else {"outcome": "written"}

    def proof_words(self, level: str, block: Block, runs: list[dict]) -> str | None:
        if level == "compiled":
            made_for = runs[0]["blocks"][block.index].get("for", ["an AMD GPU"])
            listed = re.sub(r", (\w+)$", r" and \1", ", ".join(made_for))
            return f"for {listed}, not run"
        return "a run with its compiler" if level == "awaiting" else None

    def compiled_words(self) -> str:
        return "compiled for an AMD GPU"


def compile_cuda(block: Block, arch: str = "sm_90") -> bytes:
    """Compile CUDA C++ to a cubin, without a GPU. Raises ``Failed`` with the source line."""
    try:
        return _cubin(block.text, arch)
    except ImportError:
        raise Failed(
            f"{block.where}: cuda-core is not installed: pip install -e '.[site]'"
        ) from None
    except Exception as error:
        raise Failed(f"{block.where}: NVRTC refuses it: {error}") from None


@functools.cache  # several pages and tests compile one file
def _cubin(text: str, arch: str) -> bytes:
    from cuda.core import Program, ProgramOptions

    options = ProgramOptions(
        arch=arch,
        std="c++17",
        include_path=list(_cuda_headers()),
        relocatable_device_code="<<<" in text,  # a kernel launches: it is linked with cudadevrt
    )
    return bytes(Program(text, "c++", options).compile("cubin").code)


def _cuda_headers() -> Iterator[str]:
    """Find the CUDA headers: of the pip packages (nvidia/cu13/include), and of a toolkit."""
    import nvidia

    for place in nvidia.__path__:
        include = Path(place) / "cu13" / "include"
        if include.is_dir():
            yield str(include)
            if (include / "cccl").is_dir():
                yield str(include / "cccl")
    toolkit = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "include"
    if toolkit.is_dir():  # it has headers that not every set of packages has, such as crt/mma.h
        yield str(toolkit)
