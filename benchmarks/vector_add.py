"""Vector addition: block sizes, grid-stride loops, launch cost, and what a careless clock says."""

from functools import partial

import cupy as cp

from benchmarks.harness import ROOT, Case, Reference, WallTimer, rounded
from kernels.vector_add.add import add_kernel
from kernels.vector_add.grid_stride import add_strided_kernel

ADD = "kernels/vector_add/add.py"
STRIDED = "kernels/vector_add/grid_stride.py"
RAW = "snippets/vector_add/add.cu"
BLOCKS = (32, 64, 128, 256, 512, 1024)


def run(bench):
    n = 2**22 if bench.quick else 2**28
    with bench.part("large: 2^28 elements, bound by memory"):
        large(bench, n)
    with bench.part("small: 4096 elements, bound by the launch"):
        small(bench, 4096)
    with bench.part("first call and later calls"):
        calls(bench, 4096)
    with bench.part("careless clocks"):
        clocks(bench, n)


def launches(bench, a, b, out):
    """Return functions that launch Numba's kernel and CuPy's ways on the same arrays."""
    n = out.size
    d_a, d_b, d_out = map(bench.device.numba, (a, b, out))
    elementwise = cp.ElementwiseKernel("float32 a, float32 b", "float32 c", "c = a + b", "add_all")
    raw = cp.RawKernel((ROOT / RAW).read_text(encoding="utf-8"), "add")
    return {
        "numba": lambda threads=256: add_kernel[-(-n // threads), threads](d_a, d_b, d_out),
        "strided": lambda blocks: add_strided_kernel[blocks, 256](d_a, d_b, d_out),
        "cupy": lambda: cp.add(a, b, out=out),
        "elementwise": lambda: elementwise(a, b, out),
        "raw": lambda: raw((-(-n // 256),), (256,), (a, b, out, n)),
    }


def large(bench, n):
    a, b, output = bench.random(n), bench.random(n), bench.output(n)
    launch = launches(bench, a, b, output.array)
    multiprocessors = bench.device.multiprocessors

    def case(id, title, kernel, call, **extra):
        return Case(id, title, kernel, call, output, extra)

    cases = [
        case("vector-add-numba", "Vector addition, Numba, blocks of 256", ADD, launch["numba"])
    ]
    for threads in BLOCKS:
        title = f"Vector addition, Numba, blocks of {threads} threads"
        call = partial(launch["numba"], threads)
        cases.append(case(f"vector-add-block-{threads}", title, ADD, call, threads=threads))
    for per in (1, 8):
        blocks = per * multiprocessors
        title = f"Vector addition, grid-stride loop, {per} blocks of 256 for each multiprocessor"
        call = partial(launch["strided"], blocks)
        cases.append(case(f"vector-add-strided-{per}", title, STRIDED, call, blocks=blocks))
    title = "Vector addition, CUDA C++ through CuPy's RawKernel, blocks of 256"
    cases.append(case("vector-add-rawkernel", title, RAW, launch["raw"]))
    title = "Vector addition, CuPy's ElementwiseKernel"
    cases.append(
        case("vector-add-elementwise", title, "benchmarks/vector_add.py", launch["elementwise"])
    )
    rows = bench.compare(
        cases,
        Reference("CuPy, cp.add(a, b, out=out)", launch["cupy"], output),
        expected(a, b),
        size=n,
        dtype="float32",
        unit="GB/s",
        tolerance=1e-6,
        bytes=3 * 4 * n,
        flops=n,
    )
    for row in rows:
        if "threads" in row:  # how fast the GPU hands out blocks, if that is what takes the time
            row["block_rate"] = rounded(n / row["threads"] / row["us"])


def expected(a, b):
    right = a.astype(cp.float64)
    right += b
    return right


def small(bench, n):
    a, b, output = bench.random(n), bench.random(n), bench.output(n)
    launch = launches(bench, a, b, output.array)
    bench.compare(
        [
            Case(
                "vector-add-small",
                "Vector addition of 4096 elements, Numba: wall clock for one of 100 calls in a row",
                ADD,
                launch["numba"],
                output,
            ),
            Case(
                "vector-add-small-rawkernel",
                "Vector addition of 4096 elements, RawKernel: wall clock for one of 100 calls",
                RAW,
                launch["raw"],
                output,
            ),
        ],
        Reference("CuPy, cp.add(a, b, out=out)", launch["cupy"], output),
        expected(a, b),
        size=n,
        dtype="float32",
        unit="us",
        tolerance=1e-6,
        bytes=3 * 4 * n,
        flops=n,
        timer=WallTimer(bench.device.synchronize, calls=100),
    )
    summary = bench.samples({"numba": launch["numba"]})["numba"]
    bench.micro(
        "vector-add-small-kernel",
        "The kernel of vector-add-small alone, on the GPU's clock",
        summary,
        unit="us",
        method="CUDA events around one launch that waits in the queue; cold L2",
        kernel=ADD,
    )


def calls(bench, n):
    from numba import cuda

    arrays = [bench.device.numba(array) for array in (bench.random(n), bench.random(n))]
    arrays.append(bench.device.numba(bench.output(n).array))
    timer = WallTimer(bench.device.synchronize, calls=1)

    def first():
        cuda.jit(add_kernel.py_func)[-(-n // 256), 256](*arrays)  # a new kernel: compiled anew

    def later():
        add_kernel[-(-n // 256), 256](*arrays)

    times = bench.samples({"first": first, "later": later}, timer)
    bench.micro(
        "vector-add-first-call",
        "First call of the vector addition kernel: it is compiled, loaded and run",
        times["first"],
        unit="ms",
        method="wall clock, synchronized; a new kernel object for each sample, compiler loaded",
        kernel=ADD,
    )
    bench.micro(
        "vector-add-later-call",
        "A later call of the same kernel, 4096 elements",
        times["later"],
        unit="us",
        method="wall clock around one call and a synchronization",
        kernel=ADD,
    )


def clocks(bench, n):
    a, b, output = bench.random(n), bench.random(n), bench.output(n)
    call = launches(bench, a, b, output.array)["numba"]
    synchronize = bench.device.synchronize
    careless = WallTimer(synchronize, calls=1, wait=False)
    careful = WallTimer(synchronize, calls=1)
    rows = {
        "timing-no-sync": (careless, "wall clock around the call, no synchronization"),
        "timing-sync": (careful, "wall clock around the call and a synchronization"),
        "timing-events": (bench.device.timer, "CUDA events around the call; cold L2"),
    }
    for id, (timer, method) in rows.items():
        summary = bench.samples({id: call}, timer)[id]
        title = f"Vector addition of 2^28 elements: {method}"
        bench.micro(id, title, summary, unit="us", method=method, kernel=ADD)
