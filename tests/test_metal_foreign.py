# ruff: noqa: E501 - kernels as they come
"""What foreign Metal kernels use, on a CPU: each source here is of a kind that once was refused."""

import numpy as np
import pytest

from simulator import metal
from simulator.hosts import HostError, compiler

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C++ compiler here")

F = np.float32
HEAD = "#include <metal_stdlib>\nusing namespace metal;\n"


def run(text, name, arguments, threads=32, group=32, **options):
    unit = metal.read("k.metal", HEAD + text)
    metal.dispatch_threads(unit, name, arguments, threads, group, **options)


def test_swizzles_are_read():
    text = """kernel void f(device const float4 *a [[buffer(0)]], device float2 *out [[buffer(1)]],
                           uint i [[thread_position_in_grid]]) {
  float4 v = a[i].wzyx;
  out[i] = v.xy + a[i].rg;
}"""
    a, out = np.arange(128, dtype=F), np.zeros(64, F)
    run(text, "f", [a, out])
    b = a.reshape(32, 4)
    np.testing.assert_array_equal(out.reshape(32, 2), b[:, [3, 2]] + b[:, :2])


def test_buffers_without_attributes_are_numbered():
    text = """kernel void f(device const float *a, constant uint &n, device float *out,
                           uint i [[thread_position_in_grid]]) { if (i < n) out[i] = 2 * a[i]; }"""
    out = np.zeros(32, F)
    run(text, "f", [np.ones(32, F), np.uint32(30), out])
    assert out.sum() == 60


def test_templates_with_host_names():
    text = """template <typename T> kernel void f(device const T *a [[buffer(0)]],
    device T *out [[buffer(1)]], uint i [[thread_position_in_grid]]) { out[i] = a[i] + T(1); }
template [[host_name("f_float")]] kernel void f<float>(device const float *, device float *, uint);
template [[host_name("f_int")]] [[kernel]] void f<int>(device const int *, device int *, uint);
"""
    for name, dtype in (("f_float", F), ("f_int", np.int32)):
        out = np.zeros(32, dtype)
        run(text, name, [np.arange(32, dtype=dtype), out])
        np.testing.assert_array_equal(out, np.arange(1, 33))
    with pytest.raises(HostError, match="templates, and none has an instance"):
        metal.read("k.metal", HEAD + text.split("template [[")[0])


def test_bfloat_rounds_to_its_eight_bits():
    text = """kernel void f(device const bfloat *a [[buffer(0)]], device float *out [[buffer(1)]],
                           uint i [[thread_position_in_grid]]) { out[i] = float(a[i] + bfloat(1.0f)); }"""
    values = np.linspace(0.1, 3, 32, dtype=F)
    bits = (values.view(np.uint32) >> 16).astype(np.uint16)
    out = np.zeros(32, F)
    run(text, "f", [bits, out])
    exact = (bits.astype(np.uint32) << 16).view(F) + 1
    assert np.abs(out / exact - 1).max() <= 2**-8
    assert not (out.view(np.uint32) & 0xFFFF).any()


def test_simdgroup_matrices():
    text = """#include <metal_simdgroup_matrix>
kernel void f(device const float *a [[buffer(0)]], device const float *b [[buffer(1)]],
              device float *out [[buffer(2)]]) {
  simdgroup_float8x8 x, y, z = simdgroup_float8x8(0.0f);
  for (uint k = 0; k < 16; k += 8) {
    simdgroup_load(x, a + k, 16);
    simdgroup_load(y, b + 8 * k, 8);
    simdgroup_multiply_accumulate(z, x, y, z);
  }
  simdgroup_store(z, out, 8);
}"""
    a, b, out = np.arange(128, dtype=F), np.arange(128, dtype=F) % 7, np.zeros((8, 8), F)
    run(text, "f", [a, b, out])
    np.testing.assert_array_equal(out, a.reshape(8, 16) @ b.reshape(16, 8))


def test_every_dtype_is_compared_and_races_are_looked_for():
    text = """kernel void f(device long *a [[buffer(0)]], uint i [[thread_position_in_threadgroup]]) {
  threadgroup long s[32];
  s[i] = i;
  a[i] = s[(i + 1) % 32];
  threadgroup_barrier(mem_flags::mem_threadgroup);
}"""
    with pytest.raises(HostError, match="buffer\\(0\\) is long, the array holds int32"):
        run(text, "f", [np.zeros(32, np.int32)])
    with pytest.raises(HostError, match="data race in f"):
        run(text, "f", [np.zeros(32, np.int64)])


def test_textures_that_are_sampled_are_refused_by_line():
    text = "kernel void f(texture2d<float> t [[texture(0)]], device float *out [[buffer(0)]]) {}"
    with pytest.raises(
        HostError, match="k.metal:3: f: .*of textures, those of two dimensions are simulated"
    ):
        metal.read("k.metal", HEAD + text)
