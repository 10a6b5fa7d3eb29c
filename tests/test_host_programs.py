# ruff: noqa: E501 - kernels as they come
"""Kernels out of whole programs, on a CPU: what foreign CUDA C++ and Metal use, in kernels of ours."""

import json
import textwrap

import numpy as np
import pytest

from simulator import cuda_cpp, metal
from simulator.foreign import kernels
from simulator.hosts import HostError, compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C++ compiler here")

F, N, U = np.float32, np.int32, np.uint32


@pytest.fixture
def program(tmp_path):
    """Write files of a program; return the first."""

    def write(**files):
        for name, text in files.items():
            (tmp_path / name.replace("__", ".")).write_text(textwrap.dedent(text))
        return tmp_path / next(iter(files)).replace("__", ".")

    return write


PROGRAM = """
#include <cuda_runtime.h>
#include <vector>
#include "helpers.h"
#define LANES 32

template <typename T, int N = 4> struct Sum { static __device__ T of(const T *x) { T s = 0; for (int i = 0; i < N; i++) s += x[i]; return s; } };
__constant__ float weights[4];

template <class T, int N>
static __global__ void __launch_bounds__(LANES * (2 + 2)) fold(const T *__restrict__ x, T *out, Scale s, int n = 3) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = s.by * Sum<T, N>::of(x + N * i) + T(weights[i % 4]);
}
__global__ void unused(int *p) { asm("nop"); }

int main() {
  std::vector<float> v;
  unused<<<1, 1>>>(nullptr);
  return cudaDeviceSynchronize();
}
"""


def test_a_kernel_is_taken_out_of_a_program(program):
    file = program(
        p__cu=PROGRAM, helpers__h="#pragma once\nstruct Scale { float by; };\nvoid host();\n"
    )
    name = "fold<float, 3>"
    unit = cuda_cpp.read(file, kernels=(name,))
    assert "main(" not in unit.text.split("launcher")[0] and "unused" not in unit.text
    x, out = np.arange(30, dtype=F), np.zeros(10, F)
    scale = np.array((2.0,), np.dtype([("by", F)]))[()]
    w = np.array([0, 1, 2, 3], F)
    cuda_cpp.launch(unit, name, 1, 32, [x, out, scale, N(10)], symbols={"weights": w})
    np.testing.assert_array_equal(out, 2 * x.reshape(10, 3).sum(1) + w[np.arange(10) % 4])
    with pytest.raises(HostError, match="there is no kernel missing"):
        cuda_cpp.read(file, kernels=("missing",))
    with pytest.raises(HostError, match=r"p.cu:15: inline PTX \(asm\): not simulated here"):
        cuda_cpp.read(file, kernels=("unused",))
    with pytest.raises(HostError, match="weights has 16 bytes, the value has 4"):
        cuda_cpp.launch(unit, name, 1, 32, [x, out, scale, N(10)], symbols={"weights": w[:1]})
    with pytest.raises(HostError, match="there is no variable other"):
        cuda_cpp.launch(unit, name, 1, 32, [x, out, scale, N(10)], symbols={"other": w})


def test_lines_of_a_program_are_its_own(program):
    file = program(
        p__cu="\n\n__global__ void f(int *x) {\n  x[threadIdx.x + 40] = 1;\n}\nint main() { f<<<1, 1>>>(0); }\n"
    )
    unit = cuda_cpp.read(file, kernels=("f",))
    with pytest.raises(HostError, match=r"p\.cu:4: f writes 4 bytes outside of every buffer"):
        cuda_cpp.launch(unit, "f", 1, 32, [np.zeros(32, N)])


def launch(text, name, grid, block, arguments, **options):
    cuda_cpp.launch(
        cuda_cpp.read("k.cu", text, instances=(name,)), name, grid, block, arguments, **options
    )


def test_lanes_that_a_mask_names_meet_without_the_others():
    text = """extern "C" __global__ void f(int *out) {
  int lane = threadIdx.x, v = lane;
  if (lane < 8) {
    for (int i = 1; i < 8; i *= 2) { int n = __shfl_up_sync(0xFF, v, i, 8); if (lane >= i) v += n; }
  }
  __syncthreads();
  out[lane] = v + __reduce_max_sync(0xFFFFFFFF, lane % 7);
}"""
    out = np.zeros(32, N)
    launch(text, "f", 1, 32, [out])
    want = np.arange(32)
    want[:8] = np.cumsum(want[:8])
    np.testing.assert_array_equal(out, want + 6)
    late = text.replace("if (lane < 8)", "if (lane < 7)")
    with pytest.raises(HostError, match="waits at __shfl_up_sync"):
        launch(late, "f", 1, 32, [np.zeros(32, N)])


GRID = """#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__global__ void f(const int *x, int *part, int *out) {
  cg::grid_group grid = cg::this_grid();
  __shared__ int s[32];
  s[threadIdx.x] = x[grid.thread_rank()];
  __syncthreads();
  if (threadIdx.x == 0) { int t = 0; for (int i = 0; i < 32; i++) t += s[i]; part[blockIdx.x] = t; }
  grid.sync();
  if (grid.thread_rank() == 0) for (int b = 0; b < gridDim.x; b++) *out += part[b];
}"""


def test_a_grid_waits_for_itself():
    x, out = np.arange(96, dtype=N), np.zeros(1, N)
    for backwards in (False, True):
        out[:] = 0
        launch(GRID, "f", 3, 32, [x, np.zeros(3, N), out], backwards=backwards)
        assert out[0] == x.sum()
    with pytest.raises(HostError, match=r"data race in f: .* k\.cu:10"):
        launch(GRID.replace("grid.sync();", ""), "f", 3, 32, [x, np.zeros(3, N), out])
    early = GRID.replace("grid.sync();", "if (blockIdx.x) return; grid.sync();")
    with pytest.raises(HostError, match="1 of 3 groups wait at grid_group::sync"):
        launch(early, "f", 3, 32, [x, np.zeros(3, N), out], check="bounds")


def test_each_instance_has_its_own_shared_memory():
    text = """template <int N> __device__ int put(int v) { __shared__ int s[1]; if (threadIdx.x == 0) s[0] = v + N; __syncthreads(); return s[0]; }
__global__ void f(int *out) { int a = put<10>(1), b = put<20>(2); out[threadIdx.x] = a + b; }"""
    out = np.zeros(32, N)
    launch(text, "f", 1, 32, [out])
    assert (out == 33).all()


def test_bfloat_half_and_what_they_make_with_numbers():
    text = """#include <cuda_bf16.h>
#include <cuda_fp16.h>
__global__ void f(const __nv_bfloat16 *x, const half *h, float *out, bool up) {
  int i = threadIdx.x;
  half zero = up ? h[i] : half(0);
  float a = x[i];
  a += h[i];
  out[i] = a * 2.0f + (float)(zero * half(2)) + (h[i] > 1.0f) + (float)__hfma(h[i], h[i], h[i]);
}"""
    x = (np.arange(32, dtype=F).view(U) >> 16).astype(np.uint16)
    h, out = np.arange(32).astype(np.float16), np.zeros(32, F)
    launch(text, "f", 1, 32, [x, h, out, np.bool_(True)])
    i = np.arange(32)
    np.testing.assert_array_equal(out, 4 * i + 2 * i + (i > 1) + i * i + i)


def test_null_pointers_and_pointers_to_pointers():
    text = "__global__ void f(int *out, const int *bias) { out[threadIdx.x] = bias ? bias[0] : 7; }"
    out = np.zeros(32, N)
    launch(text, "f", 1, 32, [out, None])
    assert (out == 7).all()
    with pytest.raises(HostError, match="k.cu:1: g: parameter 0 is a pointer to pointers"):
        cuda_cpp.read("k.cu", "__global__ void g(float **x) {}")


# ---------------------------------------------------------------- Metal

HEAD = "#include <metal_stdlib>\nusing namespace metal;\n"


def run(text, name, arguments, threads=32, group=32, **options):
    metal.dispatch_threads(
        metal.read("k.metal", HEAD + text), name, arguments, threads, group, **options
    )


MACROS = """
#include <metal_stdlib>
#include "scale.h"
using namespace metal;
#define make(name, ...) template [[host_name(name)]] [[kernel]] decltype(grow<__VA_ARGS__>) grow<__VA_ARGS__>;
constant bool twice [[function_constant(CONSTANTS + 1)]];

template <typename T, int N = 2>
[[kernel, max_total_threads_per_threadgroup(64)]] void grow(
    const device T *x, device T *out, const device T *more [[buffer(5), function_constant(twice)]],
    uint i [[thread_position_in_grid]]) {
  out[i] = T(N) * scaled(x[i]) + (twice ? more[i] : T(0));
}
make("grow_" "half", half)
make("grow_3", float, 3)
kernel void broken(device int *x) { not_declared(x); }
"""


def test_a_kernel_that_a_macro_makes(program):
    header = "#pragma once\n#define CONSTANTS 40\ntemplate <class T> T scaled(T x) { return x + T(1); }\n"
    file = program(p__metal=MACROS, scale__h=header)
    x = np.arange(32)
    for name, dtype, n in (("grow_half", np.float16, 2), ("grow_3", F, 3)):
        unit = metal.read(file, kernels=(name,))
        a, out, no, yes = (
            x.astype(dtype),
            np.zeros(32, dtype),
            {41: np.bool_(False)},
            {41: np.bool_(True)},
        )
        metal.dispatch_threads(unit, name, [a, out], 32, 32, constants=no)
        np.testing.assert_array_equal(out, n * (x + 1))
        metal.dispatch_threads(unit, name, {0: a, 1: out, 5: a}, 32, 32, constants=yes)
        np.testing.assert_array_equal(out, n * (x + 1) + x)
    with pytest.raises(HostError, match=r"p.metal:16:.*not_declared"):
        metal.compile(metal.read(file, kernels=("broken",)))


def test_swizzles_are_assigned_to_and_vectors_compared():
    text = """kernel void f(device float4 *a [[buffer(0)]], device packed_float3 *p [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  float4 v = a[i];
  v.zx = v.xy * 2;
  v.yw += float2(1, 10);
  a[i] = all(v.xy < float2(1e9)) ? v : -v;
  p[i] = float3(v.xyz);
}"""
    a = np.arange(128, dtype=F).reshape(32, 4)
    want = a.copy()
    want[:, 2], want[:, 0] = a[:, 0] * 2, a[:, 1] * 2
    want[:, 1] += 1
    want[:, 3] += 10
    p = np.zeros((32, 3), F)
    run(text, "f", [a, p])
    np.testing.assert_array_equal(a, want)
    np.testing.assert_array_equal(p, want[:, :3])


def test_members_for_each_memory_are_one():
    text = """struct Op {
  template <typename T> T operator()(T a, T b) const thread { return a + b; }
  template <typename T> T operator()(T a, T b) const threadgroup { return a + b; }
  Op() = default;
  Op() threadgroup = default;
};
struct Block { union { struct { half d; half m; }; half2 both; }; uchar q[4]; };
kernel void f(device const Block *b [[buffer(0)]], device float *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
  Op op;
  out[i] = op(float(b[i].d) * b[i].q[1], float(b[i].both.y));
}"""
    blocks = np.zeros(32, np.dtype([("d", "f2"), ("m", "f2"), ("q", "u1", 4)]))
    blocks["d"], blocks["m"], blocks["q"] = 2, 3, np.arange(128).reshape(32, 4)
    out = np.zeros(32, F)
    run(text, "f", [blocks, out])
    np.testing.assert_array_equal(out, 2 * blocks["q"][:, 1] + 3.0)


def test_textures_are_read_and_written():
    text = """kernel void f(texture2d<half, access::read> in [[texture(0)]], texture2d<half, access::write> out [[texture(1)]], uint2 at [[thread_position_in_grid]]) {
  out.write(in.read(at + 1u) * half(2), at);
}"""
    picture, out = np.arange(60, dtype=np.float16).reshape(3, 5, 4), np.zeros((3, 5, 4), np.float16)
    run(text, "f", [], (5, 3), (4, 4), textures={0: picture, 1: out})
    want = np.zeros_like(picture)
    want[:2, :4] = picture[1:, 1:] * 2
    np.testing.assert_array_equal(out, want)
    with pytest.raises(HostError, match="texture\\(1\\) is of half, the array holds float32"):
        run(text, "f", [], (5, 3), (4, 4), textures={0: picture, 1: out.astype(F)})


def test_a_missing_barrier_is_seen_in_copies_of_vectors():
    text = """float take(float4 v) { return v.x; }
kernel void f(device float *out [[buffer(0)]], threadgroup float4 *s [[threadgroup(0)]], uint i [[thread_position_in_threadgroup]]) {
  s[i] = float4(i);
  out[i] = take(s[(i + 1) % 32]);
}"""
    with pytest.raises(HostError, match="k.metal:5: data race in f"):
        run(text, "f", [np.zeros(32, F)], threadgroup_memory={0: 512})


def test_the_lists_of_foreign_kernels():
    for language, cases in kernels.LISTS.items():
        many = 55 if language == "Numba" else 25
        assert len(cases) == many == len({(c.repository, c.path, c.kernel) for c in cases})
        for case in cases:
            made = case.launch()
            # A kernel that loses updates, or does not come to its end, leaves nothing to compare.
            assert made.expected or case.faults or case.stops
            assert len(case.commit) == 40
            for wanted in made.expected.values():
                if wanted.dtype.kind == "c":
                    wanted = wanted.view(np.float64)
                if wanted.dtype.kind != "V":
                    assert np.isfinite(made.read(wanted).astype(np.float64)).all()


NOTEBOOK = """from elsewhere import show
from numba import cuda
%matplotlib inline
scale = 2

@cuda.jit(device=True)
def twice(x):
    return scale * x

@cuda.jit
def k(x):
    i = cuda.grid(1)
    FIRST
    if i < x.size:
        x[i] = twice(x[i]) + EXTRA
show(k)"""


@pytest.mark.parametrize(
    ("first", "extra", "faults", "wanted", "why"),
    [
        ("pass", "0", {}, "right", ""),
        ("pass", "1", {}, "wrong", "argument 0 has 3.0 at 0, not 2.0"),
        ("x[0] += 1", "0", {}, "wrong", "argument 0 has"),
        ("if i > 40: x[40] = i", "0", {}, "wrong", "found, and not listed: missing-syncwarp"),
        ("if i > 40: x[40] = i", "0", {"missing-syncwarp": ""}, "right", "found: missing-syncwarp"),
        ("pass", "0", {"global-race": ""}, "wrong", "not found: global-race"),
        ("print(x, sep='')", "0", {}, "refused", "Unsupported: "),
    ],
)
def test_a_foreign_numba_kernel_is_right_refused_or_wrong(
    tmp_path, first, extra, faults, wanted, why
):
    from simulator.foreign.cases import Launch
    from simulator.foreign.numba_kernels import NumbaCase

    def doubled():
        return Launch(2, 32, [np.ones(64, F)], {0: np.full(64, 2, F)}, read=lambda a: a[:40])

    text = NOTEBOOK.replace("FIRST", first).replace("EXTRA", extra)
    cell = {"cell_type": "code", "source": [text]}
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "k.ipynb").write_text(json.dumps({"cells": [cell]}))
    case = NumbaCase("a/b", "0" * 40, "k.ipynb", "k", doubled, faults=faults)
    found, said = kernels.outcome("Numba", case, tmp_path)
    assert found == wanted and said.startswith(why), said


def test_a_foreign_kernel_that_is_wrong_is_called_so(tmp_path):
    from simulator.foreign.cases import Case, Launch

    def doubled():
        return Launch(1, 32, [np.ones(32, F)], {0: np.full(32, 2, F)}, 1e-6)

    (tmp_path / "a" / "b").mkdir(parents=True)
    for factor, wanted in ((2, "right"), (3, "wrong")):
        text = f"__global__ void f(float *x) {{ x[threadIdx.x] *= {factor}; }}\nint main() {{}}\n"
        (tmp_path / "a" / "b" / "k.cu").write_text(text)
        assert (
            kernels.outcome("CUDA C++", Case("a/b", "0" * 40, "k.cu", "f", doubled), tmp_path)[0]
            == wanted
        )
    assert (
        kernels.outcome("CUDA C++", Case("a/c", "0" * 40, "k.cu", "f", doubled), tmp_path)[0]
        == "absent"
    )
