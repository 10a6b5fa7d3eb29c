"""A small image network as an ONNX graph, run by ONNX Runtime as it is and optimized."""

# --8<-- [start:imports]

import numpy as np
import onnx
import onnxruntime as ort
from onnx import TensorProto, helper, numpy_helper

# --8<-- [end:imports]


# --8<-- [start:build]
def network(channels=16, classes=10, seed=7):
    """Return an ONNX model: two convolutions with a shortcut, then a linear layer and GELU."""
    random = np.random.default_rng(seed)
    weights, nodes = {}, []

    def weight(name, *shape, scale=1.0, shift=0.0):
        weights[name] = (shift + scale * random.standard_normal(shape)).astype(np.float32)
        return name

    def node(kind, *inputs, out, **attributes):
        nodes.append(helper.make_node(kind, inputs, [out], name=out, **attributes))
        return out

    def convolution(x, name, inputs):
        w = weight(f"{name}.w", channels, inputs, 3, 3, scale=(9 * inputs) ** -0.5)
        x = node("Conv", x, w, out=f"{name}.conv", kernel_shape=[3, 3], pads=[1, 1, 1, 1])
        scale = weight(f"{name}.scale", channels, scale=0.2, shift=1)
        shift, mean = weight(f"{name}.shift", channels), weight(f"{name}.mean", channels)
        weights[f"{name}.var"] = random.uniform(0.5, 2, channels).astype(np.float32)
        rest = scale, shift, mean, f"{name}.var"
        return node("BatchNormalization", x, *rest, out=f"{name}.norm")

    first = node("Relu", convolution("image", "first", 3), out="first.relu")
    second = convolution(first, "second", channels)
    x = node("Relu", node("Add", second, first, out="sum"), out="second.relu")
    x = node("Flatten", node("GlobalAveragePool", x, out="pool"), out="flat")
    x = node("MatMul", x, weight("head.w", channels, classes), out="head.mul")
    x = node("Add", x, weight("head.b", classes), out="head.add")
    for name, value in (("root", 2**0.5), ("one", 1.0), ("half", 0.5)):
        weights[name] = np.float32(value).reshape(1)
    erf = node("Erf", node("Div", x, "root", out="scaled"), out="erf")
    half = node("Mul", x, node("Add", erf, "one", out="plus"), out="times")
    node("Mul", half, "half", out="logits")

    sizes = ["n", 3, "height", "width"]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, sizes)],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", classes])],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.checker.check_model(model)
    return model


# --8<-- [end:build]


# --8<-- [start:run]
def session(model, level="ORT_DISABLE_ALL", save=None):
    """Return an ONNX Runtime session on the CPU, with so much optimization."""
    options = ort.SessionOptions()
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, level)
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    if save:
        options.optimized_model_filepath = save
    return ort.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])


def run(model, image, level="ORT_DISABLE_ALL"):
    return session(model, level).run(None, {"image": image})[0]


def kinds(model):
    """Return the operators of a model's graph, in its order."""
    return [node.op_type for node in model.graph.node]


def optimized(model, level):
    """Return the graph that ONNX Runtime makes of a model before it runs it."""
    session(model, level, save="optimized.onnx")
    return onnx.load("optimized.onnx")


# --8<-- [end:run]


def examples():
    """The examples.

    --8<-- [start:build_example]
    >>> model = network()
    >>> import collections
    >>> len(kinds(model)), collections.Counter(kinds(model)).most_common(3)
    (16, [('Add', 3), ('Conv', 2), ('BatchNormalization', 2)])
    >>> image = np.random.default_rng(1).standard_normal((2, 3, 32, 32)).astype(np.float32)
    >>> before = run(model, image)
    >>> before.shape
    (2, 10)

    --8<-- [end:build_example]

    --8<-- [start:optimized_example]
    >>> for level in ("ORT_DISABLE_ALL", "ORT_ENABLE_BASIC", "ORT_ENABLE_EXTENDED"):
    ...     found = kinds(optimized(model, level))
    ...     np.testing.assert_allclose(run(model, image, level), before, rtol=1e-4, atol=1e-5)
    ...     print(len(found), *found[:8])
    16 Conv BatchNormalization Relu Conv BatchNormalization Add Relu GlobalAveragePool
    13 Conv Relu Conv Add Relu GlobalAveragePool Flatten Gemm
    8 FusedConv Conv Add Relu GlobalAveragePool Flatten Gemm Gelu

    --8<-- [end:optimized_example]
    """
