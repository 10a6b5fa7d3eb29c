"""Two passes over a graph: batch normalization into the convolution before it, and int8."""

# --8<-- [start:imports]
import copy

import numpy as np
from onnx import TensorProto, helper, numpy_helper

# --8<-- [end:imports]


# --8<-- [start:fold]
def fold_batch_norm(model):
    """Return a model in which each normalization is part of the convolution before it."""
    model = copy.deepcopy(model)
    graph = model.graph
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    made_by = {name: node for node in graph.node for name in node.output}
    for norm in [node for node in graph.node if node.op_type == "BatchNormalization"]:
        conv = made_by.get(norm.input[0])
        readers = sum(norm.input[0] in node.input for node in graph.node)
        if conv is None or conv.op_type != "Conv" or len(conv.input) > 2 or readers > 1:
            continue
        scale, shift, mean, var = (values[name] for name in norm.input[1:])
        factor = scale / np.sqrt(var + 1e-5)
        for name, value in (
            (f"{conv.name}.w", values[conv.input[1]] * factor[:, None, None, None]),
            (f"{conv.name}.b", shift - mean * factor),
        ):
            graph.initializer.append(numpy_helper.from_array(value.astype(np.float32), name))
        conv.input[:] = [conv.input[0], f"{conv.name}.w", f"{conv.name}.b"]
        conv.output[:] = norm.output
        graph.node.remove(norm)
    read = {name for node in graph.node for name in node.input}
    kept = [tensor for tensor in graph.initializer if tensor.name in read]
    del graph.initializer[:]
    graph.initializer.extend(kept)
    return model


# --8<-- [end:fold]


# --8<-- [start:watch]
def watched(model, names):
    """Return a model that also gives out some tensors from within."""
    model = copy.deepcopy(model)
    for name in names:
        model.graph.output.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, None))
    return model


# --8<-- [end:watch]


# --8<-- [start:quantize]
def with_int8(model, limits):
    """Return a model whose convolutions multiply int8.

    ``limits`` has the largest magnitude of each tensor that a convolution reads or writes; what is
    larger is clipped. Weights have a scale for each output channel. Pairs of QuantizeLinear and
    DequantizeLinear say what is to be in int8; the runtime makes integer operators of them.
    """
    model = copy.deepcopy(model)
    graph, nodes = model.graph, []
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}

    def constant(name, value):
        if name not in values:
            values[name] = value
            graph.initializer.append(numpy_helper.from_array(value, name))
        return name

    def pair(x, out):
        scale = constant(f"{x}.step", np.float32(limits[x] / 127).reshape(()))
        zero = constant("zero", np.zeros((), np.int8))
        nodes.append(helper.make_node("QuantizeLinear", [x, scale, zero], [f"{out}.q"]))
        nodes.append(helper.make_node("DequantizeLinear", [f"{out}.q", scale, zero], [out]))
        return out

    for node in graph.node:
        if node.op_type != "Conv":
            nodes.append(node)
            continue
        x, w, b = node.input
        scales = np.abs(values[w]).max(axis=(1, 2, 3)) / np.float32(127)
        steps = np.float32(limits[x] / 127) * scales
        integers = np.rint(values[w] / scales[:, None, None, None]).astype(np.int8)
        for name, whole, size in (
            (w, integers, scales),
            (b, np.rint(values[b] / steps).astype(np.int32), steps),
        ):
            zero = constant(f"{name}.zero", np.zeros(len(size), whole.dtype))
            parts = constant(f"{name}.q", whole), constant(f"{name}.step", size), zero
            nodes.append(helper.make_node("DequantizeLinear", parts, [f"{name}.dq"], axis=0))
        out = node.output[0]
        node.input[:] = [pair(x, f"{node.name}.in"), f"{w}.dq", f"{b}.dq"]
        node.output[:] = [f"{out}.full"]
        nodes.append(node)
        limits = limits | {f"{out}.full": limits[out]}
        pair(f"{out}.full", out)
    del graph.node[:]
    graph.node.extend(nodes)
    return model


# --8<-- [end:quantize]
