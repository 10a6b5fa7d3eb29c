"""Where the site joins the core: read this file first.

pyproject.toml names it (``[tool.lockstep] register``), and the core calls ``register`` once for a
process. Whatever the site knows and the core does not is added here, and nowhere else:

* what a page may say of itself (``meta``, ``kinds``), and the levels of proof;
* languages: CUDA C++, Metal, HIP, and commands for GPU machines (``gpu/languages.py``);
* targets: GPUs under two compilers, simulators, a CPU, a Mac (``gpu/targets.py``);
* parts: roadmap, lessons, quizzes, glossary, map, tables, library, plots, pictures, Run here, and
  the overview of all evidence, each a ``lockstep.parts.Part`` at the end of its module.
"""

from lockstep.languages import Bash, Python, Shown
from lockstep.languages import __dict__ as _languages
from lockstep.project import Project
from lockstep_site import foreign, html, recipes, speeds
from lockstep_site.bet import BetPart
from lockstep_site.calculators import CalculatorsPart
from lockstep_site.docstrings import DocstringPart
from lockstep_site.exercise import ExercisePart
from lockstep_site.foreign import ForeignPart
from lockstep_site.glossary import GlossaryPart
from lockstep_site.gpu import machine, targets
from lockstep_site.gpu.counters import CountersPart
from lockstep_site.gpu.languages import Cuda, Hip, Metal, compile_cuda
from lockstep_site.gpu.needs import GPU_MODULES
from lockstep_site.gpu.part import GpuPart
from lockstep_site.lesson import LessonPart
from lockstep_site.library import LibraryPart
from lockstep_site.mapping import MappingPart
from lockstep_site.motion import MotionPart
from lockstep_site.my_gpu import MyGpuPart
from lockstep_site.pictures import PicturesPart
from lockstep_site.plots import PlotsPart
from lockstep_site.puzzles import PuzzlePart
from lockstep_site.recipes import RecipesPart
from lockstep_site.recording import RecordingPart
from lockstep_site.roadmap import RoadmapPart
from lockstep_site.run_here import RunHerePart
from lockstep_site.rungs import RungPart
from lockstep_site.russian import RussianPart
from lockstep_site.schedule import SchedulePart
from lockstep_site.speeds import SpeedsPart
from lockstep_site.summary import SummaryPart
from lockstep_site.tables import TablesPart
from lockstep_site.telling import QuizPart
from lockstep_site.weight import WeightPart

META = {
    "roadmap": list,
    "needs": list,
    "minutes": int,
    "puzzle": int,  # its number
    "follows": list,  # the lessons and patterns that a puzzle practices
    "gpus": int,
    "gpu_only": int,
    "compute_capability": str,
    "not_on": dict,
    "terms": list,  # those of the glossary that the page is about, by id
    # Of a term: lockstep_site/glossary.py
    "id": str,
    "group": str,
    "priority": int,
    "tooltip": list,
    "names": dict,
    "related": list,
    "sources": list,
    "unverified": list,
}


# Devices that a sentence with a measured number may name.
# Whose figures and outputs the pages show: the first that has run today's code.
MACHINES = ("nvidia-h200", "nvidia-h100")
DEVICES = (
    r"\b(?:[AHBVT]\d{3}|[AL]\d{2}S?|GH200|GB[23]00|RTX \d+|MI\d{3}X?|M[1-6](?: Pro| Max| Ultra)?)\b"
)


def register(project: Project) -> None:
    """Add what is this site's own to the core's idea of the project."""
    project.meta |= META
    project.license = "Text: CC BY 4.0. Code: Apache-2.0."
    project.awaited = "a GPU run"
    project.measure = "measure it on a GPU: make bench"
    project.benchmark = "make bench NAME={name}"
    project.devices = DEVICES
    project.machines = MACHINES
    project.compilers = ("numba", "numba_cuda_mlir", "triton")
    project.listed = "evidence/index.md"
    project.own |= {"gpu_only", "compute_capability", "gpus", "not_on"}
    project.levels = ("gpu", "simulator", *project.levels)
    project.beside = ("webgpu",)
    project.records |= {"sanitizer": "make gpu", "counters": "make gpu"}
    project.records |= {"speeds": speeds.MEND, "foreign": foreign.MEND.format("NAME")}
    project.records |= {"pars": "python -m lockstep_site.puzzles", "recipes": recipes.MEND}
    project.named += targets.PACKAGES

    hints = dict.fromkeys(GPU_MODULES, "  (or pip install -e '.[gpu]')")
    project.add(Python(hints), Bash(("gpu", "cpu")), Cuda(), Metal(), Hip())
    project.add(Shown("sql"))  # a page writes it to files, for another project to run
    project.targets.clear()
    project.add(*targets.every())
    project.choose = targets.default_target

    html.allow(project.root)
    # One on a line: their order is that of the data files and markers.
    project.add(
        RoadmapPart(),
        GlossaryPart(),
        RussianPart(),
        MappingPart(),
        CountersPart(),
        SpeedsPart(),
        ForeignPart(),
        TablesPart(),
        PlotsPart(),
        PicturesPart(),
        LibraryPart(),
        MyGpuPart(),
        SummaryPart(),
        QuizPart(),
        LessonPart(),
        RunHerePart(),
        ExercisePart(),
        PuzzlePart(),
        RecordingPart(),
        RecipesPart(),
        SchedulePart(),
        MotionPart(),
        BetPart(),
        RungPart(),
        CalculatorsPart(),
        GpuPart(),
        WeightPart(),
        DocstringPart(),
    )


# Kernel tests and benchmarks call these by the core's names, and the records of GPU runs hold the
# hashes of those files: their imports change with the next whole run, and these lines go.
def _old_names() -> None:
    from lockstep import environment

    _languages["compile_cuda"] = compile_cuda
    environment.gpus, environment.machine = machine.gpus, machine.machine
    environment.describe = machine.describe


_old_names()
