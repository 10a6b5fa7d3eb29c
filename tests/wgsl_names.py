"""Hostile names for drawn kernels: what each function and global is called is drawn anew.

Names that simulator/wgsl gives itself, words of WGSL, letters outside ASCII, two spellings of one
name, names made of others as the compiler makes them. The kernel computes what it did.
"""

import ast
import keyword
import random
import unicodedata

# Two names with combining marks, in which no letter differs, and letters that have more spellings.
LETTERS = "α β Σ σ ж Ж1 ñ µ_1 é ℌ ﬁ x̂ x̌ कि की ٣_ _٣ Δt ⅷ ª 变量".split()
SPELLINGS = {"α": "𝛼", "Σ": "𝚺", "é": "e\u0301", "β": "𝜷", "x̂": "𝑥̂"}
OWN = """
    blockDim_x blockDim_y gridDim_x exchange_i32 exchange_f32 exchange_u32 exchange_u32_sum t1 t2 t3
    t4 result1 result2 result1_ stop1 step1 active1 active2 test1 votes1 k1 thread1 state1 count1
    all1 hidden bound packed trap params Params place group block rest threadIdx blockIdx infinity
    nothing nan floor_mod floor_div checked_i32 is_nan np_min xoroshiro add64 int64_ i64_of F64
    uint64 old value index swap expected unused turn_1 i_1 j_1 k_1 value_1 _1 __1 shared local item0
    atomic_add_o atomic_max_x SYNC i t x y o r own tile NULL N N_1 TILE
    """.split()
WORDS = """
    fn let var const loop switch struct array vec2u vec2f vec3u i32 u32 f32 f16 bool true alias
    bitcast select min max abs clamp floor round pow sqrt sign step mix dot ptr storage workgroup
    atomicAdd atomicLoad subgroupShuffle workgroupBarrier override enable discard
    """.split()


def bound(function):
    """The names that a function gives things: its arguments first."""
    arguments = [a.arg for a in function.args.args]
    stored = [n.id for n in ast.walk(function)
              if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]  # fmt: skip
    return list(dict.fromkeys(arguments + stored))


def free(tree):
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


class Renamed(ast.NodeTransformer):
    def __init__(self, source, globals_, scopes):
        self.random, self.globals, self.scopes, self.here = source, globals_, scopes, {}

    def called(self, name):
        name = self.here.get(name, self.globals.get(name, name))
        spelling = SPELLINGS.get(name)
        return spelling if spelling and self.random.random() < 0.5 else name

    def visit_FunctionDef(self, node):
        scope = self.scopes[node.name]
        node.decorator_list = [self.visit(d) for d in node.decorator_list]
        defaults = [self.visit(d) for d in node.args.defaults]
        node.name = self.called(node.name)
        self.here = scope
        for a in node.args.args:
            a.arg = self.called(a.arg)
        node.args.defaults = defaults
        node.body = [self.visit(s) for s in node.body]
        self.here = {}
        return node

    def visit_ClassDef(self, node):
        node.name = self.globals.get(node.name, node.name)
        return node  # its fields are read by name

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id in self.scopes:
            scope = self.scopes[node.func.id]
            for k in node.keywords:
                k.arg = scope[k.arg]
        return self.generic_visit(node)

    def visit_Name(self, node):
        node.id = self.called(node.id)
        return node


def hostile(text, kernel, seed):
    """(``text`` with other names, what its kernel is called then)."""
    draw = random.Random(seed)
    tree = ast.parse(text)
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    named = [n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
    named += [t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets]
    kept = free(tree) - set(named) - {n for f in functions.values() for n in bound(f)}
    kept |= {a.asname or a.name for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)
             for a in n.names}  # fmt: skip

    def made(names, known, taken):
        """Another name for each of ``names``: none that is ``taken``."""
        found = {}
        for name in names:
            while True:
                near = [*found.values(), *known, name]
                one, two = draw.choice(near), draw.choice(near)
                end = draw.choice(["0", "1", "n", "rows", "cols", "offset", "given", "result",
                                   "i32", "f32", "float64", "", "_", two, two, two])  # fmt: skip
                kinds = (LETTERS, OWN, OWN, WORDS, (f"{one}_{end}", f"_{one}"), (name,))
                new = draw.choice(draw.choice(kinds))
                new = unicodedata.normalize("NFKC", new)
                if new.isidentifier() and new not in {*taken, *found.values(), *kept}:
                    if not keyword.iskeyword(new):
                        break
            found[name] = new
        return found

    globals_ = made(named, [], ())
    scopes = {}
    for name, function in functions.items():
        seen = {globals_[n] for n in free(function) if n in globals_}  # these it must not hide
        scopes[name] = made(bound(function), list(globals_.values()), seen)
    new = Renamed(draw, globals_, scopes).visit(tree)
    return ast.unparse(ast.fix_missing_locations(new)) + "\n", globals_[kernel]
