"""What kernels that others wrote use: each case here is one that once was wrong or refused."""

# ruff: noqa: E501 - kernels in one line each
import os
import re
import subprocess
import sys

import numpy as np
import pytest

from simulator.stepper import TypeRefused, run_script
from tests.pages import ROOT

HEAD = (
    "import math, cmath, enum, operator\nfrom collections import namedtuple\nimport numpy as np\n"
)
HEAD += "from numba import cuda\nfrom numba.cuda import float32, float64, int32, int64\n"
MODES = ("run", "check")


def result_of(
    body, before="", out="np.zeros(4)", arguments="", parameters="", mode="run", n=1, **more
):
    """Run a kernel with this body on n threads; returns its output array and the Result."""
    body = body.replace("\n", "\n    ")
    source = (
        f"{HEAD}{before}\n@cuda.jit\ndef k(out{parameters}):\n    i = cuda.grid(1)\n    {body}\n"
        f"out = {out}\nk[1, {n}](out{arguments})\n"
    )
    result = run_script(source, mode=mode, **more)
    return result.namespace.get("out"), result


# body -> (what goes before it, more parameters, their arguments, what `out` begins with)
RIGHT = {
    # constants, as CPython folds them before Numba compiles
    "out[0] = 10**-6": [1e-6],
    "out[0] = 2**63": [2.0**63],
    "out[0] = 2**-1": [0.5],
    "out[0] = -(2**3) + 7 // 2": [-5],
    "s = cuda.shared.array((2 + 2, 1 * 3), float64)\ns[3, 2] = 5\nout[0] = s[3, 2]": [5],
    # loops
    "for x in (1, 2, 3):\n    out[0] += x": [6],
    "t = cuda.local.array(3, float64)\nt[:] = 2\nfor x in t:\n    out[0] += x": [6],
    "for j, x in enumerate((5.0, 6.0)):\n    out[j] = x": [5, 6],
    "t = cuda.local.array(3, int64)\nt[:] = 2\nfor j, x in enumerate(t, 1):\n    out[j] = x + j": [
        0,
        3,
        4,
        5,
    ],
    "t = cuda.local.array(3, int64)\nt[:] = 2\nfor x, y in zip(t, t[1:]):\n    out[0] += x * y": [
        8
    ],
    "for j in range(4):\n    if j == 9:\n        break\nelse:\n    out[0] = 7": [7],
    "for j in range(4):\n    if j == 2:\n        break\nelse:\n    out[0] = 7\nout[1] = j": [0, 2],
    "j = 0\nwhile j < 3:\n    j += 1\n    if j == 5:\n        break\nelse:\n    out[0] = j": [3],
    "for x in (1, 2.5):\n    out[0] += x": [3.5],
    # operators and functions
    "out[0] = 3 in (1, 3)\nout[1] = 2 not in (1, 3)": [1, 1],
    "out[1] = 5\nout[0] = 5.0 in out": [1, 5],
    "q, r = divmod(-7, 3)\nout[0] = q\nout[1] = r": [-3, 2],
    "out[0] = round(2.675, 2)\nout[1] = round(-1234.5, -2)\nout[2] = round(0.5, 0)": [
        2.68,
        -1200,
        0,
    ],
    "m, e = math.frexp(10.0)\nout[0] = m\nout[1] = e": [0.625, 4],
    "out[0] = math.nextafter(1.0, 2.0) - 1.0": [2.0**-52],
    "x = np.int64(255)\nout[0] = x.bit_count()": [8],
    "out[0] = operator.add(2, 3)\nout[1] = operator.getitem((4, 5), 1)": [5, 5],
    "f = lambda x: x * i + 3\nout[0] = f(2)": [3],
    "def twice(x):\n    return 2 * x + y\ny = 5\nout[0] = twice(3)": [11],
    "out[0] = (1, 2) == (1, 2)\nout[1] = (1, 2, 3)[1:][0]": [1, 2],
    "out[0] = sum((1, 2, 3))": [6],
    # slices
    "out[1:3] = 7": [0, 7, 7, 0],
    "out[...] = 3": [3, 3, 3, 3],
    "out[:] = (1, 2, 3, 4)": [1, 2, 3, 4],
    "out[2:] = 4": [0, 0, 4, 4],
    # methods of arrays
    "out[:] = 2\nout[0] = out.sum() + out.max() + out.mean()": [12, 2, 2, 2],
    "s = cuda.local.array(4, float64)\ns[:] = 1\nm = s.reshape(2, 2)\nm[1, 0] = 9\nout[0] = s[2]": [
        9
    ],
    "s = cuda.local.array(2, float32)\ns[0] = 1.0\nout[0] = s.view(np.int32)[0]": [0x3F800000],
    "s = cuda.local.array(3, float64)\ns[:] = 1\ns[1] = 5\nout[0] = s.argmax()\nout[1] = np.sum(s)": [
        *(1, 7)
    ],
    # complex numbers
    "z = (1 + 2j) * (3 - 1j)\nout[0] = z.real\nout[1] = z.imag": [5, 5],
    "z = complex(3, 4)\nout[0] = abs(z)\nout[1] = z.conjugate().imag": [5, -4],
    "z = cmath.exp(0j) / (0 + 1j)\nout[0] = z.imag": [-1],
    "z = np.complex64(1 + 2j)\nz = z * z\nout[0] = z.real": [-3],
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("body", RIGHT)
def test_bodies(body, mode):
    out, result = result_of(body, mode=mode)
    assert result.error is None and not result.findings, result.message or result.findings
    want = np.zeros(4)
    want[: len(RIGHT[body])] = RIGHT[body]
    np.testing.assert_allclose(out, want, rtol=1e-12)


SCRIPTS = {
    "a record with an array in it": (
        "dt = np.dtype([('a', np.float32, (3,)), ('n', np.int32)])\n"
        "@cuda.jit\ndef k(r, out):\n    i = cuda.grid(1)\n    r[i].a[1] = 2.5\n    r[i].n = 4\n"
        "    for x in r[i].a:\n        out[i] += x\n"
        "r = np.zeros(3, dt)\nout = np.zeros(3)\nk[1, 3](r, out)\n"
        "assert (out == 2.5).all() and (r['n'] == 4).all() and (r['a'][:, 1] == 2.5).all()\n"
    ),
    "a whole field of records": (
        "dt = np.dtype([('a', np.float32), ('n', np.int32)])\n"
        "@cuda.jit\ndef k(r, out):\n    i = cuda.grid(1)\n    x = r.a\n    out[i] = x[i] + r['n'][i]\n"
        "r = np.zeros(3, dt)\nr['a'], r['n'] = 1.5, (1, 2, 3)\nout = np.zeros(3)\nk[1, 3](r, out)\n"
        "assert (out == [2.5, 3.5, 4.5]).all()\n"
    ),
    "a record assigned whole, and one as an argument": (
        "dt = np.dtype([('a', np.float32), ('b', np.complex64), ('c', np.int8, (2,))])\n"
        "@cuda.jit\ndef k(r, one):\n    r[0] = r[1]\n    one.a = 9\n"
        "r = np.zeros(2, dt)\nr[1] = (1, 2 + 1j, (3, 4))\none = np.zeros(1, dt)[0]\n"
        "k[1, 1](r, one)\nassert r[0] == r[1] and one['a'] == 9\n"
    ),
    "functions and dtypes as arguments of device functions": (
        "@cuda.jit(device=True)\ndef add(a, b):\n    return a + b\n"
        "@cuda.jit(device=True)\ndef apply(f, x, dt, size):\n"
        "    s = cuda.shared.array(size, dt)\n    s[0] = x\n    return f(s[0], 1)\n"
        "@cuda.jit\ndef k(out):\n    out[0] = apply(add, 2, float32, 4)\n"
        "out = np.zeros(1)\nk[1, 1](out)\nassert out[0] == 3\n"
    ),
    "const.array_like of an argument": (
        "@cuda.jit\ndef k(a, out):\n    c = cuda.const.array_like(a)\n    out[0] = c[1]\n"
        "out = np.zeros(1)\nk[1, 1](np.arange(3.0), out)\nassert out[0] == 1\n"
    ),
    "tuples of arrays, named tuples, enums": (
        "P = namedtuple('P', 'x y')\nclass E(enum.Enum):\n    a = 1\n    b = 2\n"
        "class I(enum.IntEnum):\n    c = 5\n"
        "@cuda.jit\ndef k(pair, p, e, out):\n    q = P(p.y, p.x)\n    out[0] = pair[0][1] + pair[1][0]\n"
        "    out[1] = q.x - q.y\n    out[2] = I.c\n    if e is E.a:\n        out[3] = 1\n"
        "    if e == E.b:\n        out[3] = 2\n"
        "out = np.zeros(4)\nk[1, 1]((np.arange(3.0), np.ones(2)), P(1, 5), E.b, out)\n"
        "assert list(out) == [2, 4, 5, 2], out\n"
    ),
    "members of an IntEnum: their value, and as a size": (
        "class I(enum.IntEnum):\n    c = 3\n"
        "@cuda.jit(device=True)\ndef f(n):\n    a = cuda.local.array(n, int64)\n    a[:] = n\n"
        "    return a[2]\n"
        "@cuda.jit\ndef k(out):\n    out[0] = I.c.value + f(I.c)\n    a = cuda.local.array(I.c, int64)\n"
        "    out[1] = a.size\n"
        "out = np.zeros(2)\nk[1, 1](out)\nassert list(out) == [6, 3], out\n"
    ),
    "cuda.reduce": (
        "@cuda.reduce\ndef total(a, b):\n    return a + b\n"
        "a = np.arange(10.0)\nassert total(a) == 45 and total(a, init=5) == 50\n"
        "r = cuda.device_array(1)\nassert total(cuda.to_device(a), res=r) is None\n"
        "assert r.copy_to_host()[0] == 45 and total(a, size=3) == 3\n"
    ),
    "vectorize for the GPU": (
        "from numba import vectorize\n"
        "@vectorize(['float32(float32, float32)'], target='cuda')\ndef f(a, b):\n    return a * b + 1\n"
        "got = f(np.arange(6, dtype=np.float32).reshape(2, 3), np.float32(2))\n"
        "assert got.dtype == np.float32 and (got == [[1, 3, 5], [7, 9, 11]]).all()\n"
        "@vectorize(['(int16, int16)', '(float64, float64)'], target='cuda')\n"
        "def more(a, b):\n    return a > b\n"
        "got = more(np.arange(3, dtype=np.int16), np.int16(1))\n"
        "assert got.dtype == bool and list(got) == [False, False, True]\n"
        "@vectorize(['float64(float64, float64)'], target='cuda')\ndef add(a, b):\n    return a + b\n"
        "assert add.reduce(np.arange(7.0)) == 21\n"
    ),
    "what scripts import first": (
        "from numba import njit, jit, vectorize, guvectorize, config, prange, float32\n"
        "from numba.cuda import types\nimport numba.cuda.random\n"
        "@njit\ndef f(x):\n    return x + 1\nassert f(1) == 2\n"
        "@cuda.jit(types.void(types.float32[:], types.int32))\ndef k(out, n):\n    out[0] = n\n"
        "out = np.zeros(1, np.float32)\nk[1, 1](out, 3)\nassert out[0] == 3\n"
    ),
    "a device array that the kernel takes from outside": (
        "d = cuda.to_device(np.zeros(2))\n@cuda.jit\ndef k(out):\n    out[0] = d[0]\n    d[1] = 8\n"
        "out = np.zeros(1)\nk[1, 1](out)\nassert out[0] == 0 and d.copy_to_host()[1] == 8\n"
        "d.copy_to_device(np.full(2, 3.0))\nk[1, 1](out)\nassert out[0] == 3\n"
    ),
    "order in reshape and ravel": (
        "h = np.arange(6.0).reshape(2, 3, order='F')\nd = cuda.to_device(h)\n"
        "assert (d.ravel(order='F').copy_to_host() == np.arange(6)).all()\n"
        "assert (d.reshape(3, 2, order='F').copy_to_host() == h.reshape(3, 2, order='F')).all()\n"
        "c = cuda.to_device(np.arange(6.0).reshape(2, 3))\n"
        "try:\n    c.ravel(order='F')\nexcept NotImplementedError:\n    pass\nelse:\n    raise SystemExit\n"
        "try:\n    c.reshape(6, order='K')\nexcept ValueError:\n    pass\nelse:\n    raise SystemExit\n"
    ),
    "a view of a device array as another type": (
        "d = cuda.to_device(np.ones(4))\nassert d.view('f4').shape == (8,)\n"
        "assert (d.view(np.int64).copy_to_host() == np.ones(4).view(np.int64)).all()\n"
        "assert d.flags['C_CONTIGUOUS'] and d.__cuda_array_interface__['shape'] == (4,)\n"
        "t = cuda.to_device(np.arange(6).reshape(2, 3)).T\nassert t.copy_to_host()[2, 1] == 5\n"
    ),
    "atomic max and min leave a NaN": (
        "@cuda.jit\ndef k(a):\n    cuda.atomic.max(a, 0, 3.0)\n    cuda.atomic.min(a, 1, 3.0)\n"
        "    cuda.atomic.max(a, 2, math.nan)\n    cuda.atomic.nanmax(a, 3, 3.0)\n"
        "a = np.array([np.nan, np.nan, 1, np.nan])\nk[1, 1](a)\n"
        "np.testing.assert_array_equal(a, [np.nan, np.nan, 1, 3])\n"
    ),
    "exceptions with debug": (
        "@cuda.jit(debug=True, opt=False)\ndef k(out):\n    if out[0] == 0:\n        raise ValueError('bad')\n"
        "try:\n    k[1, 1](np.zeros(1))\nexcept ValueError as e:\n    assert 'bad' in str(e)\n"
        "else:\n    raise SystemExit\n"
    ),
    "an exception without debug ends the thread": (
        "@cuda.jit\ndef k(out):\n    i = cuda.grid(1)\n    if i == 1:\n        raise ValueError('bad')\n"
        "    out[i] = 1\nout = np.zeros(3)\nk[1, 3](out)\nassert list(out) == [1, 0, 1]\n"
    ),
    "an early return before grid sync": (
        "@cuda.jit\ndef k(a):\n    i = cuda.grid(1)\n    if i >= a.size:\n        return\n"
        "    g = cuda.cg.this_grid()\n    a[i] = 1\n    g.sync()\n    a[i] += a[a.size - 1 - i]\n"
        "a = np.zeros(6)\nk[2, 4](a)\nassert a.sum() >= 12\n"
    ),
    "complex arrays": (
        "@cuda.jit\ndef k(a, b, s):\n    i = cuda.grid(1)\n    t = cuda.shared.array(4, np.complex64)\n"
        "    t[i] = a[i]\n    cuda.syncthreads()\n    b[i] = t[3 - i] * s\n    b[i] += 1\n    a.imag[i] = 7\n"
        "a = (np.arange(4) + 1j).astype(np.complex64)\nb = np.zeros(4, np.complex128)\n"
        "want = a[::-1] * 2j + 1\nk[1, 4](a, b, 2j)\n"
        "np.testing.assert_array_equal(b, want)\nassert (a.imag == 7).all()\n"
    ),
    "a generalized function of rows": (
        "from numba import guvectorize\n"
        "@guvectorize([(float32[:, :], float32[:], float32[:])], '(m,n),(n)->(m)', target='cuda')\n"
        "def product(a, x, y):\n    for i in range(a.shape[0]):\n        y[i] = 0\n"
        "        for j in range(a.shape[1]):\n            y[i] += a[i, j] * x[j]\n"
        "a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)\nx = np.arange(4, dtype=np.float32)\n"
        "np.testing.assert_array_equal(product(a, x), a @ x)\n"
        "on_gpu = product(cuda.to_device(a), x)\nassert (on_gpu.copy_to_host() == a @ x).all()\n"
        "y = np.zeros((2, 3), np.float32)\nassert product(a, x, out=y) is y and (y == a @ x).all()\n"
        "@cuda.guvectorize(['void(int32[:], int32[:])'], '(n)->()')\ndef total(a, out):\n"
        "    out[0] = a.sum()\nassert list(total(np.ones((3, 5), np.int32))) == [5, 5, 5]\n"
        "try:\n    total()\nexcept TypeError as e:\n    assert 'accepts 1 positional' in str(e)\n"
        "else:\n    raise SystemExit\n"
    ),
    "what comes back of a host array": (
        "@cuda.jit\ndef k(a):\n    a[0] = 3\n"
        "x, y, z = np.zeros(1), np.zeros(1), np.zeros(1)\n"
        "k[1, 1](cuda.In(x))\nk[1, 1](cuda.Out(y))\nk[1, 1](cuda.InOut(z))\n"
        "assert (x[0], y[0], z[0]) == (0, 3, 3)\n"
    ),
    "an array that only tells where it is": (
        "class Theirs:\n    def __init__(self, a):\n"
        "        self.__cuda_array_interface__ = a.__cuda_array_interface__\n"
        "d = cuda.to_device(np.arange(6.0).reshape(2, 3))\nt = Theirs(d[1])\n"
        "same = cuda.as_cuda_array(t)\nassert cuda.is_cuda_array(t) and same.shape == (3,)\n"
        "@cuda.jit\ndef k(a):\n    a[2] = t[0] + 10\n"
        "k[1, 1](t)\nassert d.copy_to_host()[1, 2] == 13 and same.copy_to_host()[2] == 13\n"
        "@cuda.reduce\ndef f(a, b):\n    return a + b\n"
        "try:\n    cuda.as_cuda_array(3)\nexcept TypeError:\n    pass\nelse:\n    raise SystemExit\n"
    ),
    "a device function that gives a number or nothing": (
        "@cuda.jit(device=True)\ndef f(x):\n    if x > 3:\n        return None\n"
        "    if x == 1:\n        return 1\n    return np.int32(x)\n"
        "@cuda.jit\ndef k(out):\n    i = cuda.grid(1)\n    v = f(i)\n    w = None\n"
        "    if i == 2:\n        w = 2.5\n    if v is not None:\n        out[i] = v + 1\n"
        "    if w:\n        out[i] += w\nout = np.zeros(6)\nk[1, 6](out)\n"
        "assert list(out) == [1, 2, 5.5, 4, 0, 0]\n"
        "@cuda.jit\ndef ends(out):\n    i = cuda.grid(1)\n    if f(i) >= 0:\n        out[i] = 7\n"
        "ends[1, 6](out)\nassert list(out) == [7, 7, 7, 7, 0, 0]\n"
    ),
    "a range whose ends are floats": (
        "@cuda.jit\ndef k(out, x):\n    for i in range(math.ceil(x / 2)):\n        out[i] += 1\n"
        "    for i in range(1, x - 0.1):\n        out[i] += 10\nimport math\nout = np.zeros(6)\n"
        "k[1, 1](out, 5.0)\nassert list(out) == [1, 11, 11, 10, 0, 0]\n"
    ),
    "a type made of a dtype in a signature": (
        "from numba import from_dtype\npair = from_dtype(np.dtype([('x', 'i4'), ('y', 'f4')]))\n"
        "@cuda.jit((pair[::1], float32[:]))\ndef k(a, out):\n    out[0] = a[1].x + a[1].y\n"
        "a = np.array([(1, 2), (3, 4)], [('x', 'i4'), ('y', 'f4')])\nout = np.zeros(1, np.float32)\n"
        "k[1, 1](a, out)\nassert out[0] == 7\n"
    ),
    "a return before a barrier": (
        "@cuda.jit\ndef k(a, n):\n    s = cuda.shared.array(64, float64)\n    i = cuda.grid(1)\n"
        "    if i >= n:\n        return\n    s[i] = a[i]\n    cuda.syncthreads()\n"
        "    c = cuda.syncthreads_count(i % 2)\n    a[i] = s[n - 1 - i] + 100 * c\n"
        "a = np.arange(50.0)\nk[1, 64](a, 50)\n"
        "np.testing.assert_array_equal(a, np.arange(50.0)[::-1] + 2500)\n"
    ),
    "a signature of several": (
        "@cuda.jit([(int64[:], int64), (float64[:], float64)])\ndef k(out, x):\n    out[0] = x / 2\n"
        "out = np.zeros(1)\nk[1, 1](out, 3)\nassert out[0] == 1.5\n"
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts(name):
    result = run_script(HEAD + SCRIPTS[name], mode="run")
    assert result.error is None, result.message


def test_extensions_that_are_added_later_prepare_arguments():
    source = (
        HEAD + "@cuda.jit\ndef k(a):\n    a[0] = 3\nclass OnlyIn:\n"
        "    def prepare_args(self, ty, val, **kwargs):\n        return ty, cuda.In(val)\n"
        "k.extensions.append(OnlyIn())\na = np.zeros(1)\nk.configure(1, 1)(a)\nassert a[0] == 0\n"
    )
    result = run_script(source)
    assert result.error is None, result.message


def test_what_is_printed_of_tuples_and_booleans():
    body = "print(i == 0, (1, (2, 3.5), (4,)), cuda.threadIdx)"
    _, result = result_of(body)
    assert result.output == "True (1, (2, 3.500000), (4,)) (0, 0, 0)\n", result.message


@pytest.mark.parametrize(
    "kernel",
    [
        "@cuda.jit('void(int32)')\ndef k(x):\n    cuda.grid(x)\n",
        "@cuda.jit((float32[:],))\ndef k(a):\n    s = cuda.shared.array(a[0], float32)\n",
        "@cuda.jit('void(float32[:])')\ndef k(a):\n    a[0] = cuda.all_sync(a[0], 1)\n",
    ],
)
def test_a_declared_signature_is_refused_before_any_launch(kernel):
    result = run_script(HEAD + kernel)
    assert isinstance(result.error, TypeRefused) and result.line == 8


IN_STRINGS = """
import stepper, sys
stepper.install(mode="run")
for n in (2, 5):
    space = {}
    exec(f"from numba import cuda\\n\\n@cuda.jit\\ndef k(a):\\n    a[0] = {n}\\n", space)
    a = __import__("numpy").zeros(1)
    space["k"][1, 1](a)
    assert a[0] == n, a
from numba import cuda
@cuda.jit
def k(a):
    a[0] = 7
k[1, 1](a)
assert a[0] == 7
for n in (1, 20):
    with open("made.py", "w") as file:
        file.write(f"from numba import cuda\\n@cuda.jit\\ndef k(a):\\n    a[0] = {n}\\n")
    exec(compile(open("made.py").read(), "made.py", "exec"), space)
    space["k"][1, 1](a)
    assert a[0] == n, a
"""


def test_kernels_in_strings_and_in_files_that_change(tmp_path):
    """No file holds what exec() or ``python -c`` is given, and a file may be written anew."""
    (tmp_path / "stepper").symlink_to(ROOT / "simulator/stepper")
    done = subprocess.run(
        [sys.executable, "-c", IN_STRINGS], cwd=tmp_path, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_writing_a_captured_device_array_is_no_finding():
    result = run_script(
        HEAD + SCRIPTS["a device array that the kernel takes from outside"], mode="check"
    )
    assert result.error is None and not result.findings


# ---------------------------------------------------------------- findings


def test_complex_numbers_that_are_only_read_are_what_they_are_with_every_check():
    """Code that only notes what it touches took half of a complex number for a whole one."""
    source = (
        HEAD + "@cuda.jit\ndef k(a, out):\n    i = cuda.grid(1)\n"
        "    out[i] = (a[i, 0] * a[i, 1]).real\n"
        "a = np.arange(12.0).reshape(4, 3) + 1j\nout = np.zeros(4)\nk[1, 4](a, out)\n"
    )
    result = run_script(source, mode="check")
    assert result.error is None and not result.findings
    a = result.namespace["a"]
    np.testing.assert_array_equal(result.namespace["out"], (a[:, 0] * a[:, 1]).real)


def test_a_return_before_a_barrier_is_found_and_the_launch_goes_on():
    source = HEAD + SCRIPTS["a return before a barrier"]
    result = run_script(source, mode="check")
    assert result.error is None, result.message
    (found,) = {f.kind for f in result.findings}
    assert (
        found == "divergent-barrier"
        and result.findings[0].line == source.split("\n").index("    cuda.syncthreads()") + 1
    )


WRONG_MASK = (
    "v = float64(i)\nif i < 16:\n    v += cuda.shfl_xor_sync(0xffffffff, v, 8)\n    out[i] = v"
)


def test_a_mask_that_names_lanes_that_went_past_is_found():
    _, result = result_of(WRONG_MASK, out="np.zeros(32)", mode="check", n=32)
    (found,) = result.findings
    assert found.kind == "warp-mask" and "went past it" in found.message
    assert found.line == 12 and found.other_line == 11


def test_a_lane_that_returned_before_is_no_finding():
    body = "if i >= 16:\n    return\nv = float64(i)\nv += cuda.shfl_xor_sync(0xffffffff, v, 8)\nout[i] = v"
    _, result = result_of(body, out="np.zeros(32)", mode="check", n=32)
    assert not result.findings


EQUAL = "if i < a.size:\n    out[i // 2] = a[i]"


@pytest.mark.parametrize("data", ["np.ones(8)", "np.arange(8.0)"])
def test_two_writes_are_a_race_also_where_the_data_is_constant(data):
    _, result = result_of(
        EQUAL, out="np.zeros(4)", parameters=", a", arguments=f", {data}", mode="check", n=8
    )
    kinds = {f.kind for f in result.findings}
    assert kinds == {"missing-syncwarp"}
    if "ones" in data:
        assert "only because all of `a` is one" in result.findings[0].message


@pytest.mark.parametrize(
    "body",
    [
        "if i % 2 == 0:\n    out[0] = 1",  # a flag that many set
        "out[0] = 1\nif out[0] == 1:\n    out[1 + i % 2] = 2",
        "if a[i] > 3 or a[i] < 1:\n    out[0] = n",
        "v = a[i]\nif v > 2:\n    out[v // 9] = a[0] + 1",  # every thread adds one to the same
    ],
)
def test_a_value_that_many_write_on_purpose_is_no_finding(body):
    if "out[0] == 1" in body:
        # It is 1 already, so the reader finds the same whoever was first.
        body = "if i == 0:\n    out[0] = 1\ncuda.syncthreads()\n" + body
    _, result = result_of(
        body,
        out="np.zeros(4)",
        parameters=", a, n",
        arguments=", np.arange(8), 5",
        mode="check",
        n=8,
    )
    messages = [f.message for f in result.findings if "out[1" not in f.message]
    assert not messages, messages


def test_a_level_of_a_search_may_be_written_by_many():
    """Breadth-first search: all who reach a vertex write the same level, made of their own."""
    source = (
        HEAD + "@cuda.jit\ndef k(level, to):\n    i = cuda.grid(1)\n    if level[i] == 0:\n"
        "        if i < 2:\n            level[to[i]] = level[i] + 1\n"
        "level = np.array([0, 0, -1, -1], np.int32)\nk[1, 2](level, np.array([3, 3]))\n"
    )
    assert not run_script(source, mode="check").findings


def test_a_race_of_one_line_says_which_atomic_operation_mends_it():
    _, result = result_of(
        "out[x[i]] += 1", parameters=", x", arguments=", np.zeros(8, np.int64)", mode="check", n=8
    )
    assert "`cuda.atomic.add(out, x[i], 1)`" in result.findings[0].message
    assert "syncthreads" not in result.findings[0].message
    _, result = result_of("out[0] = max(out[0], i)", mode="check", n=8)
    assert "`cuda.atomic.max(out, 0, i)`" in result.findings[0].message
    _, result = result_of("out[0] *= 2", mode="check", n=8)
    assert "cuda.atomic.cas" in result.findings[0].message


def test_two_writes_in_one_line_are_not_mended_by_a_barrier():
    _, result = result_of("out[0] = i", mode="check", n=8)
    assert "let one thread write it" in result.findings[0].message
    assert "sync" not in result.findings[0].message


def test_a_huge_grid_is_not_called_an_endless_loop():
    source = HEAD + "@cuda.jit\ndef k(out):\n    out[0] = 1\nk[1000, 1000](np.zeros(1))\n"
    for mode in MODES:
        result = run_script(source, mode=mode, max_steps=10_000)
        assert "not in a loop: it has 1000000 threads" in result.message
        assert "may never end" not in result.message


def test_a_loop_over_a_range_is_not_called_endless():
    body = "for j in range(3000):\n    out[i] += j"
    inner = "while True:\n    for j in range(3000):\n        out[i] += j"
    for mode in MODES:
        _, result = result_of(body, mode=mode, max_steps=2000)
        assert "The loop has an end" in result.message, result.message
        _, result = result_of(inner, mode=mode, max_steps=2000)
        assert "may never end" in result.message


def test_lambdas_are_device_functions():
    two = "g, h = cuda.jit(device=True)(lambda x: x + 1), cuda.jit(device=True)(lambda x: x * 3)"
    out, result = result_of("out[i] = g(h(i))", before=two, n=4)
    assert result.error is None and list(out) == [3 * i + 1 for i in range(len(out))]


def test_a_function_inside_a_kernel_stores():
    body = "def put(k, v):\n    if out[k] < v:\n        out[k] = v\nput(i, 7)\nput(i, 3)"
    for mode in MODES:
        out, result = result_of(body, mode=mode)
        assert result.error is None and out[0] == 7, result.message


def test_managed_memory_is_copied_as_a_device_array_is():
    source = (
        "@cuda.jit\ndef k(a):\n    a[cuda.grid(1)] *= 2\n"
        "m = cuda.managed_array(4, np.int32)\nm[:] = 3\nm.copy_to_device(np.arange(4, dtype='i4'))\n"
        "k[1, 4](m)\nprint(m.copy_to_host().tolist(), m.sum(), type(m + 1).__name__)\n"
    )
    assert run_script(HEAD + source).output.startswith("[0, 2, 4, 6] 12 ")


def test_a_name_that_is_missing_on_the_host_is_named():
    result = run_script("from numba.cuda import nothing_like_it\n")
    assert isinstance(result.error, ImportError)
    assert "`from numba.cuda import nothing_like_it`" in result.message and result.line == 1


def test_a_function_of_a_library_is_not_told_to_be_declared():
    _, result = result_of("out[0] = copy.deepcopy(1)", before="import copy")
    assert re.search("of the library copy", result.message)


def test_an_exception_without_debug_is_found():
    result = run_script(HEAD + SCRIPTS["an exception without debug ends the thread"], mode="check")
    assert result.error is None
    (found,) = result.findings
    assert "ValueError: bad" in found.message and "debug=True" in found.message


def test_a_launch_over_its_launch_bounds_is_found():
    source = (
        HEAD + "@cuda.jit(launch_bounds=32)\ndef k(out):\n    out[0] = 1\nk[1, 64](np.zeros(1))\n"
    )
    assert "launch_bounds=32" in run_script(source).message


def test_division_by_zero_with_debug_is_an_exception():
    source = (
        HEAD
        + "@cuda.jit(debug=True)\ndef k(out):\n    out[0] = 1 // out[1]\nk[1, 1](np.zeros(2))\n"
    )
    assert isinstance(run_script(source.replace("1 //", "1 /")).error, ZeroDivisionError)
    assert run_script(source.replace("(debug=True)", "")).error is None


def test_a_device_function_converts_to_the_types_that_it_declares():
    _, result = result_of(
        "out[0] = half(7.9)\nout[1] = third(1.0) * 3 - 1",
        before="@cuda.jit('int32(int32)', device=True)\ndef half(x):\n    return x / 2\n"
        "@cuda.jit(float32(float64), device=True)\ndef third(x):\n    return x / 3",
    )
    assert result.error is None, result.message
    want = float(np.float32(1 / 3)) * 3 - 1
    np.testing.assert_array_equal(result.namespace["out"][:2], [3, want])


@pytest.mark.parametrize("name", ["boolean", "types.boolean", "numba.boolean", "numba.bool_"])
def test_numbas_boolean_is_a_dtype_and_a_conversion(name):
    """Where Numba is installed its own type comes, which has no width."""
    result = run_script(
        "import numba, numpy as np\nfrom numba import boolean, cuda, types\n"
        f"@cuda.jit\ndef k(o):\n    s = cuda.shared.array(2, {name})\n    s[0] = o[0] > 1\n"
        f"    s[1] = {name}(7)\n    o[0] = s[0] + 2 * s[1]\n"
        "o = np.zeros(1)\nk[1, 1](o)\n",
        mode="check",
    )
    assert result.error is None and not result.findings, result.message
    assert result.namespace["o"][0] == 2
