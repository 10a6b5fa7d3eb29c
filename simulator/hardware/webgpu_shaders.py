"""The shaders that ``benchmarks/webgpu.py`` times: kernels of the site, as WGSL for large arrays.

``python -m simulator.hardware.webgpu_shaders`` writes their texts to ``benchmarks/wgsl/``, to which
the records are bound by hash: a compiler that makes another text makes the records stale.
"""

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace

from simulator.hardware.webgpu import Like, shader

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks/wgsl"
LONG, SQUARE, WIDE = 2**28, 4096, 16384  # elements of a vector; sides of matrices
BLOCKS = 8 * 132  # of a grid-stride loop: eight for each multiprocessor of an H200
OPTIONS = {"subgroups": 32, "unroll": 64}  # NVIDIA's subgroups are warps


@dataclass
class Spec:
    """A kernel and its launch. ``places``: binding -> which buffer of the benchmark."""

    module: str
    make: object
    grid: tuple
    block: tuple
    arrays: tuple  # shapes of the arguments
    size: int
    places: dict = field(default_factory=dict)


def vector(module, name, blocks):
    places = {"a": "a", "b": "b", "out": "out"}
    return Spec(module, lambda m: getattr(m, name), (blocks,), (256,), 3 * ((LONG,),), LONG, places)


def product(module, make, tile, block):
    places = {"a": "a", "b": "b", "c": "out"}
    grid = SQUARE // tile[1], SQUARE // tile[0]
    return Spec(module, make, grid, block, 3 * ((SQUARE, SQUARE),), SQUARE, places)


def turned(name, tile, block):
    grid = WIDE // tile[0], WIDE // tile[1]
    places = {"a": "a", "out": "out"}
    make = lambda m: getattr(m, name)  # noqa: E731
    return Spec("kernels.transpose.tile", make, grid, block, 2 * ((WIDE, WIDE),), WIDE, places)


def summed(blocks, n, m, places):
    make = lambda m: m.sum_warps_kernel  # noqa: E731
    return Spec("kernels.reduction.warps", make, (blocks,), (256,), ((n,), (m,)), n, places)


SHADERS = {
    **{
        id: Spec("", None, (), (256,), (), LONG, {"a": "a", "out": "out"})
        for id in ("webgpu-copy", "webgpu-copy-near", "webgpu-copy-far")
    },
    "webgpu-vector-add": vector("kernels.vector_add.add", "add_kernel", LONG // 256),
    "webgpu-vector-add-strided": vector(
        "kernels.vector_add.grid_stride", "add_strided_kernel", BLOCKS
    ),
    "webgpu-naive-matmul": product(
        "kernels.naive_matmul.matmul", lambda m: m.matmul_kernel, (8, 32), (32, 8)
    ),
    "webgpu-tiled-matmul": product(
        "kernels.gemm.tiled", lambda m: m.make_tiled(16), (16, 16), (16, 16)
    ),
    "webgpu-column-matmul": product(
        "kernels.gemm.registers", lambda m: m.make_column(64, 64, 16, 16), (64, 64), (64, 4)
    ),
    "webgpu-rectangle-matmul": product(
        "kernels.gemm.registers",
        lambda m: m.make_rectangle(128, 128, 8, 8, 8),
        (128, 128),
        (16, 16),
    ),
    "webgpu-reduction": summed(BLOCKS, LONG, BLOCKS, {"x": "x", "partial": "spare"}),
    "webgpu-reduction-rest": summed(1, BLOCKS, 1, {"x": "spare", "partial": "out"}),
    "webgpu-transpose-naive": turned("transpose_direct_kernel", (32, 8), (32, 8)),
    "webgpu-transpose": turned("transpose_tile_kernel", (32, 32), (32, 8)),
}
COPY_HEAD = """// A copy of {n} float32: {what}.
@group(0) @binding(0) var<storage, read> a: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> out: array<vec4f>;

@compute @workgroup_size(256)
fn copy(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_id) thread: vec3u) {{
"""
VECTORS = LONG // 4


def copies():
    """Id -> (what, groups, body) of the ways to copy; the fastest is the benchmark's."""
    one = "  out[i] = a[i];\n"
    near = "".join(f"  let v{k} = a[i + {256 * k}u];\n" for k in range(4))
    near += "".join(f"  out[i + {256 * k}u] = v{k};\n" for k in range(4))
    step = 4096 * 256
    far = "".join(f"    let v{k} = a[i + {step * k}u];\n" for k in range(4))
    far += "".join(f"    out[i + {step * k}u] = v{k};\n" for k in range(4))
    loop = f"  for (var i = group.x * 256u + thread.x; i < {VECTORS}u; i += {4 * step}u) {{\n"
    at = "  let i = (group.x + group.y * 32768u) * 256u + thread.x;\n"
    four = "  let i = (group.x + group.y * 32768u) * 1024u + thread.x;\n"
    return {
        "webgpu-copy": ("16 bytes a thread", (32768, VECTORS // 256 // 32768, 1), at + one),
        "webgpu-copy-near": (
            "four times 16 bytes a thread",
            (32768, VECTORS // 1024 // 32768, 1),
            four + near,
        ),
        "webgpu-copy-far": (
            "a loop, four times 16 bytes at once",
            (4096, 1, 1),
            loop + far + "  }\n",
        ),
    }


@cache
def made(id):
    """A shader, with its bindings and its dispatch."""
    spec = SHADERS[id]
    if spec.make is None:
        what, groups, body = copies()[id]
        names = [SimpleNamespace(name=name, written=name == "out") for name in ("a", "out")]
        wgsl = COPY_HEAD.format(n=LONG, what=what) + body + "}\n"
        return SimpleNamespace(name="copy", wgsl=wgsl, groups=groups, params=b"", bindings=names)
    arrays = [Like(shape) for shape in spec.arrays]
    return shader(spec.module, spec.make, spec.grid, spec.block, *arrays, **OPTIONS)


# The kernels that the page "My GPU" runs: title, page, row of the H200's, module, kernel, launch.
PAGE = (
    ("Vector addition", "vector-add-numba", "kernels.vector_add.add", "add_kernel", "vector"),
    ("Sum", "sum-warps", "kernels.reduction.warps", "sum_warps_kernel", "sum"),
    ("Naive matrix product", "naive-matmul-4096", "kernels.naive_matmul.matmul", "matmul_kernel",
     "matrix"),
    ("Tiled matrix product", "sgemm-tiled", "kernels.gemm.tiled", "make_tiled", "tile"),
)  # fmt: skip


def for_page(vector, side, sums):
    """Return rows for the page, with as many elements: the shader, and what a launch does."""
    rows = []
    for title, h200, module, name, kind in PAGE:
        square = 3 * (Like((side, side)),)
        grid, block, arrays, moved, flops = {
            "vector": ((vector // 256,), (256,), 3 * (Like((vector,)),), 12 * vector, vector),
            "sum": ((sums,), (256,), (Like((vector,)), Like((sums,))), 4 * vector, vector),
            "matrix": ((side // 32, side // 8), (32, 8), square, 12 * side**2, 2 * side**3),
            "tile": ((side // 16, side // 16), (16, 16), square, 12 * side**2, 2 * side**3),
        }[kind]

        def make(module, name=name, kind=kind):
            found = getattr(module, name)
            return found(16) if kind == "tile" else found

        arrays = [Like(a.shape) for a in arrays]
        s = shader(module, make, grid, block, *arrays, unroll=OPTIONS["unroll"])
        bindings = [{"name": b.name, "bytes": 4 * b.elements} for b in s.bindings]
        made = {"name": s.name, "wgsl": s.wgsl, "groups": s.groups, "block": s.block}
        made |= {"shared": s.shared, "bindings": bindings}
        rows.append({"id": h200, "title": title, "h200": h200, "bytes": moved, "flops": flops,
                     "shader": made})  # fmt: skip
    return rows


def texts():
    """Path -> text of each shader."""
    return {FOLDER / f"{id}.wgsl": made(id).wgsl for id in SHADERS}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for path, text in texts().items():
        path.write_text(text, encoding="utf-8")
