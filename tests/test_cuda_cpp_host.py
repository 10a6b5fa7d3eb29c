"""What foreign CUDA C++ uses, on a CPU: each source here is of a kind that once was refused."""

import numpy as np
import pytest

from simulator import cuda_cpp
from simulator.hosts import HostError, compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C++ compiler here")

F = np.float32


def run(text, name, arguments, grid=1, block=32, **options):
    instances = options.pop("instances", ())
    unit = cuda_cpp.read("k.cu", text, instances)
    cuda_cpp.launch(unit, name, grid, block, arguments, **options)


def test_dynamic_shared_memory():
    text = """#include <cuda_runtime.h>
__global__ void __launch_bounds__((32 * 2)) f(const float *a, float *out) {
  extern __shared__ float s[];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}"""
    a, out = np.arange(32, dtype=F), np.zeros(32, F)
    run(text, "f", [a, out], shared=128)
    np.testing.assert_array_equal(out, a[::-1])
    with pytest.raises(HostError, match="k.cu:3: f has dynamic shared memory"):
        run(text, "f", [a, out])
    with pytest.raises(HostError, match="k.cu:[46]: f (writes|reads) 4 bytes outside"):
        run(text, "f", [a, out], shared=64)


def test_races_are_looked_for_where_there_is_a_barrier():
    text = """__global__ void f(float *out) {
  __shared__ float s[32], t[32];
  s[threadIdx.x] = threadIdx.x;
  out[threadIdx.x] = s[(threadIdx.x + 1) % 32];
  __syncthreads();
}"""
    with pytest.raises(HostError, match="data race in f"):
        run(text, "f", [np.zeros(32, F)])
    run(text, "f", [np.zeros(32, F)], check="bounds")


def test_equal_writes_are_noted_and_no_race():
    text = """__global__ void f(float *out) {
  __shared__ float s[8];
  s[threadIdx.x / 8] = VALUE;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x / 8];
}"""
    unit = cuda_cpp.read("k.cu", text.replace("VALUE", "3"))
    out = np.zeros(32, F)
    (note,) = cuda_cpp.launch(unit, "f", 1, 32, [out])
    assert (
        note.startswith("k.cu:3: note: several threads of f write one place here")
        and (out == 3).all()
    )
    marked = cuda_cpp.read("k.cu", text.replace("VALUE;", "3;  // same-value"))
    assert cuda_cpp.launch(marked, "f", 1, 32, [out]) == []
    # One thread of eight that writes another value, the last one or one in between, is a race.
    for thread in (12, 31):
        with pytest.raises(
            HostError, match="k.cu:3: data race in f: one thread writes here, anoth"
        ):
            run(text.replace("VALUE", f"threadIdx.x == {thread} ? 4 : 3"), "f", [out])
    # So is one that reads what equal writes leave, and one that adds to what it has read.
    with pytest.raises(HostError, match="k.cu:5: data race in f: one thread reads here"):
        run(text.replace("VALUE", "3").replace("__syncthreads();", ""), "f", [out])
    with pytest.raises(HostError, match="k.cu:3: data race in f: one thread reads here"):
        run(text.replace("VALUE", "s[threadIdx.x / 8] * 0 + 3"), "f", [out])


def test_cooperative_groups():
    text = """#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
__global__ void f(const int *a, int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  __shared__ int s[4];
  int total = cg::reduce(tile, a[block.thread_rank()], cg::plus<int>());
  if (tile.thread_rank() == 0) s[tile.meta_group_rank()] = total;
  block.sync();
  out[block.thread_rank()] = s[3 - tile.meta_group_rank()] + tile.shfl_down(1, 1);
}"""
    a, out = np.arange(64, dtype=np.int32), np.zeros(64, np.int32)
    run(text, "f", [a, out], block=64)
    np.testing.assert_array_equal(out, np.repeat(a.reshape(4, 16).sum(1)[::-1], 16) + 1)


def test_atomics():
    text = """__global__ void f(unsigned *a, int *b) {
  atomicInc(&a[0], 9); atomicAnd(&a[1], ~(1u << threadIdx.x)); atomicOr(&a[2], 1u << threadIdx.x);
  atomicXor(&a[3], 1u); atomicDec(&a[4], 5);
  int old = b[1], seen;
  if (threadIdx.x == 0) atomicCAS(&b[0], 7, 8);
}"""
    a, b = np.array([0, -1 & 0xFFFFFFFF, 0, 0, 3], np.uint32), np.array([7, 0], np.int32)
    run(text, "f", [a, b])
    assert a.tolist() == [2, 0, 0xFFFFFFFF, 0, 1] and b[0] == 8


def test_templates_of_types():
    text = """template <typename T, int N>
__global__ void f(const T *a, T *out) { out[threadIdx.x] = a[threadIdx.x] * N; }"""
    a, out = np.arange(32.0), np.zeros(32)
    run(text, "f<double, 3>", [a, out], instances=("f<double, 3>",))
    np.testing.assert_array_equal(out, 3 * a)
    with pytest.raises(HostError, match=r"k.cu:2: f is a template: read\(..., instances="):
        cuda_cpp.read("k.cu", text)


def test_every_dtype_is_compared():
    text = "__global__ void f(unsigned long long *a, short *b) { a[0] = b[0]; }"
    with pytest.raises(HostError, match="argument 0 is unsigned long long, int32 was given"):
        run(text, "f", [np.zeros(1, np.int32), np.zeros(1, np.int16)])
    text = "struct P { float x; int n; };\n__global__ void f(P *p) { p[threadIdx.x].n = 3; }"
    with pytest.raises(HostError, match="argument 0 is P, which NumPy does not know"):
        run(text, "f", [np.zeros(64, F)])
    p = np.zeros(32, [("x", F), ("n", np.int32)])
    run(text, "f", [p])
    assert (p["n"] == 3).all()


def test_votes_of_a_block_and_vectors():
    text = """__global__ void f(const float4 *a, int *out) {
  int n = __syncthreads_count(a[threadIdx.x].w > 40);
  out[threadIdx.x] = n + __syncthreads_or(threadIdx.x == 3) + __float_as_int(0.0f);
}"""
    out = np.zeros(32, np.int32)
    run(text, "f", [np.arange(128, dtype=F), out])
    assert (out == 32 - 10 + 1).all(), out


def test_host_code_is_refused_by_line():
    with pytest.raises(HostError, match="k.cu:2: a launch .* is host code"):
        cuda_cpp.read("k.cu", "__global__ void f() {}\nint main() { f<<<1, 1>>>(); }")
    with pytest.raises(HostError, match="k.cu:1: a __shared__ variable outside"):
        cuda_cpp.read("k.cu", "__shared__ float s[4];\n__global__ void f() {}")
