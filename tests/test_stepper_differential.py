"""Generated code runs in the stepper as it does in Numba.

Three references: Numba's typing rules for CUDA, pair by pair; Numba's compiler for the values of
expressions of all types; Numba's simulator (or a GPU, where the suite has one) for whole kernels.
"""

import math
import os
import subprocess
import sys
import tempfile
import textwrap
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir

from simulator.stepper import Stepper, remember

set_hypothesis_home_dir(tempfile.gettempdir())  # nothing is kept from run to run
ROOT = Path(__file__).resolve().parent.parent
HEAD = "import math\nimport numpy as np\nfrom numba import cuda\n"
COMMON = {
    "deadline": None,
    "derandomize": True,
    "database": None,
    "phases": [Phase.generate, Phase.shrink],
    "suppress_health_check": list(HealthCheck),
}
# How many times more than usual is tried; STEPPER_THOROUGH=20 takes a quarter of an hour.
THOROUGH = int(os.environ.get("STEPPER_THOROUGH", "1"))
GPU = os.environ.get("NUMBA_ENABLE_CUDASIM") != "1"

# ---------------------------------------------------------------- types

TYPING = """
import math, operator
from numba.core import types
from numba.cuda.descriptor import cuda_target
from simulator.stepper.types import SCALARS, binary, mix, unary

context = cuda_target.typing_context
context.refresh()
theirs = {n: types.boolean if n == "bool" else getattr(types, n) for n in SCALARS}

def result(f, *args):
    try:
        return str(context.resolve_function_type(f, args, {}).return_type)
    except Exception:
        return None

OPS = dict(Add="add", Sub="sub", Mult="mul", Div="truediv", FloorDiv="floordiv", Mod="mod",
           Pow="pow", BitAnd="and_", BitOr="or_", BitXor="xor", LShift="lshift", RShift="rshift")
compared = 0
for a in SCALARS:
    for b in SCALARS:
        for op, name in OPS.items():
            if op == "Pow" and "bool" in (a, b):
                continue  # refused
            ours = binary(op, SCALARS[a], SCALARS[b])
            expected = result(getattr(operator, name), theirs[a], theirs[b])
            assert (ours and ours.name) == expected, (a, op, b, ours, expected)
            compared += 1
        ours = mix(SCALARS[a], SCALARS[b], unify=True).name
        assert ours == str(context.unify_types(theirs[a], theirs[b])), (a, b, ours)
    for op, name in dict(UAdd="pos", USub="neg", Invert="invert", Not="not_").items():
        ours = unary(op, SCALARS[a])
        assert (ours and ours.name) == result(getattr(operator, name), theirs[a]), (op, a)
print(compared)
"""


def test_operations_have_the_types_of_numba_cuda():
    """All pairs of number types under all operators, against numba-cuda's own typing context."""
    done = subprocess.run(
        [sys.executable, "-c", TYPING],
        env=os.environ | {"NUMBA_ENABLE_CUDASIM": "0"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert int(done.stdout) > 1500


# ---------------------------------------------------------------- values of expressions

SIGNED = {"a": np.int64, "b": np.int32, "c": np.int16, "x": np.float32, "y": np.float64}
UNSIGNED = {"a": np.uint64, "b": np.uint32, "c": np.uint8, "x": np.float32, "y": np.float64}
FLOATS = ("x", "y", "2.5", "np.float32(0.3)")


@st.composite
def whole(draw, depth):
    """An integer expression. Signed and unsigned ones are not mixed: see `expressions`."""
    leaf = st.sampled_from(("a", "b", "c", "a", "b", "c", "K(3)", "K(11)"))
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(leaf)
    one, two = draw(whole(depth=depth - 1)), draw(whole(depth=depth - 1))
    test = draw(comparison(depth=0))
    return draw(
        st.sampled_from(
            (
                f"({one} + {two})",
                f"({one} - {two})",
                f"({one} * {two})",
                f"({one} // {two})",
                f"({one} % {two})",
                f"({one} & {two})",
                f"({one} | {two})",
                f"({one} ^ {two})",
                f"({one} << K({draw(st.integers(0, 40))}))",
                f"({one} >> K({draw(st.integers(0, 40))}))",
                f"(-{one})",
                f"(~{one})",
                f"({one} ** 2)",
                f"min({one}, {two})",
                f"max({one}, {two})",
                f"abs({one})",
                f"({one} if {test} else {two})",
                f"W({one})",
                f"N({one})",
            )
        )
    )


@st.composite
def real(draw, depth):
    """A floating-point expression that stays finite."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw(st.sampled_from(FLOATS))
    one, two = draw(real(depth=depth - 1)), draw(real(depth=depth - 1))
    n = draw(whole(depth=1))
    test = draw(comparison(depth=0))
    return draw(
        st.sampled_from(
            (
                f"({one} + {two})",
                f"({one} - {two})",
                f"({one} * {two})",
                f"({one} / (abs({two}) + 1))",
                f"({one} / (abs({two}) + np.float32(1)))",
                f"({one} // (abs({two}) + np.float32(0.5)))",
                f"({one} % (abs({two}) + np.float32(0.5)))",
                f"({one} + {n})",
                f"({n} * {two})",
                f"({n} / (abs({two}) + 3))",
                f"(-{one})",
                f"({one} ** 2)",
                f"({one} ** 3)",
                f"min({one}, {two})",
                f"max({one}, {two})",
                f"abs({one})",
                f"math.sqrt(abs({one}))",
                f"math.fabs({one})",
                f"({one} if {test} else {two})",
                f"np.float32({one})",
                f"np.float64({one})",
                f"float({one})",
            )
        )
    )


@st.composite
def comparison(draw, depth):
    side = whole if draw(st.booleans()) else real
    one, two = draw(side(depth=depth)), draw(side(depth=depth))
    sign = draw(st.sampled_from(("<", "<=", ">", ">=", "==", "!=")))
    test = f"({one} {sign} {two})"
    more = draw(st.integers(0, 3))
    if more == 0 and depth == 0:
        return f"({test} and {one} < 7)"
    return f"(not {test})" if more == 1 else test


@st.composite
def expressions(draw):
    """(signed?, expressions, arguments). One function has either signed or unsigned integers.

    Where they mix, Numba's rules for the CPU differ from those for CUDA; the test above has those.
    """
    signed = draw(st.booleans())
    texts = [draw(whole(depth=3)) for _ in range(4)] + [draw(real(depth=3)) for _ in range(4)]
    texts += [draw(comparison(depth=2))]
    if signed:
        texts = [t.replace("K(", "(").replace("W(", "np.int32(").replace("N(", "np.int8(")
                 for t in texts]  # fmt: skip
    else:
        texts = [t.replace("K(", "np.uint8(").replace("W(", "np.uint32(") for t in texts]
        texts = [t.replace("N(", "np.uint16(").replace("** 2", "** np.uint8(2)") for t in texts]
    small = st.integers(-20, 20) if signed else st.integers(0, 40)
    values = {}
    for name, kind in (SIGNED if signed else UNSIGNED).items():
        if name in "xy":
            values[name] = kind(draw(st.floats(-50, 50, width=32)))
        else:
            info = np.iinfo(kind)
            any_ = st.integers(int(info.min), int(info.max))
            values[name] = kind(draw(st.one_of(small, any_)))
    return signed, texts, values


@settings(max_examples=10 * THOROUGH, **COMMON)
@given(expressions())
def test_expressions_have_the_values_that_numba_compiles(case):
    """Nine expressions at a time, stored as float64 and as int64 or uint64: bit for bit."""
    from numba import njit

    signed, texts, values = case
    lines = []
    for k, text in enumerate(texts):
        lines.append(f"f[{k}] = {text}")
        if k < 4 or k == 8:
            lines.append(f"n[{k}] = {text}")
    body = textwrap.indent("\n".join(lines), "    ")
    source = f"import math\nimport numpy as np\ndef fn(a, b, c, x, y, f, n):\n{body}\n"
    kind = np.int64 if signed else np.uint64
    theirs, ours = [(np.zeros(9), np.zeros(9, kind)) for _ in range(2)]
    namespace = {}
    exec(compile(source, "expressions.py", "exec"), namespace)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        njit(namespace["fn"], error_model="numpy")(*values.values(), *theirs)
    stepper = Stepper()
    remember("expressions.py", source)
    stepper.cuda.jit(namespace["fn"])[1, 1](*values.values(), *ours)
    for k, text in enumerate(texts):
        a, b = theirs[0][k], ours[0][k]
        assert a == b or (math.isnan(a) and math.isnan(b)), (text, values, a, b)
        assert theirs[1][k] == ours[1][k], (text, values, theirs[1][k], ours[1][k])


# ---------------------------------------------------------------- whole kernels


@st.composite
def kernels(draw):
    """A kernel of several stages, with what Numba's simulator does right as well.

    Integers and whole floats only, small enough to be exact whatever the type.
    """
    # Few threads: Numba's simulator takes up to a millisecond for each.
    bx, by = draw(st.sampled_from(((4, 1), (5, 1), (3, 2), (2, 3), (7, 1), (33, 1))))
    gx, gy = draw(st.sampled_from(((1, 1), (2, 1), (1, 2), (1, 3)))) if bx < 33 else (1, 1)
    n = bx * by
    float_tile = draw(st.booleans())
    tile_type = "np.float64" if float_tile else "np.int64"
    lines = [
        "t = cuda.threadIdx.x + cuda.blockDim.x * cuda.threadIdx.y",
        "b = cuda.blockIdx.x + cuda.gridDim.x * cuda.blockIdx.y",
        f"i = b * {n} + t",
        f"tile = cuda.shared.array({n}, {tile_type})",
        f"grid = cuda.shared.array(({by}, {bx}), np.int32)",
        "own = cuda.local.array(4, np.int64)",
        "for k in range(4):",
        "    own[k] = k",
        "v = 0",
        "tile[t] = 0",
        "if i < a.size:",
        "    v = a[i]",
        "    tile[t] = v",
        "x, y = cuda.threadIdx.x, cuda.threadIdx.y",
        "grid[y, x] = t",
    ]
    for _ in range(draw(st.integers(1, 5))):
        d = draw(st.integers(1, n))
        c = draw(st.integers(1, 5))
        stage = draw(st.integers(0, 12))
        lines.append("cuda.syncthreads()")
        lines += {
            0: [
                f"w = tile[(t + {d}) % {n}]",
                "cuda.syncthreads()",
                f"tile[t] = w * {c} - v",
            ],
            1: [f"if t < {d}:", f"    v += tile[{n - 1} - t]", "else:", f"    v -= {c}"],
            2: [
                f"for k in range({c}, {n}, {d}):",
                "    if k == t:",
                "        continue",
                f"    v += tile[k] if k % 2 else {c}",
                "    if v > 1000:",
                "        break",
            ],
            3: [f"cuda.atomic.add(sums, t % {c}, v)"],
            4: ["cuda.atomic.max(sums, 5, v)", "cuda.atomic.min(sums, 6, t - v)"],
            5: ["v = combine(v, tile[t])", f"own[t % 4] += {c}", f"v += own[(t + {d}) % 4]"],
            6: [
                f"v += grid[(y + {d}) % {by}, (x + {c}) % {bx}]",
                "v += grid[y, x] * a.shape[0]",
            ],
            7: [
                f"k = {c}",
                f"while k < {d} + 3:",
                "    v += k",
                "    k *= 2",
                "    if k == 8 or v % 2 == 0 and k > 4:",
                "        break",
            ],
            8: [
                f"p, q = first(v, t, {c})",
                "v = q if t % 2 else p",
                f"v = min(v, {d} * 7) + max(t, {c})",
            ],
            9: [f"q, r = v // {c}, v % {c + 1}", "q, r = r, q", "v = q + 3 * r"],
            10: [
                f"v += cuda.syncthreads_count(int(t % {c + 1} == 0))",
                f"v += cuda.syncthreads_or(int(t == {d})) + cuda.syncthreads_and(int(t < {d}))",
            ],
            11: [
                f"step = {n}",
                "while step > 1:",
                "    half = (step + 1) // 2",
                "    if t + half < step:",
                "        tile[t] += tile[t + half]",
                "    cuda.syncthreads()",
                "    step = half",
                "v += tile[0]",
            ],
            12: [
                f"own[own[(t + {d}) % 4] % 4] = v % {c + 2}",
                f"own[own[{c % 4}] % 4] += own[own[t % 4] % 4]",
                "v += own[0] - own[3]",
            ],
        }[stage]
    lines += [
        "cuda.syncthreads()",
        "if i < out.size:",
        "    out[i] = v + tile[t]",
        "    if x > 0 and y >= 0:",
        "        both[y, x - 1, 0] = t",
    ]
    source = (
        HEAD
        + "@cuda.jit(device=True)\n"
        + "def combine(p, q):\n    if p > q:\n        return p - q\n    return p + q\n"
        + "@cuda.jit(device=True)\n"
        + "def first(p, q, r):\n    return combine(p, r), q + r\n"
        + "@cuda.jit\n"
        + "def kernel(a, out, sums, both):\n"
        + textwrap.indent("\n".join(lines), "    ")
        + "\n"
    )
    size = draw(st.integers(1, gx * gy * n + 3))
    data = draw(st.lists(st.integers(-20, 20), min_size=size, max_size=size))
    return source, ((gx, gy), (bx, by)), data, (by, bx, 1)


def launched(source, config, data, shape, execute):
    """What the kernel leaves in its arrays."""
    namespace = {}
    execute(source, namespace)
    a = np.array(data, np.int64)
    out = np.full(math.prod(config[0]) * math.prod(config[1]), -1.0)
    sums, both = np.zeros(8, np.int64), np.zeros(shape, np.float32)
    namespace["kernel"][config](a, out, sums, both)
    return a, out, sums, both


def numba_execute(source, namespace):
    exec(compile(source, "kernel.py", "exec"), namespace)


@pytest.fixture
def one_core():
    """Numba's simulator runs a thread for each thread; on one core they get in each other's way
    less, which halves its time."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(before)})
    yield
    os.sched_setaffinity(0, before)


@pytest.mark.usefixtures("one_core")
@settings(max_examples=200 * THOROUGH, **COMMON)
@given(kernels(), st.integers(0, 3))
def test_kernels_do_what_numba_makes_of_them(case, seed):
    """Each kernel: Numba's simulator, and the stepper plain, checked and in a shuffled order."""
    source, config, data, shape = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = launched(source, config, data, shape, numba_execute)
    for mode, order in (("run", None), ("check", None), ("run", seed), ("record", seed)):
        stepper = Stepper(mode=mode, seed=order)
        got = launched(
            source,
            config,
            data,
            shape,
            lambda text, names, s=stepper: s.execute(text, names, "kernel.py"),
        )
        for theirs, ours in zip(expected, got, strict=True):
            np.testing.assert_array_equal(ours, theirs, err_msg=f"{mode} {order}\n{source}")
        assert not stepper.findings, (source, [str(f) for f in stepper.findings])


# What the generator above does not write: each leaves its arrays in R.
PROGRAMS = {
    "a tuple of arrays": """
@cuda.jit
def k(a,b,out):
    i=cuda.grid(1)
    bufs=(a,b)
    s=bufs[i%2]
    s[i]=i*2
    out[i]=bufs[1-i%2][i]+s[i]
a=np.zeros(8);b=np.ones(8);o=np.zeros(8)
k[1,8](a,b,o); R=[a,b,o]
""",
    "a device function with shared memory, called twice": """
@cuda.jit(device=True)
def rev(x):
    s=cuda.shared.array(8,np.float64)
    t=cuda.threadIdx.x
    s[t]=x
    cuda.syncthreads()
    r=s[7-t]
    cuda.syncthreads()
    return r
@cuda.jit
def k(o):
    t=cuda.threadIdx.x
    o[t]=rev(t)+10*rev(t*2)
o=np.zeros(8);k[2,8](o);R=[o]
""",
    "slices of three dimensions": """
@cuda.jit(device=True)
def plane(p,v):
    p[0,1]=v
    return p.shape[0]*100+p.shape[1]
@cuda.jit
def k(a,o):
    i=cuda.grid(1)
    o[i]=plane(a[i],i)+plane(a[:,i,:],i+5)+plane(a[::2,:,i%2],7)
    for z in range(a.shape[2]):
        o[i]+=a[i,i,z]
a=np.zeros((3,4,5));o=np.zeros(3);k[1,1](a,o);R=[a,o]
""",
    "returns and continues": """
@cuda.jit(device=True)
def find(a,x):
    for i in range(a.size):
        if a[i]==x:
            return i
    return -1
@cuda.jit
def k(a,o):
    i=cuda.grid(1)
    o[i]=find(a,i)
    n=0
    while n<10:
        n+=1
        if n%2: continue
        if n>7: break
        o[i]+=n
    for j in range(3):
        last=j
    o[i]+=last*100
a=np.array([3,1,0]);o=np.zeros(4);k[1,4](a,o);R=[o]
""",
    "constants and tuples": """
C=np.arange(12,dtype=np.int32).reshape(3,4)
@cuda.jit
def k(t,flag,h,o):
    c=cuda.const.array_like(C)
    i=cuda.grid(1)
    x,y=t
    if flag:
        o[i]=c[i,2]*x+y
    o[i]+=h*2
    z=c[i]
    o[i]+=z[1]
o=np.zeros(3);k[1,3]((2,3.5),True,np.float32(0.5),o);R=[o]
""",
    "small integers and shifts": """
@cuda.jit
def k(o):
    i=cuda.grid(1)
    x=np.uint8(250)
    for _ in range(3):
        x=np.uint8(x+3)
    o[0]=x
    y=np.int32(7)
    y//=2
    o[1]=y
    z=1
    z<<=40
    o[2]=z
    w=True
    w=w and i==0
    o[3]=w
    o[4]=-(i+1)%4
    o[5]=(i+1)/4 if i<1 else 0
    q=3 if i else 2.5
    o[6]=q
    o[7]=len(o)
o=np.zeros(8);k[1,1](o);R=[o]
""",
    "a scan with two buffers": """
@cuda.jit
def k(a,o):
    s=cuda.shared.array((2,8),np.int32)
    t=cuda.threadIdx.x
    cur=0
    s[cur,t]=a[t]
    cuda.syncthreads()
    d=1
    while d<8:
        nxt=1-cur
        if t>=d:
            s[nxt,t]=s[cur,t]+s[cur,t-d]
        else:
            s[nxt,t]=s[cur,t]
        cur=nxt
        cuda.syncthreads()
        d*=2
    o[t]=s[cur,t]
a=np.arange(8);o=np.zeros(8);k[1,8](a,o);R=[o]
""",
    "three dimensions": """
@cuda.jit
def k(o):
    i,j,l=cuda.grid(3)
    m=cuda.local.array((2,3),np.float32)
    for p in range(2):
        for q in range(3):
            m[p,q]=p*10+q+i
    o[i,j,l]=m[1,2]+m[i%2,l%3]+math.sqrt(m[0,2]) 
o=np.zeros((4,2,3),np.float32);k[(2,2,1),(2,1,3)](o);R=[o]
""",
    "a while loop with a chained test": """
@cuda.jit
def k(x,lo,hi,o):
    i=cuda.grid(1)
    if i<x.size:
        v=x[i]
        while not lo<=v<hi:
            v=v-(hi-lo) if v>=hi else v+(hi-lo)
        o[i]=v
x=np.linspace(-10,10,21);o=np.zeros(21);k.forall(21)(x,0,3,o);R=[o]
""",
    "records": """
@cuda.jit
def k(r,o):
    i=cuda.grid(1)
    p=r[i]
    o[i]=p.x*p.n
    r[i].n=i
    r[i]['x']+=0.1
r=np.zeros(3,np.dtype([('n',np.int32),('x',np.float32)],align=True));r['x']=[1,2,3];r['n']=5
o=np.zeros(3);k[1,3](r,o);R=[r['x'],r['n'],o]
""",
    "names for arrays": """
@cuda.jit
def k(a,o):
    i=cuda.grid(1)
    n=a.shape[0]
    s=0.0
    c=0
    for j in range(i-1,i+2):
        if 0<=j<n:
            s+=a[j]
            c+=1
    o[i]=s/c
    a_=a
    o[i]+=a_[i]
    b_,c_=a_,o
    c_[i]+=b_[i]
a=np.arange(5.);o=np.zeros(5);k[1,5](a,o);R=[o]
""",
    "loops of different length": """
@cuda.jit
def k(o):
    t=cuda.threadIdx.x
    o[t]=0
    for step in range(3):
        for sub in range(step+1):
            if (t+sub)%2==0:
                o[t]+=1
            else:
                o[t]+=10
                if sub: break
        cuda.syncthreads()
o=np.zeros(40);k[1,40](o);R=[o]
""",
}


if not GPU:  # numba-cuda refuses None as an argument
    PROGRAMS["None"] = """
@cuda.jit
def k(o,n):
    i=cuda.grid(1)
    if n is None:
        o[i]+=1
o=np.zeros(3);k[1,3](o,None);R=[o]
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_do_what_numba_makes_of_them(name):
    source = HEAD + PROGRAMS[name].lstrip()
    theirs = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        numba_execute(source, theirs)
    for options in ({}, {"mode": "check"}, {"mode": "record", "seed": 3}, {"seed": 1}):
        stepper, ours = Stepper(**options), {}
        stepper.execute(source, ours, "program.py")
        for a, b in zip(theirs["R"], ours["R"], strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-6)


@pytest.mark.skipif(GPU, reason="compares with a reference in Python")
@settings(max_examples=60 * THOROUGH, **COMMON)
@given(
    st.lists(st.integers(-50, 50), min_size=32, max_size=32),
    st.integers(1, 0xFFFFFFFF),
    st.integers(0, 40),
    st.sampled_from(("shfl_sync", "shfl_up_sync", "shfl_down_sync", "shfl_xor_sync")),
)
def test_warp_operations_against_their_definition(data, mask, k, shuffle):
    """Numba's simulator has none, so the reference is the definition, lane by lane."""
    source = HEAD + textwrap.dedent(f"""
    @cuda.jit
    def kernel(x, mask, k, out):
        i = cuda.threadIdx.x
        if mask >> i & 1:
            out[0, i] = cuda.{shuffle}(mask, x[i], k)
            out[1, i] = cuda.ballot_sync(mask, x[i] > k)
            out[2, i] = cuda.match_any_sync(mask, x[i] // 20)
            out[3, i] = cuda.any_sync(mask, x[i] == k) + 2 * cuda.all_sync(mask, x[i] > -k)
    """)
    lanes = [i for i in range(32) if mask >> i & 1]
    n = k & 31
    target = {
        "shfl_sync": lambda i: n,
        "shfl_up_sync": lambda i: i - n if i >= n else i,
        "shfl_down_sync": lambda i: i + n if i + n < 32 else i,
        "shfl_xor_sync": lambda i: i ^ n,
    }[shuffle]

    def signed(bits):
        return bits - (1 << 32) if bits >> 31 else bits

    inside = all(target(i) in lanes for i in lanes)  # else what arrives may be a finding
    for mode in ("run", "check"):
        stepper = Stepper(mode=mode, raise_findings=inside)
        names = {}
        stepper.execute(source, names, "kernel.py")
        out = np.zeros((4, 32), np.int64)
        names["kernel"][1, 32](np.array(data), mask, k, out)
        for i in lanes:
            if target(i) in lanes:  # otherwise what arrives is undefined
                assert out[0, i] == data[target(i)]
            assert out[1, i] == signed(sum(1 << j for j in lanes if data[j] > k))
            same = sum(1 << j for j in lanes if data[j] // 20 == data[i] // 20)
            assert out[2, i] == signed(same)
            assert out[3, i] == any(data[j] == k for j in lanes) + 2 * all(
                data[j] > -k for j in lanes
            )
