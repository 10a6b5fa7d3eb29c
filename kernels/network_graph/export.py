"""An exporter: run a function on arrays that write down what is done to them, as an ONNX graph."""

# --8<-- [start:imports]
import numpy as np
from onnx import TensorProto, helper, numpy_helper

# --8<-- [end:imports]


# --8<-- [start:export]
OPERATORS = {
    np.add: "Add",
    np.subtract: "Sub",
    np.multiply: "Mul",
    np.divide: "Div",
    np.matmul: "MatMul",
    np.maximum: "Max",
    np.power: "Pow",
    np.sqrt: "Sqrt",
    np.exp: "Exp",
}


class Graph:
    """The nodes and constants of a graph that is being written down."""

    def __init__(self):
        self.nodes, self.constants = [], []

    def node(self, kind, inputs, value, **attributes):
        """Add an operator and return the array that it makes."""
        name = f"{kind.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return Recorded(self, value, name)

    def constant(self, value):
        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name


class Recorded(np.lib.mixins.NDArrayOperatorsMixin):
    """An array of the example, with its name in the graph."""

    def __init__(self, graph, value, name):
        self.graph, self.value, self.name, self.shape = graph, value, name, value.shape

    def __array_ufunc__(self, ufunc, method, *inputs):
        if method != "__call__" or ufunc not in OPERATORS:
            raise TypeError(f"np.{ufunc.__name__} has no operator here: add it to OPERATORS")
        names, values = [], []
        for x in inputs:
            known = isinstance(x, Recorded)
            values.append(x.value if known else np.asarray(x, np.float32))
            names.append(x.name if known else self.graph.constant(values[-1]))
        return self.graph.node(OPERATORS[ufunc], names, ufunc(*values))

    def __array_function__(self, function, types, args, kwargs):
        if function is not np.split:
            raise TypeError(f"np.{function.__name__} has no operator here")
        (_, count), axis = args, kwargs["axis"]
        names = [f"part_{len(self.graph.nodes)}_{k}" for k in range(count)]
        node = helper.make_node("Split", [self.name], names, axis=axis, num_outputs=count)
        self.graph.nodes.append(node)
        parts = np.split(self.value, count, axis=axis)
        return [Recorded(self.graph, *pair) for pair in zip(parts, names, strict=True)]

    def __getitem__(self, index):
        if isinstance(index, Recorded):  # rows by their numbers, as in an embedding
            return self.graph.node("Gather", [self.name, index.name], self.value[index.value])
        value = self.value[index]  # of a weight: known now
        return Recorded(self.graph, value, self.graph.constant(value))

    def reduced(self, kind, axis, keepdims):
        value = getattr(self.value, kind.lower())(axis=axis, keepdims=keepdims)
        names = [self.name, self.graph.constant(np.array([axis]))]
        return self.graph.node(f"Reduce{kind}", names, value, keepdims=int(keepdims))

    def mean(self, axis, keepdims):
        return self.reduced("Mean", axis, keepdims)

    def max(self, axis, keepdims):
        return self.reduced("Max", axis, keepdims)

    def sum(self, axis, keepdims):
        return self.reduced("Sum", axis, keepdims)

    def reshape(self, *shape):
        value = self.value.reshape(shape)
        # 0: as long as before. So the batch may be of another size than the example's.
        sizes = [0 if n == old else n for n, old in zip(value.shape, self.shape, strict=False)]
        sizes += value.shape[len(sizes) :]
        return self.graph.node("Reshape", [self.name, self.graph.constant(sizes)], value)

    def swapaxes(self, a, b):
        order = list(range(len(self.shape)))
        order[a], order[b] = b, a
        return self.graph.node("Transpose", [self.name], self.value.transpose(order), perm=order)

    @property
    def T(self):
        return self.swapaxes(0, 1)


def export(function, weights, tokens):
    """Return ``function(weights, tokens)`` as an ONNX model, for tokens of this length."""
    graph = Graph()
    named = {name: Recorded(graph, w, graph.constant(w)) for name, w in weights.items()}
    out = function(named, Recorded(graph, tokens, "tokens"))
    made = helper.make_graph(
        graph.nodes,
        "exported",
        [helper.make_tensor_value_info("tokens", TensorProto.INT64, ["n", tokens.shape[1]])],
        [helper.make_tensor_value_info(out.name, TensorProto.FLOAT, ["n", *out.shape[1:]])],
        graph.constants,
    )
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)


# --8<-- [end:export]


def examples():
    """The examples.

    --8<-- [start:example]
    >>> random = np.random.default_rng(3)
    >>> weights = {name: w.astype(np.float32) for name, w in new_weights(random).items()}
    >>> exported = export(forward, weights, random.integers(0, len(LETTERS), (2, 16)))
    >>> onnx.checker.check_model(exported)
    >>> tokens = random.integers(0, len(LETTERS), (5, 16))  # five lines, and other letters
    >>> right = forward(weights, tokens)
    >>> for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED"):
    ...     found = collections.Counter(kinds(optimized(exported, level)))
    ...     logits = session(exported, level).run(None, {"tokens": tokens})[0]
    ...     np.testing.assert_allclose(logits, right, rtol=1e-4, atol=1e-4)
    ...     print(found.total(), [found[k] for k in ("Transpose", "Mul", "MatMul", "FusedMatMul")])
    91 [19, 7, 13, 0]
    80 [8, 7, 13, 0]
    78 [8, 5, 11, 2]

    --8<-- [end:example]

    --8<-- [start:refused]
    >>> export(lambda weights, tokens: np.tanh(weights["head"]), weights, tokens)
    Traceback (most recent call last):
    TypeError: np.tanh has no operator here: add it to OPERATORS

    --8<-- [end:refused]

    --8<-- [start:provider]
    >>> import warnings
    >>> wanted = ["CUDAExecutionProvider", "CPUExecutionProvider"]
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     got = ort.InferenceSession(exported.SerializeToString(), providers=wanted)
    >>> str(said[0].message).split(".")[0]
    "Specified provider 'CUDAExecutionProvider' is not in available provider names"
    >>> got.get_providers()
    ['CPUExecutionProvider']

    --8<-- [end:provider]
    """
