"""Run the Metal side of every kernel pair on this Mac's GPU, and write what ran to evidence/.

``make metal`` calls it. Each source is compiled with Apple's compiler where Xcode's Metal toolchain
is installed, or else by the system when it is loaded, with fast math off, as the expected results
are those of IEEE arithmetic. Each pair runs on the problems that the suite runs on a CPU, through
PyObjC, and must give NumPy's result. The record of a page then says so, and its stamp with it.
Metal sources that belong to no pair are compiled, and not run.
"""

import ctypes
import importlib.metadata
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from lockstep import evidence  # noqa: E402
from lockstep.page import Page, find_root, paths, read  # noqa: E402
from lockstep_site.gpu import machine as here  # noqa: E402
from lockstep_site.gpu.targets import APPLE  # noqa: E402
from simulator import metal, pairs  # noqa: E402
from simulator.hosts import HostError, size3  # noqa: E402

# The number of Metal's data type, by the type of a function constant (MTLDataType).
DATA_TYPES = {"float32": "MTLDataTypeFloat", "int32": "MTLDataTypeInt", "bool": "MTLDataTypeBool"}
SMALL = 4096  # bytes: the most that setBytes takes


def why_not_here() -> str | None:
    """Return why this machine cannot run Metal kernels, and what would, or None."""
    if sys.platform != "darwin":
        return (
            "make metal: this is not a Mac. The Metal sources run on a CPU in `make test`; on a "
            "Mac with Apple silicon, run `make metal` there and commit what it writes to evidence/"
        )
    if platform.machine() != "arm64":
        return "make metal: this Mac has no Apple silicon, or this Python runs under Rosetta"
    try:
        import Metal  # noqa: F401
    except ImportError:
        return "make metal: PyObjC is missing: pip install pyobjc-framework-Metal"
    return None


class Gpu:
    """A Metal device, through PyObjC. ``module``: the module Metal, or what stands in for it."""

    def __init__(self, module, load_url=None):
        self.metal = module
        self.load_url = load_url  # makes an NSURL of a path
        self.device = module.MTLCreateSystemDefaultDevice()
        if self.device is None:
            raise HostError("make metal: the system offers no Metal device")
        self.queue = self.device.newCommandQueue()

    @property
    def name(self) -> str:
        return str(self.device.name())

    def library(self, file: Path, compiled: Path | None):
        """Load a compiled library, or compile a source. Raises ``HostError`` with Apple's words."""
        if compiled:
            found, error = self.device.newLibraryWithURL_error_(self.load_url(str(compiled)), None)
        else:
            options = self.metal.MTLCompileOptions.alloc().init()
            options.setFastMathEnabled_(False)
            text = file.read_text(encoding="utf-8")
            found, error = self.device.newLibraryWithSource_options_error_(text, options, None)
        if found is None:
            raise HostError(f"{file.relative_to(ROOT).as_posix()}:1: Apple's compiler: {error}")
        return found

    def run(self, library, pair: pairs.Pair, problem: pairs.Problem) -> dict[str, np.ndarray]:
        """Launch one problem and return its buffers as the GPU left them."""
        pipeline = self._pipeline(library, pair, problem)
        shared = self.metal.MTLResourceStorageModeShared
        buffers, places = problem.copies(), {}
        commands = self.queue.commandBuffer()
        encoder = commands.computeCommandEncoder()
        encoder.setComputePipelineState_(pipeline)
        for index, name in enumerate(pair.metal):
            if name in buffers:
                data = np.ascontiguousarray(buffers[name]).tobytes()
                place = self.device.newBufferWithBytes_length_options_(data, len(data), shared)
                encoder.setBuffer_offset_atIndex_(place, 0, index)
                places[name] = place
            else:
                data = problem.scalars[name].tobytes()
                assert len(data) <= SMALL
                encoder.setBytes_length_atIndex_(data, len(data), index)
        group = self.metal.MTLSize(*size3(problem.group))
        if problem.threads:
            grid = self.metal.MTLSize(*size3(problem.threads))
            encoder.dispatchThreads_threadsPerThreadgroup_(grid, group)
        else:
            grid = self.metal.MTLSize(*size3(problem.groups))
            encoder.dispatchThreadgroups_threadsPerThreadgroup_(grid, group)
        encoder.endEncoding()
        commands.commit()
        commands.waitUntilCompleted()
        if commands.status() != self.metal.MTLCommandBufferStatusCompleted:
            raise HostError(f"{pair.name}, {problem.label}: the GPU reports {commands.error()}")
        return {
            name: np.frombuffer(
                bytes(places[name].contents().as_buffer(array.nbytes)), array.dtype
            ).reshape(array.shape)
            for name, array in buffers.items()
        }

    def _pipeline(self, library, pair: pairs.Pair, problem: pairs.Problem):
        error = None
        if problem.constants:
            values = self.metal.MTLFunctionConstantValues.alloc().init()
            kept = []  # the values must live until the function is made
            for index, value in problem.constants.items():
                kind = getattr(self.metal, DATA_TYPES[str(np.asarray(value).dtype)])
                kept.append(ctypes.create_string_buffer(np.asarray(value).tobytes()))
                values.setConstantValue_type_atIndex_(ctypes.addressof(kept[-1]), kind, index)
            function, error = library.newFunctionWithName_constantValues_error_(
                pair.kernel, values, None
            )
        else:
            function = library.newFunctionWithName_(pair.kernel)
        if function is None:
            raise HostError(
                f"{pair.name}: there is no kernel {pair.kernel} in the library: {error}"
            )
        pipeline, error = self.device.newComputePipelineStateWithFunction_error_(function, None)
        if pipeline is None:
            raise HostError(f"{pair.name}: no pipeline for {pair.kernel}: {error}")
        threads = int(np.prod(problem.group))
        most = int(pipeline.maxTotalThreadsPerThreadgroup())
        if threads > most:
            raise HostError(f"{pair.name}: {threads} threads in a group; here {most} is the most")
        width = int(pipeline.threadExecutionWidth())
        if width != 32:
            raise HostError(f"{pair.name}: a SIMD-group has {width} threads here, not 32")
        return pipeline


def toolchain() -> str | None:
    """Return the version of Apple's compiler, or None where the toolchain is not installed."""
    if shutil.which("xcrun") is None:
        return None
    command = ["xcrun", "-sdk", "macosx", "metal", "--version"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.splitlines()[0].strip() if done.returncode == 0 and done.stdout else None


def compile_source(file: Path, folder: Path) -> Path:
    """Compile one source to a .metallib. Raises ``HostError`` with the compiler's first errors."""
    made = folder / f"{file.parent.name}-{file.stem}.metallib"
    path = file.relative_to(ROOT).as_posix()
    command = ["xcrun", "-sdk", "macosx", "metal", "-Wall", "-Wextra", "-Wno-unused-parameter"]
    command += ["-fno-fast-math", path, "-o", str(made)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if done.stderr:
        print(done.stderr, file=sys.stderr)  # warnings, too
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if ": error:" in line]
        raise HostError("\n".join(errors[:5]) or f"{path}:1: {done.stderr[-1500:]}")
    return made


def record(page: Page, name: str, compiler: str | None) -> dict:
    """Return the record of a page whose Metal blocks ran here, in the format of all records."""
    blocks = []
    for block in page.blocks:
        ran = block.language == "metal" and pairs.of(block.path)
        row = {"source": block.path, "section": block.section, "language": block.language}
        row |= {"sha256": block.sha256, "outcome": "passed" if ran else "not run"}
        blocks.append(row)
    described = here.describe()
    packages = {"numpy": described["packages"]["numpy"]}
    try:
        packages["pyobjc-framework-Metal"] = importlib.metadata.version("pyobjc-framework-Metal")
    except importlib.metadata.PackageNotFoundError:
        pass
    if compiler:
        packages["metal"] = compiler
    run = {
        "target": APPLE,
        "outcome": "passed",
        "device": {"name": name, "count": 1, "macos": platform.mac_ver()[0]},
        "packages": packages,
        "python": described["python"],
        "date": described["date"],
        "blocks": blocks,
        "outputs": {},
    }
    return {"schema": evidence.SCHEMA, "page": page.path, "sha256": page.sha256, "runs": [run]}


def machine(name: str) -> str:
    """Return the folder of a device's evidence, such as apple-m2-pro."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def others() -> list[Path]:
    """Return the Metal sources that belong to no pair."""
    return [f for f in sorted((ROOT / "snippets").rglob("*.metal")) if f.name != "kernel.metal"]


def run_all(gpu: Gpu, root: Path, compiler: str | None) -> int:
    """Run every pair, compile the other sources, and write a record for each page of pairs.

    A page gets its record where all of its Metal blocks passed. Returns 1 if anything failed.
    """
    failed: dict[str, str] = {}
    rest, refused = others(), 0
    with tempfile.TemporaryDirectory() as folder:
        for file in rest:
            path = file.relative_to(ROOT).as_posix()
            try:
                gpu.library(file, compile_source(file, Path(folder)) if compiler else None)
                print(f"{path}: compiled", flush=True)
            except HostError as error:
                refused += 1
                print(f"{path}: FAILED\n{error}", flush=True)
        for pair in pairs.PAIRS.values():
            file = pair.folder / "kernel.metal"
            try:
                compiled = compile_source(file, Path(folder)) if compiler else None
                library = gpu.library(file, compiled)
                problems = pair.problems()
                for problem in problems:
                    pairs.check(pair, problem, gpu.run(library, pair, problem), gpu.name)
                print(f"{pair.name}: {len(problems)} problems passed on {gpu.name}", flush=True)
            except HostError as error:
                failed[pair.name] = str(error)
                print(f"{pair.name}: FAILED\n{error}", flush=True)
    for path in paths(root):
        page = read(path, root)
        sources = [b.path for b in page.blocks if b.language == "metal" and b.runs]
        of = [pairs.of(source) for source in sources]
        if sources and all(of) and not any(pair.name in failed for pair in of):
            target = root / "evidence" / machine(gpu.name) / "pages" / f"{page.name}.json"
            evidence.write(target, record(page, gpu.name, compiler))
            print(f"Recorded in {target.relative_to(root)}")
    print(f"{len(pairs.PAIRS) - len(failed)} of {len(pairs.PAIRS)} pairs passed")
    print(f"{len(rest) - refused} of {len(rest)} other sources compiled")
    return 1 if failed or refused else 0


def main() -> int:
    if reason := why_not_here():
        print(reason, file=sys.stderr)
        return 2
    import Metal
    from Foundation import NSURL

    compiler = toolchain()
    words = compiler or "none: xcodebuild -downloadComponent MetalToolchain installs it"
    print(f"Apple's Metal compiler: {words}")
    for file in [*(pair.folder / "kernel.metal" for pair in pairs.PAIRS.values()), *others()]:
        metal.read(file)  # what we refuse ourselves
    return run_all(Gpu(Metal, NSURL.fileURLWithPath_), find_root(ROOT), compiler)


if __name__ == "__main__":
    sys.exit(main())
